// Every number on screen is one that Python sent: a count, a score, a time, or part of a text. The tests in Python say that these are
// the library's. What the page works out of them (a share, a difference, the length of a list) is named here, one by one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as meter from "../../widgets/hello_agents_widgets/context_meter.js";
import * as pipeline from "../../widgets/hello_agents_widgets/context_pipeline.js";
import * as lab from "../../widgets/hello_agents_widgets/fault_lab.js";
import * as history from "../../widgets/hello_agents_widgets/history_compression.js";
import * as inspector from "../../widgets/hello_agents_widgets/loop_inspector.js";
import * as explorer from "../../widgets/hello_agents_widgets/memory_explorer.js";
import { findAll, textOf } from "../../widgets/hello_agents_widgets/parts.js";
import * as tree from "../../widgets/hello_agents_widgets/run_tree.js";
import * as schema from "../../widgets/hello_agents_widgets/tool_schema.js";
import { contentOf, conversation, derive } from "../../widgets/hello_agents_widgets/snapshot.js";
import * as timeline from "../../widgets/hello_agents_widgets/trace_timeline.js";

const read = (name) => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), "utf8"));
const NUMBER = /\d[\d,]*(?:\.\d+)?/g;
const plain = (text) => (text.match(NUMBER) || []).map((one) => Number(one.replaceAll(",", "")));

/** Every number in a snapshot: values, those in texts, lengths of texts, and those of lists with the places in them, counted from 1. */
function sent(value, found = new Set()) {
  if (typeof value === "number") [value, Math.abs(value), Number(value.toFixed(2)), Number(value.toFixed(4))].forEach((one) => found.add(one));
  else if (typeof value === "string") [value.length, ...plain(value)].forEach((one) => found.add(one));
  else if (Array.isArray(value)) {
    for (let n = 0; n <= value.length; n++) found.add(n);
    value.forEach((one) => sent(one, found));
  } else if (value) Object.entries(value).forEach(([name, one]) => { sent(name, found); sent(one, found); });
  return found;
}

/** The numbers of a view, text by text, so that two that stand side by side are not read as one; in what is written in fields too. */
function shown(node) {
  if (node.text !== undefined) return plain(node.text);
  const own = node.tag === "input" && node.attrs.type !== "range" ? plain(String(node.attrs.value ?? "")) : [];
  return [...own, ...plain(String(node.attrs.title || "")), ...plain(String(node.attrs["aria-label"] || "")), ...node.kids.flatMap(shown)];
}

function check(snapshot, view, states, derived = []) {
  const known = sent(snapshot);
  for (const number of derived) known.add(number);
  for (const ui of states) {
    const strange = shown(view(snapshot, ui)).filter((number) => !known.has(number));
    assert.deepEqual(strange, [], JSON.stringify(ui));
  }
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
const bytes = (text) => new TextEncoder().encode(text).length;

test("a number from nowhere is found", () => {
  const snapshot = read("context_meter");
  const wrong = (...args) => ({ tag: "p", attrs: {}, kids: [meter.view(...args), { text: "987,654 tokens" }] });
  assert.throws(() => check(snapshot, wrong, [meter.freshUi()], [0]), /987654/);
});

test("ContextMeter: and shares, and what is left until compression", () => {
  const snapshot = read("context_meter");
  const { items, total, threshold } = snapshot.head;
  const derived = [threshold - total, ...items.flatMap((one) => [Math.round((100 * one.tokens) / total), bytes(one.text)])];
  check(snapshot, meter.view, [meter.freshUi(), ...items.map((_, open) => ({ ...meter.freshUi(), open })), { ...meter.freshUi(), order: "order" }], derived);
});

test("HistoryCompression: and how many rounds share a fate", () => {
  const snapshot = read("history_compression");
  const fates = [...snapshot.head.round_fates];
  const derived = ["k", "f", "s"].map((fate) => fates.filter((one) => one === fate).length);
  check(snapshot, history.view, [null, ...snapshot.rounds.keys()].map((open) => ({ ...history.freshUi(), open })), derived);
});

test("ContextPipeline: and how much was cut of a text, and what is kept free", () => {
  const snapshot = read("context_pipeline");
  const { head, packets } = snapshot;
  const pieces = head.compressed.flatMap((one) => one.pieces.map(([text]) => text));
  const derived = [head.knobs.max_tokens - head.budget, ...pieces.map((text) => text.length - 80), ...head.compressed.map((one) => sum(one.pieces.map(([text]) => text.length)))];
  check(snapshot, pipeline.view, [{ ...pipeline.freshUi(), text: true }, ...packets.map((_, pick) => ({ ...pipeline.freshUi(), pick }))], derived);
});

test("MemoryExplorer: and ages", () => {
  const snapshot = read("memory_explorer");
  const ages = snapshot.head.holders.flatMap((holder) => holder.rows.map((place) => holder.now - (snapshot.items[place].touched || 0))).flatMap((age) => [60, 3600, 86400].map((unit) => Math.round(age / unit)));
  check(snapshot, explorer.view, [explorer.freshUi(), ...snapshot.items.map((_, pick) => ({ ...explorer.freshUi(), pick }))], ages);
});

test("RunTree: and the tokens of the frames below", () => {
  const snapshot = read("run_tree");
  const derived = snapshot.frames.map((one) => one.tokens - one.own).concat(sum(snapshot.frames.map((one) => one.own)));
  check(snapshot, tree.view, snapshot.frames.map((one) => ({ ...tree.freshUi(snapshot), chosen: one.frame })), derived);
});

test("RunTree: the own tokens of all frames are those of the whole", () => {
  const snapshot = read("run_tree");
  assert.equal(sum(snapshot.frames.map((one) => one.own)), snapshot.head.tokens);
});

test("ToolSchema: and sizes in bytes", () => {
  const snapshot = read("tool_schema");
  check(snapshot, schema.view, [null, ...snapshot.head.fields.keys()].map((pick) => ({ ...schema.freshUi(), pick, json: true })), [bytes(snapshot.head.wire)]);
});

test("TraceTimeline: and durations, places on the axis, and how many the filters leave", () => {
  const snapshot = read("trace_timeline");
  const { head, spans } = snapshot;
  const words = (seconds) => plain(timeline.clock(seconds));
  const times = spans.filter((one) => one.t).flatMap((one) => [...words(one.t[0]), ...words(one.t[1] - one.t[0])]);
  const filters = [{ only: true }, { kind: "tool" }].map((change) => ({ ...timeline.freshUi(), ...change }));
  const counted = filters.map((ui) => timeline.chosenOf(spans, ui).length);
  const ticks = [...timeline.ticksOf([0, head.seconds ?? head.length]).flatMap((tick) => [tick, ...words(tick)]), ...Array.from({ length: head.length + 2 }, (_, n) => n)];
  const states = [timeline.freshUi(), { ...timeline.freshUi(), axis: "order" }, ...filters, ...spans.map((_, pick) => ({ ...timeline.freshUi(), pick }))];
  check(snapshot, timeline.view, states, [...times, ...counted, ...ticks, ...(head.seconds === null ? [] : words(head.seconds))]);
});

test("FaultLab: nothing but what was sent", () => {
  const snapshot = read("fault_lab");
  check(snapshot, lab.view, [lab.freshUi()], [2, 3]);
});

for (const [name, snapshot] of [["plain steps", read("inspector").snapshot], ...Object.entries(read("inspector_frames"))])
  test(`LoopInspector, ${name}: and sums of its meter, lengths of its requests, what a child took`, () => {
    for (const branch of snapshot.head.branches) {
      const derived = derive(snapshot, branch.name);
      const sums = snapshot.ticks.map((tick) => sum(tick.meter));
      const grown = derived.rounds.flatMap((round) => [round.tokens, round.number || 0]);
      const children = [...derived.children.values()].flatMap((child) => [child.steps, child.tokens]);
      const requests = Array.from({ length: snapshot.messages.length + 1 }, (_, n) => n);
      const tokens = (ids) => sum(ids.map((id) => snapshot.messages[id].tokens));
      const compacted = derived.path.flatMap((id, i) => {
        const tick = snapshot.ticks[id];
        const [, start, gone, put] = tick.compact ? tick.ops.find(([where]) => where === tick.frame) : [];
        return put ? [gone, tokens(put), tokens(conversation(snapshot, derived.path.slice(0, i), tick.frame).slice(start, start + gone))] : [];
      });
      const lengths = snapshot.messages.map((one) => contentOf(one).length);
      const states = derived.path.map((_, cursor) => ({ ...inspector.freshUi(), branch: branch.name, cursor }));
      const known = [...sums, ...grown, ...children, ...requests, ...compacted, ...lengths];
      check(snapshot, inspector.view, states, known);
    }
  });

test("no view draws a number that is none", () => {
  for (const [name, widget] of [["context_meter", meter], ["history_compression", history], ["context_pipeline", pipeline], ["memory_explorer", explorer], ["run_tree", tree], ["tool_schema", schema], ["trace_timeline", timeline], ["fault_lab", lab]]) {
    const snapshot = read(name);
    const page = widget.view(snapshot, widget.freshUi(snapshot));
    assert.doesNotMatch(textOf(page), /NaN|undefined|Infinity|\[object/, name);
    for (const node of findAll(page, () => true)) assert.doesNotMatch(Object.values(node.attrs).join(" "), /NaN|undefined|Infinity|\[object/, name);
  }
});
