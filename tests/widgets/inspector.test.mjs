// The inspector's pure view, on a snapshot that the library made (inspector.json, kept true by test_loop_inspector.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { aligned, linesOf, pairOf } from "../../widgets/hello_agents_widgets/courses.js";
import { act, blocksOf, editOf, freshUi, opOfKey, shortened, view } from "../../widgets/hello_agents_widgets/loop_inspector.js";
import { conversation, derive, requestAt, requestText, roundsOf, stand } from "../../widgets/hello_agents_widgets/snapshot.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { byteLength, escapeHtml, fill, findAll, h, html, prettyJson, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const { snapshot: stored, expected } = JSON.parse(readFileSync(new URL("./inspector.json", import.meta.url), "utf8"));
const copy = (change = {}) => {
  const snapshot = structuredClone(stored);
  Object.assign(snapshot.head, change);
  return snapshot;
};
const main = (snapshot = stored) => derive(snapshot, "main");
const byClass = (tree, name) => findAll(tree, (node) => (node.attrs.class || "").split(" ").includes(name));
const byOp = (tree, op) => findAll(tree, (node) => node.attrs["data-op"] === op);
const onMain = (cursor, more = {}) => ({ ...freshUi(), branch: "main", cursor, ...more });

test("the bodies are byte for byte what the library sends", () => {
  const { path } = main();
  const texts = path.map((_, at) => requestAt(stored, path, at)).filter(Boolean).map((request) => requestText(stored, request));
  assert.deepEqual(texts, expected);
  const coming = path.map((_, at) => requestAt(stored, path, at, true)).filter(Boolean).map((request) => requestText(stored, request));
  assert.deepEqual(coming, expected);
});

test("laid out, a body is the same JSON, and numbers and strings stay as they were", () => {
  for (const source of [...expected, '{"a":1.0,"b":[],"c":{},"d":[1e5,-0.50,true,null],"e":"x,{\\"[\\\\"}']) {
    const laid = prettyJson(source).map(([, piece]) => piece).join("");
    assert.deepEqual(JSON.parse(laid), JSON.parse(source));
    for (const number of source.match(/(?<=[:[,])-?[\d.]+(e\d+)?/g) || []) assert.ok(laid.includes(number));
  }
});

test("what a model or a tool says is never markup", () => {
  const snapshot = copy();
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  snapshot.head.title = nasty;
  snapshot.head.error = nasty;
  snapshot.messages.forEach((message) => {
    message.text = nasty;
    message.tool = nasty;
    message.code = nasty;
    message.reasoning = nasty;
    (message.calls || []).forEach((call) => (call.name = nasty));
  });
  const { path } = main(snapshot);
  for (let at = -1; at < path.length; at++)
    for (const json of [null, "request", "next"]) {
      const page = html(view(snapshot, onMain(at, { json })));
      assert.ok(!/<script|<img|onerror='y'>(?!&)/.test(page.replaceAll(escapeHtml(nasty), "")));
      assert.ok(!page.includes("<script"));
      assert.ok(!page.includes("<img"));
    }
  assert.equal(html(h("b", { title: nasty }, nasty)), `<b title="${escapeHtml(nasty)}">${escapeHtml(nasty)}</b>`);
});

test("the rail has a row for the question and for every request, and marks where the reader is", () => {
  const { path, rounds } = main();
  for (let at = 0; at < path.length; at++) {
    const tree = view(stored, onMain(at));
    assert.equal(byOp(tree, "row").length, rounds.length);
    const current = findAll(tree, (node) => node.attrs["aria-current"] === "step");
    assert.equal(current.length, 1);
    assert.equal(byOp(tree, "row").filter((row) => row.attrs.tabindex === "0").length, 1);
  }
  assert.deepEqual(rounds.map((round) => round.number), [null, 1, 2, 3, 4]);
  assert.match(textOf(byOp(view(stored, onMain(4)), "row")[2]), /Read, Calculator.*error/);
});

test("a fork is marked where it leaves, and leads to its branch", () => {
  const tree = view(stored, onMain(4));
  const [fork] = byClass(tree, "hai-fork");
  assert.equal(fork.attrs["data-arg"], "branch-1");
  assert.match(textOf(fork), /result edited/);
  const done = act(stored, onMain(4), "switch", "branch-1");
  assert.deepEqual(done.send, { op: "switch", args: { name: "branch-1" } });
  assert.equal(done.ui.branch, "branch-1");
});

test("recorded steps are walked in the page, and only what is new is asked of Python", () => {
  const last = main().path.length - 1;
  for (let at = 0; at < last; at++) {
    const done = act(stored, onMain(at), "step");
    assert.equal(done.ui.cursor, at + 1);
    assert.equal(done.wait, undefined);
  }
  assert.deepEqual(act(stored, onMain(last), "step").send, { op: "step", args: {} });
  assert.equal(act(stored, onMain(last), "step").wait, true);
  assert.equal(act(stored, onMain(0), "back").ui.cursor, -1);
  assert.deepEqual(act(stored, onMain(-1), "back"), {});
  assert.equal(act(stored, onMain(3), "home").ui.cursor, main().rounds[0].to);
  assert.equal(act(stored, onMain(3), "end").ui.cursor, last);
  assert.equal(act(copy({ live: false }), onMain(0), "run").ui.cursor, last);
});

test("up and down go by rows, and stop at the ends", () => {
  const { rounds } = main();
  for (let i = 0; i < rounds.length; i++) {
    const ui = onMain(rounds[i].to);
    assert.equal(stand(stored, ui, main()).row, i);
    const down = act(stored, ui, "down");
    if (i + 1 < rounds.length) assert.equal(down.ui.cursor, rounds[i + 1].to);
    else assert.deepEqual(down, {});
    const up = act(stored, ui, "up");
    if (i > 0) assert.equal(up.ui.cursor, rounds[i - 1].to);
    else assert.deepEqual(up, {});
  }
});

test("keys in a text field or with a modifier are left alone", () => {
  for (const key of ["ArrowRight", "r", "f", "j", "Home"]) {
    assert.ok(opOfKey({ key }));
    for (const held of ["ctrlKey", "metaKey", "altKey", "field"]) assert.equal(opOfKey({ key, [held]: true }), null);
  }
  for (const key of ["a", "Enter", " ", "Tab", "Escape"]) assert.equal(opOfKey({ key }), null);
});

test("an edit is told in the tick's and the message's numbers, and wrong JSON is said", () => {
  const say = (name, values) => fill(LABELS.en[name], values);
  assert.deepEqual(editOf("result 4 7", { text: "x", status: "error" }, say), { op: "edit", args: { what: "result", tick: 4, message: 7, text: "x", status: "error" } });
  assert.deepEqual(editOf("reply 3 5", { "call c 1": '{"a": 1}' }, say).args.calls, { "c 1": { a: 1 } });
  assert.deepEqual(editOf("approve c 1", { "call c 1": "{}" }, say), { op: "approve", args: { call: "c 1", arguments: {} } });
  for (const wrong of ["", "{", "[1]", "3", "null", "{'a': 1}"]) assert.throws(() => editOf("reply 3 5", { "call c": wrong }, say), /not a JSON object/);
});

test("a call that waits for a person has Allow, Edit and Refuse, and stepping on is not on offer", () => {
  const snapshot = copy();
  const { path } = main(snapshot);
  const at = path.findIndex((id) => snapshot.ticks[id].state.waiting.length === 2);
  const waiting = snapshot.ticks[path[at]].state.waiting;
  snapshot.ticks[path[at]].next = { kind: "wait", why: "", names: ["Read", "Calculator"], calls: waiting };
  const tree = view(snapshot, onMain(at));
  for (const op of ["approve", "refuse"]) assert.deepEqual(byOp(tree, op).map((node) => node.attrs["data-arg"]), waiting);
  assert.equal(byOp(tree, "step")[0].attrs.disabled, true);
  assert.deepEqual(act(snapshot, onMain(at), "approve", waiting[0]).send, { op: "approve", args: { call: waiting[0] } });
});

test("without Python there is nothing to edit or to fork, and everything to look at", () => {
  const tree = view(copy({ live: false, editable: false }), onMain(4));
  assert.equal(byOp(tree, "edit").length, 0);
  assert.equal(byOp(tree, "fork")[0].attrs.disabled, true);
  assert.equal(byOp(tree, "step")[0].attrs.disabled, false);
  assert.ok(byOp(tree, "json").length > 0);
});

test("a long text is shown in part, and whole when asked", () => {
  const snapshot = copy();
  const { path } = main(snapshot);
  const long = "x".repeat(1_000_000);
  const id = snapshot.ticks[path[4]].ops[0][3][0];
  snapshot.messages[id].text = long;
  assert.ok(html(view(snapshot, onMain(4))).length < 60_000);
  const [more] = byOp(view(snapshot, onMain(4)), "all");
  assert.match(textOf(more), /1,000,000/);
  const { all } = act(snapshot, onMain(4), "all", more.attrs["data-arg"]).ui;
  assert.ok(html(view(snapshot, onMain(4, { all }))).includes(long));
  for (const text of ["", "a", "a\n".repeat(11), "a\n".repeat(200), long]) assert.ok(text.startsWith(shortened(text)));
});

function thousand() {
  const snapshot = { head: { ...stored.head, branch: "main", branches: [{ name: "main", parent: null, label: "", tip: 1999 }] }, ticks: [], messages: [], tools: stored.tools, envelopes: stored.envelopes };
  for (let n = 0; n < 1000; n++) {
    const call = { id: `c${n}`, type: "function", function: { name: "Read", arguments: "{}" } };
    snapshot.messages.push({ id: 2 * n, role: "assistant", wire: JSON.stringify({ role: "assistant", content: null, tool_calls: [call] }), tokens: 5, calls: [{ id: `c${n}`, name: "Read" }] });
    snapshot.messages.push({ id: 2 * n + 1, role: "tool", wire: JSON.stringify({ role: "tool", content: "ok" }), tokens: 5, tool: "Read", status: "success" });
    const state = { step: n, max: null, waiting: [], reason: null, tokens: 1 };
    const common = { frame: "", toolset: 0, state, meter: [0, 0, 0, 0, 0, 0], next: null };
    snapshot.ticks.push({ ...common, id: 2 * n, up: 2 * n - 1, kind: "ask", ops: [["", 2 * n, 0, [2 * n]]], request: { parts: n ? [[0, 2 * n]] : [], choice: "auto", envelope: 0 } });
    snapshot.ticks.push({ ...common, id: 2 * n + 1, up: 2 * n, kind: "call", ops: [["", 2 * n + 1, 0, [2 * n + 1]]] });
  }
  return snapshot;
}

test("a thousand steps are looked at quickly enough to count on one hand", () => {
  const snapshot = thousand();
  const tree = view(snapshot, onMain(1999));
  assert.ok(byOp(tree, "row").length <= 110);
  assert.equal(findAll(tree, (node) => node.attrs["aria-current"] === "step").length, 1);
  assert.ok(byClass(tree, "hai-chip").length <= 24);
  assert.equal(conversation(snapshot, derive(snapshot, "main").path).length, 2000);
});

test("rows that stay the same are the same objects, so that the page has nothing to do for them", () => {
  const derived = main();
  const memo = () => derived;
  const rows = (at) => byOp(view(stored, onMain(at), memo), "row");
  const [before, after] = [rows(4), rows(6)];
  assert.equal(before[0], after[0]);
  assert.notEqual(before[2], after[2]);
});

test("both languages say everything", () => {
  assert.deepEqual(Object.keys(LABELS.zh).sort(), Object.keys(LABELS.en).sort());
  for (const key of Object.keys(LABELS.en)) {
    const places = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    assert.deepEqual(places(LABELS.zh[key]), places(LABELS.en[key]), key);
  }
  assert.match(textOf(view(copy({ language: "zh" }), onMain(4))), /上下文窗口/);
  assert.equal(byteLength("中文"), 6);
});

test("controls have names, and regions have labels", () => {
  const { path } = main();
  for (let at = -1; at < path.length; at++) {
    const tree = view(stored, onMain(at, { menu: "run", json: "request" }));
    for (const node of findAll(tree, (one) => ["button", "input", "select", "textarea"].includes(one.tag)))
      assert.ok(textOf(node).trim() || node.attrs["aria-label"] || node.tag !== "button", html(node));
    assert.equal(tree.attrs.role, "region");
    assert.ok(findAll(tree, (one) => one.attrs["aria-live"] === "polite").length === 1);
  }
});

// ---- beside the steps -------------------------------------------------------------------------------------------

const say = (name, values) => fill(LABELS.en[name] || name, values);

test("two branches are aligned by round, and the first difference is the one Python tells", () => {
  const [left, right] = ["main", "branch-1"].map((name) => derive(stored, name).rounds);
  const seen = aligned(stored, left, right, null);
  assert.equal(seen.rows.length, Math.max(left.length, right.length));
  assert.ok(seen.rows.slice(0, seen.first).every((row) => row.same));
  const tick = (rounds) => rounds[seen.first].ids[rounds[seen.first].ids.length - 1];
  const told = aligned(stored, left, right, { equal: false, first: [tick(left), tick(right)] });
  assert.equal(told.first, seen.first);
  assert.equal(aligned(stored, left, left, null).first, -1);
  assert.equal(aligned(stored, left, left, { equal: true, first: [null, null] }).first, -1);
  const ended = aligned(stored, left.slice(0, 2), left, { equal: false, first: [null, left[2].ids[0]] });
  assert.equal(ended.first, 2);
});

test("a branch is compared with the one it came from, unless the reader chooses", () => {
  assert.deepEqual(pairOf(stored.head, { pair: null }, "branch-1"), ["main", "branch-1"]);
  assert.deepEqual(pairOf(stored.head, { pair: null }, "main"), ["main", "branch-1"]);
  assert.deepEqual(pairOf(stored.head, { pair: ["branch-1", "main"] }, "main"), ["branch-1", "main"]);
  assert.deepEqual(pairOf(stored.head, { pair: ["gone", "main"] }, "main"), ["main", "branch-1"]);
  const done = act(stored, onMain(4), "compare");
  assert.deepEqual(done.send, { op: "compare", args: { a: "main", b: "branch-1" } });
  const tree = view(stored, onMain(4, done.ui));
  assert.equal(byClass(tree, "hai-r-first").length, 1);
  assert.equal(byClass(tree, "hai-main").length, 0);
  const [open] = byOp(tree, "goto").slice(-1);
  assert.deepEqual(act(stored, onMain(4), "goto", open.attrs["data-arg"]).send.map((one) => one.op), ["switch", "jump"]);
  assert.equal(act(stored, onMain(4, { panel: "compare" }), "cancel").ui.panel, null);
  assert.ok(derive(stored, "main").rounds.every((round) => linesOf(stored, round, say).length > 0));
});

test("with predictions on, nothing tells what comes next", () => {
  const { path, rounds } = main();
  for (let at = -1; at < path.length - 1; at++) {
    const tree = view(stored, onMain(at, { predict: true }));
    assert.equal(byClass(tree, "hai-quiz").length, 1);
    assert.equal(byClass(tree, "hai-c-next").length, 1);
    for (const row of byOp(tree, "row").filter((_, i) => rounds[i].from > at)) assert.match(textOf(row), /^\d*…$/);
    assert.equal(byOp(tree, "step")[0].attrs.disabled, false);
  }
  assert.equal(byClass(view(stored, onMain(path.length - 1, { predict: true })), "hai-quiz").length, 0);
  assert.deepEqual(act(stored, onMain(1), "guess", { kind: "ask", tool: "Read" }).send, { op: "predict", args: { kind: "ask", tool: "Read" } });
});

test("of a thousand steps those around the reader are drawn, or around where they have scrolled to", () => {
  const snapshot = thousand();
  const shown = (cursor, rows = {}) => byOp(view(snapshot, onMain(cursor, { rows })), "row").map((row) => Number(row.attrs["data-arg"]));
  for (const at of [-1, 1, 9, 1001, 1997, 1999]) assert.ok(shown(at).includes(Math.max(0, Math.floor(at / 2))));
  const away = shown(7, { steps: 700 });
  assert.ok(away.includes(700) && away.includes(722) && !away.includes(3));
  assert.deepEqual(act(snapshot, onMain(7, { rows: { steps: 700 } }), "down", "").ui.rows, {});
});

test("rounds of a sub-agent are named and set in, and what follows them is not theirs", () => {
  const tick = (id, kind, frame, more = {}) => ({ id, up: id - 1, kind, frame, ops: [], toolset: 0, state: { step: 0, max: null, waiting: [], reason: null, requests: 0, tokens: 0 }, meter: [0, 0, 0, 0, 0, 0], next: null, ...more });
  const request = { parts: [], choice: "auto", envelope: 0 };
  const ticks = [tick(0, "told", ""), tick(1, "ask", "", { request }), tick(2, "spawn", "", { spawned: [{ id: "d", agent: "worker" }] }), tick(3, "ask", "d", { request }), tick(4, "stop", "d"), tick(5, "call", ""), tick(6, "ask", "", { request })];
  const snapshot = { ...copy({ branches: [{ name: "main", parent: null, label: "", tip: 6 }] }), ticks };
  const { rounds, frames } = derive(snapshot, "main");
  assert.deepEqual(rounds.map((round) => [round.kind, round.frame]), [["told", ""], ["ask", ""], ["ask", "d"], ["rest", ""], ["ask", ""]]);
  assert.equal(frames.get("d"), "worker");
  const tree = view(snapshot, onMain(6));
  assert.match(textOf(byClass(tree, "hai-frame")[0]), /worker/);
  assert.match(byOp(tree, "row")[2].attrs.style, /padding-left/);
  assert.equal(roundsOf(snapshot, [0, 1]).length, 2);
});

test("a very long text is laid out in blocks of whole lines that make it up", () => {
  for (const text of ["", "a", "line\n".repeat(100000), "x".repeat(1000000), `${"x".repeat(50000)}\ny`]) {
    const blocks = blocksOf(text);
    assert.equal(blocks.join(""), text);
    assert.ok(blocks.slice(0, -1).every((block) => block.endsWith("\n")));
  }
});

test("several runs are shown as they ended, and equal ones are said to be equal", () => {
  const groups = [{ reason: "finished", answer: "A", error: null, branches: ["main", "branch-1"], steps: [1, 2, 3], tokens: [5, 5, 5] }];
  const spread = { id: 1, branch: "main", at: 0, n: 2, equal: false, groups };
  const shown = (change) => textOf(view(copy({ spread: { ...spread, ...change } }), onMain(4, { panel: "spread" })));
  assert.match(shown({}), /2 of 2.*1 \/ 2 \/ 3/);
  assert.match(shown({ equal: true }), /equal, entry for entry/);
  assert.match(shown({ n: 1, equal: true }), /One run/);
});

test("one is said as one, and what goes past the limit is said to close the run", () => {
  const snapshot = copy();
  const { path } = main(snapshot);
  const set = snapshot.tools[snapshot.ticks[path.at(-1)].toolset];
  set.names = set.names.slice(0, 1);
  snapshot.ticks[path.at(-1)].state = { ...snapshot.ticks[path.at(-1)].state, step: 9, max: 8 };
  const said = path.map((_, at) => textOf(view(snapshot, onMain(at)))).join("\n");
  assert.match(said, /what the model saw: \d+ messages, 1 tool(?!s)/);
  assert.doesNotMatch(said, /\b1 (tools|messages)\b/);
  assert.match(said, /8 of 8, and one to close/);
});

test("an answer that an agent gave itself is no question", () => {
  const snapshot = copy();
  const { path } = main(snapshot);
  const told = snapshot.ticks[path[0]].ops.flatMap((op) => op[3]);
  for (const id of told) snapshot.messages[id].role = "assistant";
  assert.match(textOf(view(snapshot, onMain(0))), /tokensanswer\d/);
  const asked = roundsOf(snapshot, path).filter((round) => round.kind === "ask");
  for (const id of asked.at(-1).ids.flatMap((tick) => snapshot.ticks[tick].ops).flatMap((op) => op[3])) Object.assign(snapshot.messages[id], { role: "assistant", calls: [] });
  assert.match(textOf(view(snapshot, onMain(0))), new RegExp(`${asked.length}answer`));
});
