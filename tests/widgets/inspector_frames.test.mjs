// The inspector beside plain steps, on snapshots that the library made (inspector_frames.json, kept true by test_inspector_frames.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { act, arrived, freshUi, view } from "../../widgets/hello_agents_widgets/loop_inspector.js";
import { besideOf, conversation, derive, listed, placeOf, stand } from "../../widgets/hello_agents_widgets/snapshot.js";
import { escapeHtml, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";

const stored = JSON.parse(readFileSync(new URL("./inspector_frames.json", import.meta.url), "utf8"));
const byClass = (tree, name) => findAll(tree, (node) => (node.attrs.class || "").split(" ").includes(name));
const byOp = (tree, op) => findAll(tree, (node) => node.attrs["data-op"] === op);
const onMain = (cursor, more = {}) => ({ ...freshUi(), branch: "main", cursor, ...more });
const places = (snapshot, wanted) => derive(snapshot, "main").path.map((id, at) => [snapshot.ticks[id], at]).filter(([tick]) => wanted(tick)).map(([, at]) => at);
const cases = Object.entries(stored);

test("each tick is in one round of its own frame, and the reader is in it", () => {
  for (const [, snapshot] of cases) {
    const derived = derive(snapshot, "main");
    assert.deepEqual(derived.rounds.flatMap((round) => round.ats).sort((a, b) => a - b), derived.path.map((_, at) => at));
    derived.path.forEach((id, at) => {
      const { row } = stand(snapshot, onMain(at), derived);
      assert.ok(derived.rounds[row].ats.includes(at));
      assert.equal(derived.rounds[row].frame, snapshot.ticks[id].frame);
    });
  }
});

test("the list has every round once, those of a child together and below the round that began it", () => {
  for (const [, snapshot] of cases) {
    const { rounds, order, children } = derive(snapshot, "main");
    assert.deepEqual(order.filter((item) => !item.frame).map((item) => item.round).sort((a, b) => a - b), rounds.map((_, i) => i));
    assert.deepEqual(order.filter((item) => item.frame).map((item) => item.frame).sort(), [...children.keys()].sort());
    let inside = "";
    for (const item of order) {
      if (item.frame) inside = item.frame;
      else if (rounds[item.round].frame) assert.equal(rounds[item.round].frame, inside);
      else inside = "";
    }
  }
});

test("a row names each child, and folds its steps away", () => {
  for (const name of ["one after the other", "at the same time"]) {
    const snapshot = stored[name];
    const derived = derive(snapshot, "main");
    const open = view(snapshot, onMain(3));
    assert.equal(byOp(open, "fold").length, 2);
    assert.ok(byOp(open, "fold").every((row) => row.attrs["aria-expanded"] === "true"));
    const { folded } = act(snapshot, onMain(3), "fold", "t1").ui;
    const inside = derived.rounds.filter((round) => round.frame === "t1").length;
    const shut = view(snapshot, onMain(3, { folded }));
    assert.equal(byOp(open, "row").filter((row) => (row.attrs.class || "").includes("hai-row")).length - byOp(shut, "row").filter((row) => (row.attrs.class || "").includes("hai-row")).length, inside);
    assert.match(textOf(byOp(shut, "fold")[0]), /3 steps/);
    assert.deepEqual(act(snapshot, onMain(3, { folded }), "fold", "t1").ui.folded, { t1: false });
    for (const at of places(snapshot, (tick) => tick.frame === "t1")) {
      const current = findAll(view(snapshot, onMain(at, { folded })), (node) => node.attrs["aria-current"] === "step");
      assert.deepEqual(current.map((node) => node.attrs["data-arg"]), ["t1"]);
    }
  }
});

test("the foot counts steps and tokens of all frames, wherever the reader stands", () => {
  const snapshot = stored["one after the other"];
  const { path } = derive(snapshot, "main");
  const foot = textOf(byClass(view(snapshot, onMain(path.length - 1)), "hai-foot")[0]);
  const { requests, tokens } = snapshot.ticks[path.at(-1)].state;
  assert.ok(foot.startsWith(`${tokens.toLocaleString("en")} tokens spent in ${requests} steps`), foot);
  const asked = path.filter((id) => snapshot.ticks[id].kind === "ask").length;
  assert.equal(requests, asked);
});

test("up and down go through the list as it is shown, and pass over names", () => {
  for (const [, snapshot] of cases)
    for (const folded of [{}, { t1: true }, { t1: true, t2: true }]) {
      const derived = derive(snapshot, "main");
      const items = listed(derived, folded);
      const shown = items.filter((item) => !item.frame).map((item) => item.round);
      let at = derived.rounds[shown[0]].to;
      const seen = [shown[0]];
      for (;;) {
        const done = act(snapshot, onMain(at, { folded }), "down");
        if (!done.ui) break;
        at = done.ui.cursor;
        seen.push(derived.roundAt[at]);
      }
      assert.deepEqual(seen, shown);
      for (let i = 0; i < derived.rounds.length; i++) assert.ok(placeOf(derived, items, i) >= 0);
    }
});

test("children that worked at the same time have a letter and a column each, others have none", () => {
  const apart = stored["one after the other"];
  assert.equal(besideOf(derive(apart, "main"), "t1"), null);
  const snapshot = stored["at the same time"];
  const derived = derive(snapshot, "main");
  assert.deepEqual([...derived.children.values()].map((child) => child.lane), ["A", "B"]);
  for (const at of places(snapshot, (tick) => ["t1", "t2"].includes(tick.frame))) {
    const tree = view(snapshot, onMain(at));
    assert.equal(byClass(tree, "hai-lanehead").length, 2);
    const cells = byClass(tree, "hai-cell");
    assert.deepEqual(cells.map((cell) => Number(cell.attrs["data-arg"])), derived.rounds.map((_, i) => i).filter((i) => derived.rounds[i].frame));
    assert.equal(cells.filter((cell) => cell.attrs["aria-current"] === "true").length, 1);
    assert.match(textOf(tree), /at the same time as [AB] react/);
  }
  assert.equal(byClass(view(snapshot, onMain(0)), "hai-lanes").length, 0);
});

test("a child is handed over with its question, its limits and its tools, and ends with its answer and what it took", () => {
  const snapshot = stored["one after the other"];
  const [first, second] = places(snapshot, (tick) => tick.spawned).map((at) => byClass(view(snapshot, onMain(at)), "hai-c-frame").pop());
  assert.match(textOf(first), /Handed to react.*Find the prices.*steps4.*all tools/s);
  assert.match(textOf(second), /when the hotel is open.*Thought, Finish, Read/s);
  const [end] = places(snapshot, (tick) => tick.frame === "t1" && tick.stop);
  assert.match(textOf(byClass(view(snapshot, onMain(end)), "hai-c-done")[0]), /react has ended.*3 steps, [\d,]+ tokens.*820/s);
  const back = places(snapshot, (tick) => tick.frame === "" && tick.kind === "call")[0];
  assert.match(textOf(view(snapshot, onMain(back))), /by react: 3 steps/);
  const state = byClass(view(snapshot, onMain(end)), "hai-side")[0];
  assert.match(textOf(state), /agentreact.*3 of 4/s);
});

test("with predictions on, nothing of a child tells what comes next", () => {
  const snapshot = stored["at the same time"];
  const tree = view(snapshot, onMain(places(snapshot, (tick) => tick.kind === "ask")[0], { predict: true }));
  assert.ok(byOp(tree, "fold").every((row) => /…/.test(textOf(row))));
  assert.equal(byClass(tree, "hai-cell").length, 0);
});

test("a shortened conversation shows what went, what came, and the tokens of both", () => {
  const snapshot = stored.compacted;
  const { path } = derive(snapshot, "main");
  for (const at of places(snapshot, (tick) => tick.compact)) {
    const [, start, dropped, put] = snapshot.ticks[path[at]].ops[0];
    const had = conversation(snapshot, path.slice(0, at)).slice(start, start + dropped);
    const [card] = byClass(view(snapshot, onMain(at)), "hai-c-sum");
    const sum = (ids) => ids.reduce((total, id) => total + snapshot.messages[id].tokens, 0);
    assert.ok(textOf(card).includes(`${sum(had)} → ${sum(put)} tokens`));
    assert.equal(byClass(card, "hai-said").length, had.filter((id) => !put.includes(id)).length + put.filter((id) => !had.includes(id)).length);
    const [folded] = findAll(card, (node) => node.tag === "details");
    assert.equal(byClass(folded, "hai-said").length, had.filter((id) => !put.includes(id)).length);
    assert.equal(folded.attrs.open, undefined);
  }
});

test("a context is a card with numbers and its text folded, and no JSON", () => {
  const snapshot = stored.informed;
  const [at] = places(snapshot, (tick) => tick.context);
  const { context } = snapshot.ticks[derive(snapshot, "main").path[at]];
  const [card] = byClass(view(snapshot, onMain(at)), "hai-c-sum");
  assert.ok(textOf(card).includes(`${context.packets} packets of ${context.of}, ${context.tokens} tokens`));
  const [folded] = findAll(card, (node) => node.tag === "details");
  assert.ok(textOf(folded).includes(context.text.slice(0, 20)));
  assert.ok(!textOf(card).includes("gathered"));
});

test("a call held back by a rule says the rule, and budgets stand in the state", () => {
  const snapshot = stored.ruled;
  const tree = view(snapshot, onMain(snapshot.head.cursor));
  assert.match(textOf(byClass(tree, "hai-rule")[0]), /rule: Money is never/);
  const side = textOf(byClass(tree, "hai-side")[0]);
  for (const [name, , most] of snapshot.ticks[snapshot.head.branches[0].tip].state.budgets)
    assert.ok(side.includes(name === "max_cost" ? `of ${most}` : `of ${String(most).replace(/\B(?=(\d{3})+$)/g, ",")}`), name);
});

test("text that arrives is joined piece by piece, and another reply begins anew", () => {
  let stream = null;
  const say = (reply, frame, ...pieces) => (stream = arrived(stream, { reply, frame, stream: pieces }));
  say(1, "", { part: "reasoning", text: "hm" }, { part: "content", text: "I " });
  say(1, "", { part: "content", text: "read" }, { part: "call", call: 0, name: "Read", text: "{" });
  say(1, "", { part: "call", call: 0, text: "}" }, { part: "call", call: 1, name: "Read", text: "{" });
  assert.deepEqual(stream.parts.map((part) => part.text), ["hm", "I read", "{}", "{"]);
  const snapshot = stored["one after the other"];
  assert.match(textOf(view(snapshot, onMain(1, { busy: true, stream }))), /arriving.*I read.*Read \{\}/s);
  assert.doesNotMatch(textOf(view(snapshot, onMain(1, { busy: false, stream }))), /arriving/);
  say(2, "t1", { part: "content", text: "new" });
  assert.deepEqual(stream.parts, [{ part: "content", text: "new" }]);
  assert.match(textOf(view(snapshot, onMain(3, { busy: true, stream }))), /inside react/);
});

test("whatever is shown is escaped, in both languages", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  for (const [, original] of cases)
    for (const language of ["en", "zh"]) {
      const snapshot = structuredClone(original);
      snapshot.head.language = language;
      for (const message of snapshot.messages) Object.assign(message, { text: nasty, tool: nasty });
      for (const tick of snapshot.ticks) {
        if (tick.context) tick.context.text = nasty;
        for (const one of tick.spawned || []) Object.assign(one, { agent: nasty, tools: [nasty] });
        if (tick.next && tick.next.reasons) for (const id of Object.keys(tick.next.reasons)) tick.next.reasons[id] = nasty;
      }
      const stream = { frame: "t1", reply: 1, parts: [{ part: "content", text: nasty }, { part: "call", name: nasty, text: nasty }] };
      const { path } = derive(snapshot, "main");
      for (let at = 0; at < path.length; at++)
        for (const more of [{}, { busy: true, stream }]) {
          const page = html(view(snapshot, onMain(at, more)));
          assert.ok(!page.includes("<script") && !page.includes("<img"));
          assert.ok(!page.replaceAll(escapeHtml(nasty), "").includes("onerror='y'>"));
        }
    }
});
