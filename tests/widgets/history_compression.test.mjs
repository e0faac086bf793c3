// HistoryCompression's pure view, on a snapshot that the library made (history_compression.json).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { act, freshUi, HISTORY_LABELS, view } from "../../widgets/hello_agents_widgets/history_compression.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { escapeHtml, findAll, grouped, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const stored = JSON.parse(readFileSync(new URL("./history_compression.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const pieces = (tree) => findAll(tree, (node) => /^hai-piece( |$)/.test(node.attrs.class || ""));
const total = (tree, which) => findAll(tree, (node) => (node.attrs.class || "") === "hai-striprow").map(textOf)[which === "before" ? 0 : 1];

test("the bars show what there is before and what is left after", () => {
  const tree = view(stored);
  assert.ok(total(tree, "before").includes(grouped(stored.head.before)));
  assert.ok(total(tree, "after").includes(grouped(stored.head.after)));
  const widths = (which) => pieces(findAll(tree, (node) => node.attrs.class === "hai-striprow")[which === "before" ? 0 : 1]).reduce((sum, node) => sum + Number(node.attrs.style.match(/width:([\d.]+)%/)[1]), 0);
  assert.ok(Math.abs(widths("after") / widths("before") - stored.head.after / stored.head.before) < 0.01);
});

test("what stays keeps its name, so that it can be seen to move", () => {
  const kept = stored.head.rounds.map((round, i) => [round.fate, i]).filter(([fate]) => fate === "kept").map(([, i]) => `round ${i}`);
  const moves = findAll(view(stored), (node) => node.attrs["data-move"]).map((node) => node.attrs["data-move"]);
  for (const name of kept) assert.ok(moves.includes(name));
  assert.ok(moves.includes("summary"));
});

test("a round is read as it was, with the fate of each message", () => {
  const tree = view(stored, { ...freshUi(), open: 0 });
  const round = stored.head.rounds[0];
  for (let i = round.from; i < round.to; i++) assert.ok(textOf(tree).includes(stored.messages[i].text.split("\n")[0]));
  assert.match(textOf(tree), /This went into the summary/);
  assert.equal(act(stored, { ...freshUi(), open: 0 }, "open", "0", {}).ui.open, null);
  assert.equal(act(stored, { ...freshUi(), open: 0 }, "open", "", {}).ui.open, null);
});

test("the knobs go to Python, and show at once", () => {
  const done = act(stored, freshUi(), "set", "", { threshold: "300", keep: "2" });
  assert.deepEqual(done.send, { op: "set", args: { threshold: 300, keep: 2 } });
  assert.match(textOf(view(stored, { ...freshUi(), ...done.ui })), /Threshold: 300 tokens.*Keep the last 2 rounds/);
});

test("below the threshold nothing is said to have been compressed", () => {
  const tree = view(copy({ due: false, after: stored.head.before, summary: null, rounds: stored.head.rounds.map((round) => ({ ...round, fate: "kept" })) }));
  assert.match(textOf(tree), /below the threshold/);
  assert.equal(findAll(tree, (node) => node.attrs["data-move"] === "summary").length, 0);
});

test("five thousand rounds are listed from the end, and the rest on request", () => {
  const snapshot = copy({ rounds: Array.from({ length: 5000 }, (_, i) => ({ from: i, to: i + 1, fate: i < 4900 ? "folded" : "kept" })), fates: Array.from({ length: 5000 }, () => "kept") });
  snapshot.messages = Array.from({ length: 5000 }, (_, i) => ({ role: "user", text: `q${i}`, tokens: 5 }));
  const rows = (ui) => findAll(view(snapshot, ui), (node) => (node.attrs.class || "").startsWith("hai-roundrow"));
  assert.equal(rows(freshUi()).length, 40);
  assert.equal(rows({ ...freshUi(), all: { rounds: true } }).length, 5000);
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ error: nasty, summary: { text: nasty, tokens: 1 } });
  snapshot.messages.forEach((one) => Object.assign(one, { text: nasty, role: nasty }));
  for (const open of [null, 0]) {
    const page = html(view(snapshot, { ...freshUi(), open }));
    assert.ok(page.includes(escapeHtml(nasty)));
    assert.ok(!page.includes("<script") && !page.includes("<img"));
  }
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(HISTORY_LABELS.en).sort(), Object.keys(HISTORY_LABELS.zh).sort());
  assert.ok(textOf(view(copy({ language: "zh" }))).includes("历史压缩"));
  for (const name of Object.keys(HISTORY_LABELS.en)) assert.ok(!(name in LABELS.en));
});
