// FaultLab's pure view, on a snapshot that the library made (fault_lab.json, kept true by test_fault_lab.py).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { escapeHtml, findAll, html, textOf } from "../../widgets/hello_agents_widgets/parts.js";
import { LABELS } from "../../widgets/hello_agents_widgets/labels.js";
import { act, FAULT_LABELS, freshUi, roundsNow, view } from "../../widgets/hello_agents_widgets/fault_lab.js";

const stored = JSON.parse(readFileSync(new URL("./fault_lab.json", import.meta.url), "utf8"));
const copy = (change = {}) => { const snapshot = structuredClone(stored); Object.assign(snapshot.head, change); return snapshot; };
const byField = (tree, name) => findAll(tree, (node) => node.attrs["data-field"] === name)[0];
const articles = (tree) => findAll(tree, (node) => node.tag === "article");

test("every tool has a switch for each fault it can have, set to the one it has", () => {
  for (const tool of stored.head.tools) {
    const options = findAll(byField(view(stored), `kind ${tool.name}`), (node) => node.tag === "option");
    assert.deepEqual(options.map((node) => node.attrs.value), ["", ...tool.can]);
    assert.deepEqual(options.filter((node) => node.attrs.selected).map((node) => node.attrs.value), [tool.fault]);
  }
});

test("a count of times that is not among the usual ones can still be seen", () => {
  for (const times of [null, 1, 3, 7]) {
    const snapshot = copy();
    snapshot.head.tools[0].times = times;
    const chosen = findAll(byField(view(snapshot), "times weather"), (node) => node.tag === "option" && node.attrs.selected);
    assert.deepEqual(chosen.map((node) => node.attrs.value), [String(times || "")]);
  }
});

test("each step says fault, what the model reads and the breaker's way", () => {
  const tree = view(stored);
  const rounds = roundsNow(stored);
  const cards = articles(tree);
  assert.equal(cards.length, rounds.length + 1);
  rounds.forEach((round, i) => round.calls.forEach((call) => assert.ok(textOf(cards[i]).includes(call.text))));
  const said = cards.map(textOf);
  assert.match(said[0], /weather\(place="Oslo"\) fails/);
  assert.match(said[2], /closed → open/);
  assert.match(said[3], /spared: the tool was not called/);
  assert.match(said[4], /half-open → openfailures in a row: 4|half-open → open/);
  assert.match(said.at(-1), /finished/);
});

test("only the rounds of the present run are shown", () => {
  const snapshot = copy({ run: stored.head.run + 1, ended: null });
  assert.equal(articles(view(snapshot)).length, 0);
  assert.match(textOf(view(snapshot)), /Switch something on and run/);
});

test("a long run shows its last steps, and all when asked", () => {
  const snapshot = copy();
  snapshot.rounds = Array.from({ length: 500 }, (_, i) => ({ ...stored.rounds[0], n: i + 1 }));
  assert.equal(articles(view(snapshot)).length, 41);
  assert.equal(articles(view(snapshot, { ...freshUi(), all: { steps: true } })).length, 501);
});

test("the limits that are off are empty fields, and what is sent is what stands there", () => {
  const tree = view(copy({ knobs: { ...stored.head.knobs, max_steps: null } }));
  assert.equal(byField(tree, "max_steps").attrs.value, "");
  assert.equal(byField(tree, "threshold").attrs.value, String(stored.head.knobs.threshold));
  const fields = { question: "Q", threshold: "2", rest: "1", max_steps: "", max_repeats: "3", max_failures: "", tool: "weather" };
  const { tool: _, ...knobs } = fields;
  assert.deepEqual(act(stored, freshUi(), "run", "", fields).send, { op: "run", args: knobs });
  assert.deepEqual(act(stored, freshUi(), "preset", "down", fields).send, { op: "preset", args: { ...knobs, name: "down", tool: "weather" } });
  assert.deepEqual(act(stored, freshUi(), "fault", "weather", { "kind weather": "slow", "times weather": "" }).send, { op: "fault", args: { tool: "weather", kind: "slow", times: null } });
});

test("without a breaker, a limit or tools it says so", () => {
  assert.match(textOf(view(copy({ knobs: { ...stored.head.knobs, threshold: null } }))), /no breaker/);
  assert.match(textOf(view(copy({ tools: [] }))), /no tools in a registry/);
  assert.match(textOf(view(copy({ most: null }))), /steps used: 7/);
});

test("every ending has words, and an agent's own word is shown", () => {
  for (const reason of ["finished", "max_steps", "repeated_call", "degraded", "token_budget", "max_total_steps", "max_seconds", "max_cost", "error", "waiting", "its own"]) {
    const said = textOf(view(copy({ ended: { reason, answer: "x" } })));
    assert.ok(said.includes(reason));
    assert.ok(!said.includes("fl_"));
  }
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ title: nasty, question: nasty, error: nasty, ended: { reason: nasty, answer: nasty } });
  snapshot.head.tools.push({ ...snapshot.head.tools[0], name: nasty });
  for (const round of snapshot.rounds) {
    Object.assign(round, { said: nasty, frame: nasty, told: [nasty] });
    for (const call of round.calls) Object.assign(call, { name: nasty, text: nasty, code: nasty, arguments: JSON.stringify({ [nasty]: nasty }) });
  }
  const page = html(view(snapshot));
  assert.ok(page.includes(escapeHtml(nasty)));
  assert.ok(!page.includes("<script") && !page.includes("<img"));
});

test("both languages have every label", () => {
  assert.deepEqual(Object.keys(FAULT_LABELS.en).sort(), Object.keys(FAULT_LABELS.zh).sort());
  const said = textOf(view(copy({ language: "zh" })));
  assert.ok(said.includes("熔断器") && !said.includes("fl_"));
  for (const name of Object.keys(FAULT_LABELS.en)) assert.ok(!(name in LABELS.en));
});
