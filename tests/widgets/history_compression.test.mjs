// HistoryCompression's pure view, on a snapshot that the library made (history_compression.json).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { act, freshUi, HISTORY_LABELS, leftOf, piecesOf, view } from "../../widgets/hello_agents_widgets/history_compression.js";
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
  const kept = stored.rounds.map((_, i) => i).filter((i) => stored.head.round_fates[i] === "k").map((i) => `round ${i}`);
  assert.ok(kept.length);
  const moves = findAll(view(stored), (node) => node.attrs["data-move"]).map((node) => node.attrs["data-move"]);
  for (const name of kept) assert.ok(moves.includes(name));
  assert.ok(moves.includes("summary"));
});

test("a round is read as it was, with the fate of each message", () => {
  const tree = view(stored, { ...freshUi(), open: 0 });
  const round = stored.rounds[0];
  for (let i = round.from; i < round.to; i++) assert.ok(textOf(tree).includes(stored.messages[i].text.split("\n")[0]));
  assert.match(textOf(tree), /look_up\(city="city 0"\)/);
  assert.match(textOf(tree), /tool ← look_up/);
  assert.match(textOf(tree), /This goes into the summary/);
  assert.equal(act(stored, { ...freshUi(), open: 0 }, "open", "0", {}).ui.open, null);
  assert.equal(act(stored, { ...freshUi(), open: 0 }, "open", "", {}).ui.open, null);
});

test("the knobs go to Python, and show at once", () => {
  const done = act(stored, freshUi(), "set", "", { threshold: "300", keep: "2" });
  assert.deepEqual(done.send, { op: "set", args: { threshold: 300, keep: 2 } });
  assert.match(textOf(view(stored, { ...freshUi(), ...done.ui })), /threshold300 tokens.*last rounds that stay2 rounds/);
});

test("below the threshold nothing is said to have been compressed", () => {
  const { head } = stored;
  const tree = view(copy({ due: false, after: head.before, summary: null, left: {}, round_fates: "k".repeat(stored.rounds.length), fates: "k".repeat(stored.messages.length) }));
  assert.match(textOf(tree), /below the threshold/);
  assert.equal(findAll(tree, (node) => node.attrs["data-move"] === "summary").length, 0);
  assert.doesNotMatch(textOf(findAll(tree, (node) => node.attrs.class === "hai-keys")[0]), /summary|shorter/);
});

test("every number on screen is the library's", () => {
  const { head } = stored;
  const tree = view(stored);
  const known = new Set([head.before, head.after, head.threshold, head.keep, head.summary.tokens, stored.rounds.length, head.round_fates.split("f").length - 1, head.round_fates.split("s").length - 1, head.rest, ...Object.values(head.left), ...stored.rounds.map((one) => one.tokens), ...stored.rounds.map((_, i) => i + 1)]);
  const shown = findAll(tree, (node) => !(node.attrs.class || "").match(/hai-flow|hai-hidden|hai-q/) && node.kids.some((kid) => kid.text !== undefined)).flatMap((node) => node.kids.filter((kid) => kid.text !== undefined).flatMap((kid) => kid.text.match(/\d[\d,]*/g) || []));
  const apart = new Set(findAll(tree, (node) => /hai-flow|hai-q\b/.test(node.attrs.class || "")).flatMap((node) => textOf(node).match(/\d[\d,]*/g) || []));
  for (const number of shown) assert.ok(known.has(Number(number.replaceAll(",", ""))) || apart.has(number), number);
  for (const number of [head.before, head.after, head.threshold, head.summary.tokens]) assert.ok(textOf(tree).includes(grouped(number)));
});

const many = (count) => {
  const snapshot = copy({ round_fates: "f".repeat(count - 100) + "k".repeat(100), fates: "f".repeat(count - 100) + "k".repeat(100), left: {}, before: 5 * count, after: 500 + stored.head.summary.tokens, rest: 0 });
  snapshot.rounds = Array.from({ length: count }, (_, i) => ({ from: i, to: i + 1, tokens: 5 }));
  snapshot.messages = Array.from({ length: count }, (_, i) => ({ role: "user", name: "", text: `q${i}`, calls: [], tokens: 5 }));
  return snapshot;
};

test("five thousand rounds are listed where they are looked at, and drawn in pieces that can be seen", () => {
  const snapshot = many(5000);
  const shown = (ui) => findAll(view(snapshot, ui), (node) => (node.attrs.class || "").startsWith("hai-roundrow")).map((node) => Number(node.attrs["data-arg"]));
  assert.ok(shown(freshUi()).length < 130 && shown(freshUi()).includes(0));
  assert.ok(shown({ ...freshUi(), rows: { rounds: 4000 } }).includes(4010));
  const done = act(snapshot, freshUi(), "open", "4321", {});
  assert.ok(shown({ ...freshUi(), ...done.ui }).includes(4321));
  for (const tree of [view(snapshot), view(snapshot, { ...freshUi(), ...done.ui })]) assert.ok(pieces(tree).length < 400 && pieces(tree).length > 100);
});

test("pieces hold neighbours of one fate, and every token once", () => {
  for (const snapshot of [stored, many(5000), many(300)]) {
    const { head, rounds } = snapshot;
    const c = { head, rounds, scale: head.before, fate: (i) => ({ k: "kept", f: "folded", s: "shortened" })[head.round_fates[i]] };
    for (const after of [false, true]) {
      const made = piecesOf(c, after);
      const tokens = rounds.reduce((sum, round, i) => sum + (after ? leftOf(c, i) : round.tokens), 0);
      assert.equal(made.reduce((sum, one) => sum + one.tokens, 0), tokens);
      for (const one of made) for (let i = one.first; i <= one.last; i++) assert.equal(c.fate(i), one.fate);
    }
  }
});

test("keys go from round to round, and back to the summary", () => {
  const at = (op, open) => act(stored, { ...freshUi(), open }, op, "", {}).ui.open;
  const last = stored.rounds.length - 1;
  assert.deepEqual([at("down", null), at("down", 0), at("down", last), at("up", 0), at("up", null), at("first", 3), at("last", 0), at("close", 3)], [0, 1, last, 0, last, 0, last, null]);
  const stops = (open) => findAll(view(stored, { ...freshUi(), open }), (node) => (node.attrs.class || "").startsWith("hai-roundrow") && node.attrs.tabindex === "0").map((node) => node.attrs["data-arg"]);
  assert.deepEqual([stops(null), stops(4)], [["0"], ["4"]]);
});

test("nothing is markup, whatever it says", () => {
  const nasty = `"><script>x</script><img src=x onerror='y'>&`;
  const snapshot = copy({ error: nasty, summary: { text: nasty, tokens: 1, behind: 0 } });
  snapshot.messages.forEach((one) => Object.assign(one, { text: nasty, role: nasty, name: nasty, calls: [{ name: nasty, arguments: nasty }] }));
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
