// ContextMeter's pure view, on a snapshot that the library made (context_meter.json).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { act, biggestOf, freshUi, METER_LABELS, view } from "../../widgets/hello_agents_widgets/context_meter.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { escapeHtml, findAll, grouped, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const stored = JSON.parse(readFileSync(new URL("./context_meter.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const rows = (ui = freshUi(), snapshot = stored) => findAll(view(snapshot, ui), (node) => (node.attrs.class || "").startsWith("hai-roundrow"));

test("every number on screen is the library's", () => {
  const said = textOf(view(stored));
  for (const one of stored.head.items) assert.ok(said.includes(grouped(one.tokens)));
  assert.ok(said.includes(`${grouped(stored.head.total)} of ${grouped(stored.head.window)} tokens used`));
  assert.ok(said.includes(`${grouped(stored.head.threshold - stored.head.total)} tokens until compression starts at ${grouped(stored.head.threshold)}`));
});

test("items go by size or by order, of one kind or of all", () => {
  const sizes = rows().map((row) => stored.head.items[Number(row.attrs["data-arg"])].tokens);
  assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
  assert.deepEqual(rows({ ...freshUi(), order: "order" }).map((row) => Number(row.attrs["data-arg"])), stored.head.items.map((_, i) => i));
  const tools = rows({ ...freshUi(), kind: "tools" }).map((row) => stored.head.items[Number(row.attrs["data-arg"])].kind);
  assert.ok(tools.length && tools.every((kind) => kind === "tools"));
});

test("past the threshold it says by how much, and without one it says nothing of it", () => {
  assert.match(textOf(view(copy({ total: 1300 }))), /of 1,200 is passed by 100 tokens/);
  assert.doesNotMatch(textOf(view(copy({ threshold: null, window: null }))), /compression|threshold/);
  assert.match(textOf(view(copy({ items: [], total: 0, sums: [0, 0, 0, 0, 0, 0] }))), /nothing in the window/);
});

test("of five thousand items those in sight are drawn, and every one can be gone to", () => {
  const snapshot = copy({ items: Array.from({ length: 5000 }, (_, i) => ({ kind: "user", name: "", tokens: i, text: "x" })) });
  const places = (ui) => rows(ui, snapshot).map((row) => Number(row.attrs["data-arg"]));
  assert.ok(places(freshUi()).length < 130 && places(freshUi()).includes(4999));
  const end = act(snapshot, freshUi(), "last", "", {}).ui;
  assert.equal(end.open, 0);
  assert.ok(places({ ...freshUi(), ...end }).includes(0));
});

test("the biggest is read until another is chosen, and again after Escape", () => {
  const { items } = stored.head;
  const biggest = biggestOf(items);
  assert.ok(items.every((one) => one.tokens <= items[biggest].tokens));
  assert.equal(biggestOf([]), -1);
  const read = (ui) => textOf(findAll(view(stored, ui), (node) => (node.attrs.class || "").startsWith("hai-card"))[0]);
  assert.ok(read(freshUi()).includes(grouped(items[biggest].tokens)));
  const other = items.findIndex((one) => one.kind === "tools");
  assert.ok(read({ ...freshUi(), open: other }).includes(items[other].name));
  assert.equal(act(stored, { ...freshUi(), open: other }, "close", "", {}).ui.open, null);
});

test("a schema is laid out, with its exact bytes to copy", () => {
  const at = stored.head.items.findIndex((one) => one.kind === "tools");
  const { text } = stored.head.items[at];
  const tree = view(stored, { ...freshUi(), open: at });
  assert.ok(textOf(tree).includes(`${grouped(new TextEncoder().encode(text).length)} bytes`));
  const [copying] = findAll(tree, (node) => node.attrs["data-op"] === "copy");
  assert.equal(act(stored, freshUi(), "copy", copying.attrs["data-arg"], {}).copy, text);
});

test("keys go through the items as they are listed, and one of them is in the way of Tab", () => {
  const order = rows().map((row) => Number(row.attrs["data-arg"]));
  const go = (op, open) => act(stored, { ...freshUi(), open }, op, "", {}).ui.open;
  assert.deepEqual([go("down", null), go("down", order[1]), go("up", order[0]), go("first", order[3]), go("last", null)], [order[1], order[2], order[0], order[0], order.at(-1)]);
  const stops = (ui) => rows(ui).filter((row) => row.attrs.tabindex === "0").length;
  for (const ui of [freshUi(), { ...freshUi(), open: order[2] }, { ...freshUi(), kind: "tools" }]) assert.equal(stops(ui), 1);
});

test("operations", () => {
  assert.equal(act(stored, freshUi(), "open", "2", {}).ui.open, 2);
  assert.deepEqual(act(stored, freshUi(), "refresh", "", {}).send, { op: "refresh", args: {} });
  assert.equal(act(stored, freshUi(), "kind", "", { kind: "tools" }).ui.kind, "tools");
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ error: nasty });
  snapshot.head.items.forEach((one) => Object.assign(one, { text: nasty, name: nasty }));
  const page = html(view(snapshot, { ...freshUi(), open: 0 }));
  assert.ok(page.includes(escapeHtml(nasty)));
  assert.ok(!page.includes("<script") && !page.includes("<img"));
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(METER_LABELS.en).sort(), Object.keys(METER_LABELS.zh).sort());
  assert.ok(textOf(view(copy({ language: "zh" }))).includes("上下文窗口"));
  for (const name of Object.keys(METER_LABELS.en)) assert.ok(!(name in LABELS.en));
});
