// MemoryExplorer's pure view, on a snapshot that the library made (memory_explorer.json, kept true by test_memory_explorer.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { act, ageOf, EXPLORER_LABELS, freshUi, view } from "../../widgets/hello_agents_widgets/memory_explorer.js";
import { escapeHtml, fill, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const stored = JSON.parse(readFileSync(new URL("./memory_explorer.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const named = (tree, cls) => findAll(tree, (node) => (node.attrs.class || "").split(" ").includes(cls));
const say = (name, values) => fill(EXPLORER_LABELS.en[name], values);

test("every memory and document stands in the list, memories by kind", () => {
  const [nav] = findAll(view(stored), (node) => node.tag === "nav");
  const picks = findAll(nav, (node) => node.attrs["data-op"] === "pick").map((node) => Number(node.attrs["data-arg"]));
  assert.deepEqual(new Set(picks), new Set(stored.head.holders.flatMap((holder) => holder.rows)));
  assert.match(textOf(nav), /memory of anna.*working.*episodic.*semantic.*knowledge: guide/);
  assert.match(textOf(nav), /Prefers a hotel near the station\.0\.902 h ago · #travel · #hotel/);
});

test("ages are told from the manager's clock", () => {
  for (const [seconds, words] of [[-5, "just now"], [59, "just now"], [600, "10 min ago"], [7200, "2 h ago"], [86400 * 9, "9 days ago"]]) assert.equal(ageOf(say, seconds), words);
});

test("the bar of a hit adds up to its score, and its parts are said", () => {
  const tree = view(stored);
  const { hits } = stored.head.answers[0];
  const cards = named(tree, "hai-card").filter((node) => named(node, "hai-score").length && /words/.test(textOf(node)) && !/rank/.test(textOf(node)));
  assert.equal(cards.length, hits.length);
  hits.forEach((hit, i) => {
    const width = named(cards[i], "hai-score")[0].kids.reduce((sum, kid) => sum + parseFloat(kid.attrs.style.slice(6)), 0);
    assert.ok(Math.abs(width - 100 * hit.score) < 0.05);
    assert.ok(textOf(cards[i]).includes(`${hit.score.toFixed(2)} = words ${hit.reasons.words.toFixed(2)} + vector ${hit.reasons.vector.toFixed(2)}`));
  });
});

test("a passage tells its ranks by words, by vector and fused, and what it is cited by", () => {
  const text = textOf(view(stored));
  for (const hit of stored.head.answers[1].hits) {
    assert.ok(text.includes(hit.citation));
    for (const name of ["words", "vector"])
      if (hit.reasons[`${name}_rank`] !== undefined) assert.ok(text.includes(`by ${name}: rank ${hit.reasons[`${name}_rank`]}`));
    assert.ok(text.includes(`fused ${hit.reasons.fused.toFixed(4)}`));
  }
  const less = copy();
  less.head.answers[1].hits = [{ ...less.head.answers[1].hits[0], reasons: { words: 1, words_rank: 1, rerank: 0.25 } }];
  assert.match(textOf(view(less)), /by vector: not found.*re-ranked 0\.25/);
});

test("nothing found, could not look and nothing there are three things", () => {
  const answers = [{ error: "", hits: [] }, { error: "SearchFailed: no embedding", hits: [] }];
  assert.match(textOf(view(copy({ answers }))), /0 hits.*Nothing has to do with it.*could not look.*no embedding/);
  const empty = copy({ answers: null });
  empty.head.holders.forEach((holder) => (holder.rows = []));
  assert.match(textOf(view(empty)), /Nothing is here yet/);
  const broken = copy();
  broken.head.holders[0].error = "MemoryUnavailable: gone";
  assert.match(textOf(view(broken)), /cannot be read.*MemoryUnavailable: gone/);
});

test("what would go is marked in the list and named with its reason before anything goes", () => {
  const tree = view(stored, { ...freshUi(), panel: "forget" });
  const { going } = stored.head.preview;
  assert.equal(named(tree, "hai-merow").filter((node) => (node.attrs.class || "").includes("hai-going")).length, going.length);
  const [form] = findAll(tree, (node) => node.attrs["data-form"] === "forget");
  assert.match(textOf(form), new RegExp(`Forget ${going.length}.*${going.length} would go`));
  for (const one of going) assert.ok(textOf(form).includes(one.content));
  assert.equal(named(view(stored), "hai-going").length, 0);
});

test("each way to forget has a field of its own", () => {
  const sent = (way, fields = {}) => act(stored, { ...freshUi(), panel: "forget" }, "preview", "", { "me way": way, ...fields }).send.args;
  assert.deepEqual(sent("importance_based"), { holder: 0, strategy: "importance_based", threshold: "0.1", kind: "" });
  assert.deepEqual(sent("time_based", { "me max_age_days": "7", "me kind": "episodic" }), { holder: 0, strategy: "time_based", max_age_days: "7", kind: "episodic" });
  assert.deepEqual(sent("capacity_based"), { holder: 0, strategy: "capacity_based", capacity: "10", kind: "" });
  assert.equal(act(stored, freshUi(), "panel", "forget", {}).send.op, "preview");
});

test("adding sends what was written, to the holder that was chosen", () => {
  const fields = { query: "q", "me text": "x", "me where": "0", "me kind": "episodic", "me weight": "0.5", "me tags": "a, b" };
  const done = act(stored, { ...freshUi(), panel: "add" }, "add", "", fields);
  assert.deepEqual(done.send.args, { holder: 0, text: "x", kind: "episodic", importance: "0.5", tags: "a, b", id: undefined });
  assert.equal(done.ui.query, "q");
  const written = (snapshot) => findAll(view(snapshot, { ...freshUi(), panel: "add", ...done.ui }), (node) => node.tag === "textarea")[0].attrs.value;
  assert.equal(written(stored), "x", "as long as it was not added");
  assert.equal(written(copy({ adds: stored.head.adds + 1 })), "");
  const other = act(stored, { ...freshUi(), panel: "add" }, "where", "", { ...fields, "me where": "1" });
  const [form] = findAll(view(stored, { ...freshUi(), panel: "add", ...other.ui }), (node) => node.attrs["data-form"] === "add");
  assert.match(textOf(form), /Add the document/);
});

test("what went is told with the reason", () => {
  const gone = [{ id: "m1", memory_type: "working", content: "old", reason: "expired", importance: 0.5, touched: 0 }];
  assert.match(textOf(view(copy({ done: { what: "added", id: "m9", gone, note: "no judge" } }))), /Added m9\. no judge Gone for it: 1\.m1oldits time had run out/);
  assert.match(textOf(view(copy({ done: { what: "forgot", gone } }))), /Forgotten: 1\.m1old/);
});

test("a document opens into chunks with what each is cited by", () => {
  const pick = stored.head.holders[1].rows.find((place) => stored.items[place].id === "lyon.md");
  const tree = view(stored, { ...freshUi(), pick });
  for (const chunk of stored.head.opened.chunks) assert.ok(textOf(tree).includes(chunk.citation));
  assert.deepEqual(act(stored, freshUi(), "open", "1 a b", {}).send.args, { holder: 1, id: "a b" });
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const gone = [{ id: nasty, memory_type: nasty, content: nasty, reason: nasty, importance: 0, touched: 0 }];
  const snapshot = copy({ query: nasty, error: nasty, done: { what: "added", id: nasty, note: nasty, gone } });
  snapshot.items.forEach((one) => Object.assign(one, { id: nasty, label: nasty, from: nasty, ...(one.tags ? { tags: [nasty] } : {}) }));
  snapshot.head.holders.forEach((holder) => Object.assign(holder, { name: nasty, error: nasty, problems: [nasty], gone }));
  snapshot.head.answers.forEach((answer) => { answer.error = nasty; answer.hits.forEach((hit) => hit.citation && Object.assign(hit, { citation: nasty, text: nasty, chunk: nasty })); });
  snapshot.head.opened = { holder: 1, id: nasty, chunks: [{ chunk: nasty, citation: nasty, text: nasty, tokens: 1, headings: [] }] };
  for (const panel of [null, "add", "forget"])
    for (let pick = 0; pick < snapshot.items.length; pick++) {
      const page = html(view(snapshot, { ...freshUi(), panel, pick }));
      assert.ok(page.includes(escapeHtml(nasty)));
      assert.ok(!page.includes("<script") && !page.includes("<img"));
    }
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(EXPLORER_LABELS.en).sort(), Object.keys(EXPLORER_LABELS.zh).sort());
  for (const name of Object.keys(EXPLORER_LABELS.en)) assert.ok(!(name in LABELS.en), name);
  for (const language of ["en", "zh"])
    for (const panel of [null, "add", "forget"]) {
      const page = textOf(view(copy({ language }), { ...freshUi(), panel, pick: stored.head.holders[0].rows[0] }));
      assert.ok(!/me_\w+/.test(page), page.match(/me_\w+/)?.[0]);
    }
});
