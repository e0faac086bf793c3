// RunTree's pure view, on a snapshot that the library made (run_tree.json, kept true by test_run_tree.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { escapeHtml, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { act, freshUi, TREE_LABELS, unfolded, view } from "../../widgets/hello_agents_widgets/run_tree.js";

const stored = JSON.parse(readFileSync(new URL("./run_tree.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const rows = (tree) => findAll(tree, (node) => node.attrs.role === "treeitem");
const ui = (change) => ({ ...freshUi(stored), ...change });
const many = (count) => ({ head: { ...stored.head, count }, frames: [stored.frames[0], ...Array.from({ length: count - 1 }, (_, i) => ({ ...stored.frames[1], frame: `c${i}`, id: `c${i}` }))] });

test("each frame has a row at its depth, with its tokens, steps and ending", () => {
  const shown = rows(view(stored));
  assert.equal(shown.length, stored.frames.length);
  shown.forEach((row, i) => {
    const one = stored.frames[i];
    assert.equal(row.attrs["aria-level"], String(one.depth + 1));
    for (const words of [one.agent, one.outcome, one.tokens.toLocaleString("en-US")]) assert.ok(textOf(row).includes(words));
  });
});

test("the bar of a frame has its own part and that of the frames below", () => {
  for (const [i, row] of rows(view(stored)).entries()) {
    const widths = findAll(row, (node) => node.tag === "i" && /hai-b-/.test(node.attrs.class || "")).map((node) => parseFloat(node.attrs.style.slice(6)));
    const one = stored.frames[i];
    assert.ok(Math.abs(widths[0] - (100 * one.own) / stored.head.tokens) < 0.01);
    assert.ok(Math.abs(widths[0] + widths[1] - (100 * one.tokens) / stored.head.tokens) < 0.02);
  }
});

test("a folded frame hides all that is below it, and nothing else", () => {
  assert.deepEqual(unfolded(stored.frames, { t2: true }).map((one) => one.frame), ["", "t1", "t2"]);
  assert.deepEqual(unfolded(stored.frames, { "": true }).map((one) => one.frame), [""]);
  assert.deepEqual(unfolded(stored.frames, { t1: true }).length, stored.frames.length);
  const all = act(stored, ui(), "foldall", "").ui.folded;
  assert.deepEqual(unfolded(stored.frames, all).map((one) => one.frame), ["", "t1", "t2"]);
  assert.deepEqual(act(stored, ui({ folded: all }), "foldall", "").ui.folded, {});
});

test("keys go through what is shown, fold, unfold and go up", () => {
  const go = (op, chosen, folded = {}) => act(stored, ui({ chosen, folded }), op, "").ui || {};
  assert.equal(go("down", "").chosen, "t1");
  assert.equal(go("down", "t2", { t2: true }).chosen, "t2");
  assert.equal(go("up", "t1").chosen, "");
  assert.equal(go("last", "").chosen, "t2/c");
  assert.deepEqual(go("left", "t2").folded, { t2: true });
  assert.equal(go("left", "t2", { t2: true }).chosen, "");
  assert.equal(go("left", "t2/c").chosen, "t2");
  assert.deepEqual(go("right", "t2", { t2: true }).folded, { t2: false });
  assert.deepEqual(act(stored, ui({ chosen: "t1" }), "right", ""), {});
});

test("the frame that is read shows question, answer, tool filter and limits", () => {
  const snapshot = copy();
  Object.assign(snapshot.frames[3], { limits: { ...snapshot.frames[3].limits, tools: ["Read", "Grep"], max_tokens: 4000 } });
  const said = textOf(view(snapshot, ui({ chosen: "t2/c" })));
  for (const words of ["What is 2 × 90?", "180", "Read, Grep", "4,000", 'tree.inspect("t2/c")']) assert.ok(said.includes(words), words);
  snapshot.frames[3].limits.tools = [];
  assert.match(textOf(view(snapshot, ui({ chosen: "t2/c" }))), /no tools/);
  Object.assign(snapshot.frames[3], { answer: null, outcome: null });
  assert.match(textOf(view(snapshot, ui({ chosen: "t2/c" }))), /no answer yet/);
});

test("of many frames only those in sight are drawn, wherever it is scrolled to", () => {
  const snapshot = many(1000);
  for (const top of [0, 200, 600, 997]) {
    const shown = rows(view(snapshot, { ...freshUi(snapshot), rows: { frames: top } }));
    assert.ok(shown.length < 120 && shown.length > 20);
    const paths = shown.map((row) => row.attrs["data-arg"]);
    assert.ok(paths.includes(snapshot.frames[Math.min(top + 3, 999)].frame));
  }
  for (const op of ["last", "down"]) {
    const end = act(snapshot, freshUi(snapshot), op, "").ui;
    assert.ok(rows(view(snapshot, { ...freshUi(snapshot), ...end })).some((row) => row.attrs["data-arg"] === end.chosen));
  }
});

test("a name that has no room is whole in what the mouse is told", () => {
  const snapshot = copy();
  const long = "a_specialist_for_very_long_names_of_agents ".repeat(4).trim();
  snapshot.frames[3].agent = long;
  const [row] = rows(view(snapshot)).filter((one) => one.attrs["data-arg"] === "t2/c");
  assert.equal(findAll(row, (node) => node.attrs.title)[0].attrs.title, `${long} · t2/c`);
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ title: nasty, error: nasty });
  for (const one of snapshot.frames) Object.assign(one, { agent: nasty, id: nasty, question: nasty, answer: nasty, outcome: nasty, tools: { [nasty]: 1 }, limits: { ...one.limits, tools: [nasty] } });
  const page = html(view(snapshot, ui({ chosen: "t1" })));
  assert.ok(page.includes(escapeHtml(nasty)));
  assert.ok(!page.includes("<script") && !page.includes("<img"));
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(TREE_LABELS.en).sort(), Object.keys(TREE_LABELS.zh).sort());
  const said = textOf(view(copy({ language: "zh" })));
  assert.ok(said.includes("可用工具") && !said.includes("rt_"));
  for (const name of Object.keys(TREE_LABELS.en)) assert.ok(!(name in LABELS.en));
});
