// TraceTimeline's pure view, on a snapshot that the library made (trace_timeline.json, kept true by test_trace_timeline.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { escapeHtml, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { act, chosenOf, clock, drawn, freshUi, placeOf, ticksOf, TRACE_LABELS, view, lasted } from "../../widgets/hello_agents_widgets/trace_timeline.js";

const stored = JSON.parse(readFileSync(new URL("./trace_timeline.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const ui = (change) => ({ ...freshUi(), ...change });
const marks = (tree) => findAll(tree, (node) => /hai-span\b/.test(node.attrs.class || ""));
const lines = (tree) => findAll(tree, (node) => /hai-traceline/.test(node.attrs.class || ""));
const badOnes = stored.spans.map((one, i) => (one.failed ? i : -1)).filter((i) => i >= 0);
const many = (count) => ({ head: { ...stored.head, seconds: count, length: count * 2 }, spans: Array.from({ length: count }, (_, i) => ({ ...stored.spans[3], kind: "tool", from: 2 * i, to: 2 * i + 1, t: [i, i + 0.5], lane: 0, row: 0, failed: i % 500 === 499, name: `call ${i}` })) });

test("each span is drawn once, where it lies in time", () => {
  const shown = marks(view(stored));
  assert.equal(shown.length, stored.spans.length);
  for (const mark of shown) {
    const one = stored.spans[Number(mark.attrs["data-arg"])];
    const [, left, width] = mark.attrs.style.match(/left:([\d.]+)%;width:([\d.]+)%/).map(Number);
    assert.ok(Math.abs(left - (100 * one.t[0]) / stored.head.seconds) < 0.01);
    assert.ok(Math.abs(width - (100 * (one.t[1] - one.t[0])) / stored.head.seconds) < 0.01);
  }
});

test("without times, and by choice, the axis is the order, and it says so", () => {
  const snapshot = copy({ seconds: null, why: "none" });
  snapshot.spans.forEach((one) => delete one.t);
  const tree = view(snapshot);
  assert.match(textOf(tree), /There are no times in it/);
  assert.equal(marks(tree).length, stored.spans.length);
  assert.match(textOf(view(copy({ seconds: null, why: "hidden" }))), /Times are left out/);
  assert.deepEqual(placeOf(stored.spans[2], { time: false }), [stored.spans[2].from, stored.spans[2].to]);
  assert.equal(marks(view(stored, ui({ axis: "order" }))).length, stored.spans.length);
});

test("an error is told by a sign and by words, not by its colour alone", () => {
  const tree = view(stored);
  const bad = marks(tree).filter((node) => /hai-s-failed/.test(node.attrs.class));
  assert.equal(bad.length, badOnes.length);
  for (const node of bad) assert.ok(textOf(node).includes("✕") && node.attrs.title.includes("error"));
  const line = lines(tree).find((node) => node.attrs["data-arg"] === String(badOnes[0]));
  assert.ok(textOf(line).includes("error") && findAll(line, (node) => /hai-err/.test(node.attrs.class || "")).length);
});

test("filters by kind, text and errors together", () => {
  assert.deepEqual(chosenOf(stored.spans, ui({ only: true })), badOnes);
  for (const kind of new Set(stored.spans.map((one) => one.kind))) assert.ok(chosenOf(stored.spans, ui({ kind })).every((i) => stored.spans[i].kind === kind));
  const found = chosenOf(stored.spans, ui({ text: "HOTEL", kind: "tool" }));
  assert.ok(found.length && found.every((i) => `${stored.spans[i].name}${stored.spans[i].text}${stored.spans[i].args}`.toLowerCase().includes("hotel")));
  const tree = view(stored, ui({ text: "no such words" }));
  assert.equal(marks(tree).length, 0);
  assert.match(textOf(tree), /Nothing of this kind/);
});

test("jumps to the first error, to the next, and around; a filter that hides it is let go", () => {
  const snapshot = many(1500);
  assert.equal(act(snapshot, ui(), "error", "", {}).ui.pick, 499);
  assert.equal(act(snapshot, ui({ pick: 499 }), "error", "", {}).ui.pick, 999);
  assert.equal(act(snapshot, ui({ pick: 1499 }), "error", "", {}).ui.pick, 499);
  const done = act(snapshot, ui({ text: "call 3", kind: "tool" }), "error", "", {}).ui;
  assert.deepEqual([done.pick, done.text, done.kind], [499, "", ""]);
  assert.deepEqual(act(many(20), ui(), "error", "", {}), {});
});

test("of many spans a bounded number is drawn, all counted, and an error in a block stays in sight", () => {
  const { spans, head } = many(5000);
  const axis = { time: true, end: head.seconds };
  const all = spans.map((_, i) => i);
  const blocks = drawn(spans, all, axis, [0, head.seconds]);
  assert.ok(blocks.length <= 400);
  assert.equal(blocks.reduce((sum, one) => sum + one.count, 0), 5000);
  assert.equal(blocks.filter((one) => one.failed).length, 10);
  for (const one of blocks.filter((block) => block.failed)) assert.ok(spans[one.i].failed);
  const near = drawn(spans, all, axis, [100, 140]);
  assert.ok(near.every((one) => one.count === 1 && one.to >= 100 && one.from <= 140));
  const tree = view(many(5000));
  assert.ok(marks(tree).length <= 400 && lines(tree).length < 120);
});

test("a block zooms in until its spans can be told apart", () => {
  const snapshot = many(5000);
  let state = ui();
  for (let i = 0; i < 12; i++) {
    const [first] = marks(view(snapshot, state)).filter((node) => node.attrs["data-op"] === "block");
    if (!first) break;
    state = { ...state, ...act(snapshot, state, "block", first.attrs["data-arg"], {}).ui };
  }
  assert.ok(marks(view(snapshot, state)).every((node) => node.attrs["data-op"] === "pick"));
});

test("zoom stays within the whole, fits again, and goes to a step", () => {
  let state = ui({ pick: 5 });
  for (const op of ["in", "in", "right", "right", "right", "right", "out", "left", "in"]) {
    state = { ...state, ...act(stored, state, op, "", {}).ui };
    if (state.win) assert.ok(state.win[0] >= 0 && state.win[1] <= stored.head.seconds + 1e-9 && state.win[0] < state.win[1]);
  }
  for (let i = 0; i < 6; i++) state = { ...state, ...act(stored, state, "out", "", {}).ui };
  assert.equal(state.win, null);
  for (const axis of ["time", "order"]) {
    const { win } = act(stored, ui({ pick: badOnes[0], axis }), "step", "", {}).ui;
    const [s, e] = placeOf(stored.spans[badOnes[0]], { time: axis === "time" });
    assert.ok(win[0] <= s && win[1] >= e && win[1] - win[0] < (axis === "time" ? stored.head.seconds : stored.head.length) / 2);
  }
});

test("what is picked lies in the window, in its line and in full", () => {
  const state = ui({ win: [0, 0.3] });
  const done = act(stored, state, "pick", String(badOnes[0]), {}).ui;
  const [s] = placeOf(stored.spans[badOnes[0]], { time: true });
  assert.ok(done.win[0] <= s && done.win[1] >= s);
  const said = textOf(view(stored, { ...state, ...done }));
  for (const words of ["EXECUTION_ERROR", "has a sign this tool does not read", "inside t2/c", "took 250 ms"]) assert.ok(said.includes(words), words);
  assert.equal(act(stored, ui({ pick: 3 }), "down", "", {}).ui.pick, 4);
  assert.equal(act(stored, ui({ pick: 3, only: true }), "down", "", {}).ui.pick, badOnes[0]);
  assert.equal(act(stored, ui(), "last", "", {}).ui.pick, stored.spans.length - 1);
});

test("times are short and the marks of the axis are round", () => {
  assert.deepEqual([0, 0.0000042, 0.25, 3.14159, 59.5, 61, 3725].map(clock), ["0 ms", "4 µs", "250 ms", "3.14 s", "59.5 s", "1 min 01 s", "1 h 02 min"]);
  for (const [a, b] of [[0, 1], [0, 7.75], [3.2, 3.9], [0, 5000], [1e-7, 3e-7], [5, 5]]) {
    const ticks = ticksOf([a, b]);
    assert.ok(ticks.length <= 20 && ticks.every((tick) => tick >= a - 1e-9 && tick <= b + 1e-6));
    if (b > a) assert.ok(ticks.length >= 2);
  }
});

test("a trace with nothing in it says so", () => {
  assert.match(textOf(view({ head: { ...stored.head, count: 0, lanes: [], seconds: null, errors: 0 } })), /nothing in this trace yet/);
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ title: nasty, error: nasty });
  for (const lane of snapshot.head.lanes) Object.assign(lane, { agent: nasty, frame: nasty });
  for (const one of snapshot.spans) Object.assign(one, { name: nasty, text: nasty, args: nasty, code: nasty, frame: nasty });
  const page = html(view(snapshot, ui({ pick: badOnes[0] })));
  assert.ok(page.includes(escapeHtml(nasty)));
  assert.ok(!page.includes("<script") && !page.includes("<img"));
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(TRACE_LABELS.en).sort(), Object.keys(TRACE_LABELS.zh).sort());
  const said = textOf(view(copy({ language: "zh" }), ui({ pick: badOnes[0] })));
  assert.ok(said.includes("仅错误") && !said.includes("tt_"));
  for (const name of Object.keys(TRACE_LABELS.en)) assert.ok(!(name in LABELS.en));
});

test("what took no time that can be told is not said to have taken none", () => {
  assert.deepEqual([lasted([1, 1]), lasted([1, 1.25]), lasted([0, 0.000004])], ["< 1 ms", "250 ms", "4 µs"]);
});
