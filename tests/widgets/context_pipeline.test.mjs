// ContextPipeline's pure view, on a snapshot that the library made (context_pipeline.json, kept true by test_context_pipeline.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { act, freshUi, packetsOf, PIPELINE_LABELS, view } from "../../widgets/hello_agents_widgets/context_pipeline.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { escapeHtml, findAll, grouped, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const stored = JSON.parse(readFileSync(new URL("./context_pipeline.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const stage = (tree, name) => findAll(tree, (node) => (node.attrs.class || "").includes(`hai-stage-${name}`))[0];
const picks = (tree) => findAll(tree, (node) => node.attrs["data-op"] === "pick").map((node) => Number(node.attrs["data-arg"]));
const named = (tree, cls) => findAll(tree, (node) => (node.attrs.class || "").split(" ").includes(cls));

test("every packet is gathered, and is selected or left out with its reason", () => {
  const tree = view(stored);
  const { all, selected, out } = packetsOf(stored);
  assert.deepEqual(new Set(picks(stage(tree, "gather"))), new Set(stored.head.rows.places));
  assert.equal(selected.length + out.length, all.length);
  assert.deepEqual(picks(stage(tree, "select")), [...selected, ...out].map((one) => one.place));
  const shown = findAll(stage(tree, "select"), (node) => node.tag === "small");
  for (const one of all) {
    if (one.fate === "required") continue;
    const small = shown.find((node) => node.attrs.title === one.reason);
    assert.ok(small, one.id);
    const numbers = one.scores && one.scores.slice(0, 4).map((score) => score.toFixed(2));
    assert.equal(textOf(small), one.fate === "selected" && numbers ? `${numbers[0]} = ${numbers.slice(1).join(" + ")}` : one.reason);
  }
});

test("what is selected carries a key, so that it is seen to move when it falls out", () => {
  const keys = (snapshot) => findAll(stage(view(snapshot), "select"), (node) => node.attrs["data-move"]).map((node) => node.attrs["data-move"]);
  const less = copy();
  less.head.rows.chosen = less.head.rows.chosen.slice(0, 2);
  assert.deepEqual(new Set(keys(stored)), new Set(keys(less)));
  assert.notDeepEqual(keys(stored), keys(less));
});

test("the stages say Python's numbers", () => {
  const { head } = stored;
  const tree = view(stored);
  assert.match(textOf(stage(tree, "gather")), new RegExp(`${head.gathered} packets, ${grouped(head.gathered_tokens)} tokens`));
  assert.match(textOf(stage(tree, "structure")), new RegExp(`${head.structured.length} sections, ${grouped(head.structured_tokens)} tokens`));
  assert.match(textOf(stage(tree, "compress")), new RegExp(`${grouped(head.budget)} allowed, ${grouped(head.tokens)} used`));
  const [table] = findAll(tree, (node) => node.tag === "tbody");
  for (const [i, one] of head.structured.entries()) assert.ok(textOf(table.kids[i]).endsWith(`${grouped(one.tokens)}${grouped(head.compressed[i].tokens)}`));
});

test("a bar of a score is as long as its parts", () => {
  const scored = packetsOf(stored).all.filter((one) => one.scores);
  const bars = named(stage(view(stored), "select"), "hai-score");
  assert.equal(bars.length, scored.length);
  for (const bar of bars) {
    const width = bar.kids.reduce((sum, kid) => sum + parseFloat(kid.attrs.style.slice(6)), 0);
    assert.ok(scored.some((one) => Math.abs(one.scores[0] * 100 - width) < 0.03));
  }
});

test("a source that failed says so where it would have given something", () => {
  assert.match(textOf(stage(view(stored), "gather")), /visa · failed.*the visa server is gone/);
  const tree = view(copy({ failures: [{ stage: "compress", name: "model", error: "no model" }] }));
  assert.match(textOf(stage(tree, "compress")), /while compressing: model · failedno model/);
});

test("what was cut is struck through, and a long cut is told by its length", () => {
  const pieces = [["Kept. ", true], ["Cut. ", false], [`${"x".repeat(900)}. `, false], ["Kept too.", true]];
  const compressed = stored.head.compressed.map((one) => (one.section === "evidence" ? { ...one, whole: false, pieces } : one));
  const cut = findAll(view(copy({ compressed })), (node) => node.tag === "del");
  assert.equal(cut.length >= 1, true);
  assert.ok(cut.some((node) => /^Cut\. x+… 827 characters cut …$/.test(textOf(node))));
  const whole = findAll(view(copy({ compressed }), { ...freshUi(), all: { "c evidence": true } }), (node) => node.tag === "del");
  assert.ok(whole.some((node) => textOf(node) === `Cut. ${"x".repeat(900)}. `));
});

test("a packet tells why, and why not: beside the one that it is redundant with", () => {
  const { all } = packetsOf(stored);
  const twin = all.find((one) => one.other !== null);
  const tree = view(stored, { ...freshUi(), pick: twin.place });
  const [details] = named(tree, "hai-cpdetails");
  assert.ok(textOf(details).includes(twin.reason));
  assert.ok(textOf(details).includes(all[twin.other].id));
  assert.equal(named(details, "hai-card").length, 2);
  for (const number of twin.scores) assert.ok(textOf(details).includes(number.toFixed(2)));
  assert.equal(act(stored, { ...freshUi(), pick: twin.place }, "pick", String(twin.place), {}).ui.pick, null);
  const lost = copy();
  lost.packets.push({ ...lost.packets[0], label: "an old one", content: "an old one" });
  assert.match(textOf(view(lost, { ...freshUi(), pick: lost.packets.length - 1 })), /an old one.*no longer finds it/);
});

test("the change against the setting before names what came and what went", () => {
  const { change } = stored.head;
  const [shown] = named(view(stored), "hai-change");
  assert.match(textOf(shown), /least relevance 0\.30 → 0\.00.*MMR: leave out what is alike on → off/);
  for (const place of [...change.came, ...change.went]) assert.ok(textOf(shown).includes(stored.packets[place].label));
  assert.equal(named(view(copy({ change: null })), "hai-change").length, 0);
});

test("knobs stay where the reader has them until Python goes on by itself", () => {
  const fields = { max_tokens: "300", reserve_ratio: "0.1", min_relevance: "0.5", mmr_lambda: "1", recency_weight: "0", enable_mmr: true, enable_compression: false, query: "half writ" };
  const done = act(stored, freshUi(), "set", "", fields);
  assert.deepEqual(done.send.args, { max_tokens: 300, reserve_ratio: 0.1, min_relevance: 0.5, mmr_lambda: 1, recency_weight: 0, enable_mmr: true, enable_compression: false });
  const value = (snapshot, name) => findAll(view(snapshot, { ...freshUi(), ...done.ui }), (node) => node.attrs["data-field"] === name)[0].attrs.value;
  assert.equal(value(stored, "max_tokens"), "300");
  assert.equal(value(stored, "query"), "half writ");
  assert.equal(findAll(view(stored, { ...freshUi(), ...done.ui, knobs: null, query: null }), (node) => node.attrs["data-field"] === "max_tokens")[0].attrs.value, String(stored.head.knobs.max_tokens));
  assert.match(textOf(view(copy({ error: "ContextBudgetError: no" }), { ...freshUi(), ...done.ui })), /last one that did/);
});

test("of thousands of packets only those in sight are drawn", () => {
  const snapshot = copy();
  const { rows } = snapshot.head;
  for (let i = 0; i < 5000; i++) {
    snapshot.packets.push({ ...snapshot.packets[3], label: `packet ${i}`, source: "guide" });
    rows.places.push(snapshot.packets.length - 1);
    rows.ids.push(`more:${i}`);
    rows.reason.push(0);
    rows.scores.push(null);
    rows.fate += String(rows.fates.indexOf("below_threshold"));
  }
  const drawn = findAll(view(snapshot), () => true).length;
  assert.ok(drawn < 4000, String(drawn));
  const [, below] = findAll(stage(view(snapshot, { ...freshUi(), rows: { out: 3000 } }), "select"), (node) => (node.attrs.class || "") === "hai-blank");
  assert.ok(parseInt(below.attrs.style.slice(7), 10) > 74 * 1000);
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ query: nasty, error: nasty, text: nasty });
  snapshot.packets.forEach((one) => Object.assign(one, { id: nasty, source: nasty, kind: nasty, label: nasty, content: nasty, citation: nasty }));
  const { head } = snapshot;
  head.rows.reasons = head.rows.reasons.map(() => nasty);
  head.rows.ids = head.rows.ids.map(() => nasty);
  head.sources.forEach((one) => Object.assign(one, { name: nasty, error: nasty }));
  head.failures = [{ stage: "select", name: nasty, error: nasty }];
  head.structured.forEach((one) => Object.assign(one, { heading: nasty, text: nasty }));
  head.compressed.forEach((one) => Object.assign(one, { heading: nasty, pieces: [[nasty, false]], whole: false }));
  head.change.moved = [{ name: "query", was: nasty, now: nasty }];
  for (let pick = 0; pick < snapshot.packets.length; pick++) {
    const page = html(view(snapshot, { ...freshUi(), pick, text: true }));
    assert.ok(page.includes(escapeHtml(nasty)));
    assert.ok(!page.includes("<script") && !page.includes("<img"));
  }
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(PIPELINE_LABELS.en).sort(), Object.keys(PIPELINE_LABELS.zh).sort());
  assert.match(textOf(view(copy({ language: "zh" }))), /收集.*选择.*组织.*压缩/s);
  for (const name of Object.keys(PIPELINE_LABELS.en)) assert.ok(!(name in LABELS.en));
  const used = html(view(stored, { ...freshUi(), pick: 3, text: true }));
  assert.ok(!/cp_\w+/.test(used), used.match(/cp_\w+/)?.[0]);
});
