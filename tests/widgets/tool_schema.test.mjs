// ToolSchema's pure view, on a snapshot that the library made (tool_schema.json, kept true by test_tool_schema.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { escapeHtml, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { act, freshUi, SCHEMA_LABELS, view } from "../../widgets/hello_agents_widgets/tool_schema.js";

const stored = JSON.parse(readFileSync(new URL("./tool_schema.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const byOp = (tree, op) => findAll(tree, (node) => node.attrs["data-op"] === op);

test("every parameter stands on both sides, under one number", () => {
  const tree = view(stored);
  for (let i = 0; i < stored.head.fields.length; i++) {
    const places = byOp(tree, "pick").filter((node) => node.attrs["data-arg"] === String(i));
    assert.ok(places.length >= 2, stored.head.fields[i].name);
    for (const place of places) assert.ok(textOf(place).startsWith(String(i + 1)));
  }
});

test("picking marks every place of a parameter and says where its schema comes from", () => {
  const tree = view(stored, { ...freshUi(), pick: 1 });
  assert.deepEqual(new Set(byOp(tree, "pick").filter((node) => node.attrs["aria-pressed"] === "true").map((node) => node.attrs["data-arg"])), new Set(["1"]));
  assert.match(textOf(tree), /nights · optional: the default is 2/);
  assert.deepEqual(act(stored, { ...freshUi(), pick: 1 }, "pick", "1", {}).ui.pick, null);
});

test("the bytes are those of Python", () => {
  const tree = view(stored, { ...freshUi(), json: true, raw: true });
  const [pre] = findAll(tree, (node) => node.tag === "pre" && node.attrs["aria-label"]);
  assert.equal(textOf(pre), stored.head.wire);
  assert.equal(act(stored, freshUi(), "copy", "json", {}).copy, stored.head.wire);
});

test("the schema is shown whole, and says the same as its bytes", () => {
  const [, half] = findAll(view(stored), (node) => (node.attrs.class || "") === "hai-half");
  const lines = findAll(half, (node) => /hai-codeline/.test(node.attrs.class || "")).map((node) => textOf({ ...node, kids: node.kids.filter((kid) => (kid.attrs || {}).class !== "hai-badge") }));
  assert.deepEqual(JSON.parse(lines.join("\n")), JSON.parse(stored.head.wire));
  const open = copy({ more: [["additionalProperties", "true"]] });
  assert.match(textOf(view(open)), /"additionalProperties": true/);
});

const many = () => ({ ...copy(), listings: [["a"], Array.from({ length: 5000 }, (_, i) => `page_${i}`)] });

test("a few tools are selected from; thousands are found, and drawn where they are looked at", () => {
  assert.equal(byOp(view(stored), "find").length, 0);
  const snapshot = many();
  assert.ok(findAll(view(snapshot), () => true).length < 400);
  const open = act(snapshot, freshUi(), "find", "", {}).ui;
  const names = (ui) => byOp(view(snapshot, { ...freshUi(), ...open, ...ui }), "take").map(textOf);
  assert.ok(names({}).length < 130 && names({})[0] === "page_0");
  assert.ok(names({ rows: { tools: 4000 } }).includes("page_4005"));
  const typed = act(snapshot, { ...freshUi(), ...open }, "finding", "", { finding: "E_499" }).ui;
  assert.deepEqual(names(typed), ["page_499", ...Array.from({ length: 10 }, (_, i) => `page_499${i}`)]);
  assert.match(textOf(view(snapshot, { ...freshUi(), finding: "nowhere" })), /No tool has this/);
});

test("names are gone through by keys, from what was typed and back to it", () => {
  const snapshot = many();
  const ui = { ...freshUi(), finding: "page_49" };
  const goal = (op, arg) => act(snapshot, ui, op, arg, {}).focus;
  assert.equal(goal("down", ""), '.hai-toolrow[data-arg="page_49"]');
  assert.equal(goal("down", "page_49"), '.hai-toolrow[data-arg="page_490"]');
  assert.equal(goal("up", "page_490"), '.hai-toolrow[data-arg="page_49"]');
  assert.equal(goal("up", "page_49"), "[data-field=finding]");
  assert.deepEqual(act(snapshot, freshUi(), "down", "", {}), {});
  const taken = act(snapshot, ui, "take", "page_490", {});
  assert.deepEqual([taken.send.args, taken.ui.finding], [{ name: "page_490" }, null]);
  assert.equal(act(snapshot, ui, "close", "", {}).ui.finding, null);
});

test("a call shows its stages, each reached only after the one before", () => {
  const said = (trial) => textOf(view(copy({ trial: { ...stored.head.trial, ...trial } })));
  assert.match(said({}), /read as JSON: yes.*fits the schema: yes.*function called: yes/);
  assert.match(said({ read: false, fits: false, status: "error" }), /read as JSON: no.*fits the schema: not reached.*function called: not reached/);
  assert.match(said({ fits: false, status: "error" }), /fits the schema: no.*function called: not reached/);
});

test("what is being written stays when something else is done", () => {
  for (const op of ["pick", "json", "close"]) assert.equal(act(stored, freshUi(), op, "0", { arguments: '{"a"' }).ui.text, '{"a"');
  assert.deepEqual(act(stored, freshUi(), "call", "", { arguments: "{}" }).send, { op: "call", args: { arguments: "{}" } });
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ title: nasty, description: nasty, python: nasty, error: nasty, written: nasty, more: [[nasty, JSON.stringify(nasty)]] });
  snapshot.listings = [[nasty, "b"]];
  snapshot.head.fields.forEach((field) => Object.assign(field, { name: nasty, python: nasty, doc: nasty, json: JSON.stringify(nasty) }));
  Object.assign(snapshot.head.trial, { text: nasty, code: nasty });
  snapshot.head.trial.values.forEach((one) => Object.assign(one, { name: nasty, sent: nasty, received: nasty, type: nasty }));
  const page = html(view(snapshot, { ...freshUi(), pick: 0, json: true }));
  assert.ok(page.includes(escapeHtml(nasty)));
  assert.ok(!page.includes("<script") && !page.includes("<img"));
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(SCHEMA_LABELS.en).sort(), Object.keys(SCHEMA_LABELS.zh).sort());
  assert.ok(textOf(view(copy({ language: "zh" }))).includes("像模型那样调用"));
  for (const name of Object.keys(SCHEMA_LABELS.en)) assert.ok(!(name in LABELS.en));
});
