// What the inspector shows beside plain steps: children and how they work side by side, shortened conversations, contexts, arriving text.
import { card, link, mark, muted, pairs, pre } from "./cards.js";
import { grouped, h } from "./parts.js";
import { agentOf, besideOf, callsOf, contentOf, conversation } from "./snapshot.js";

const MOST_LANE_ROWS = 14;
const TAIL = 4000;

const asked = (snapshot, tick, frame) => {
  const ids = (tick.ops.find(([where]) => where === frame) || [0, 0, 0, []])[3];
  return ids.map((id) => snapshot.messages[id]).filter((one) => one.role === "user").pop();
};

const laneMark = (child) => child && child.lane && h("span", { class: "hai-lane" }, child.lane);

/** A child begins: who it is, what it was asked, what it may, and where its steps are. */
export function handedCard(c, tick, child) {
  const { say, snapshot, derived, at } = c;
  const question = asked(snapshot, tick, child.frame);
  const limits = Object.entries(child.limits || {}).map(([name, most]) => [say(`b_${name}`), name === "max_cost" ? String(most) : grouped(most)]);
  const first = child.first !== null && (child.first <= at || !c.quiz) ? derived.roundAt[child.first] : -1;
  return card("frame", `handed ${tick.id} ${child.id}`,
    [mark("model"), laneMark(child), h("b", {}, say("spawned", { agent: child.agent })), h("span", { class: "hai-gap" }), first >= 0 && link("row", String(first), say("itsteps"), { "aria-label": `${say("itsteps")}: ${child.agent} ${child.lane}`.trim() })],
    question && pre(c, `asked ${tick.id} ${child.id}`, contentOf(question), "hai-pre hai-prose"),
    h("div", { class: "hai-may" }, pairs([...limits, [say("tools"), child.tools === undefined ? say("mayall") : child.tools.join(", ") || say("maynone")]])));
}

/** Whose steps these are, with what it was asked, above each of them. */
export function childWords(c, frame) {
  const { say, snapshot, derived } = c;
  const child = derived.children.get(frame);
  const question = child && asked(snapshot, snapshot.ticks[derived.path[child.began]], frame);
  return h("div", { key: "frame", class: "hai-inside" }, laneMark(child), h("b", {}, say("frame", { frame: agentOf(derived, frame) })),
    child && child.beside && muted(say("alsoat", { names: child.beside.filter((one) => one !== child).map((one) => `${one.lane} ${one.agent}`).join(", ") })),
    question && h("span", { class: "hai-asked" }, contentOf(question).slice(0, 300)));
}

/** Children that work at the same time, a column each, their steps in the order in which they came. */
export function lanes(c, frame, words) {
  const { say, derived, at, row, quiz } = c;
  const beside = besideOf(derived, frame);
  if (!beside) return null;
  const of = (round) => beside.findIndex((child) => round.frame === child.frame || round.frame.startsWith(`${child.frame}/`));
  const all = derived.rounds.map((round, i) => ({ round, i, lane: of(round) })).filter((one) => one.lane >= 0 && (!quiz || one.round.from <= at));
  const here = all.findIndex((one) => one.i === row);
  const from = Math.max(0, Math.min(here - MOST_LANE_ROWS / 2, all.length - MOST_LANE_ROWS));
  const shown = all.slice(from, from + MOST_LANE_ROWS);
  return h("div", { key: "lanes", class: "hai-lanes", role: "group", "aria-label": say("sidebyside"), style: `grid-template-columns:repeat(${beside.length},minmax(84px,1fr))` },
    beside.map((child, n) => h("div", { key: `head ${child.frame}`, class: "hai-lanehead", style: `grid-column:${n + 1}` }, laneMark(child), h("span", {}, child.agent))),
    shown.map(({ round, i, lane }, n) => h("button", { type: "button", key: `cell ${i}`, class: `hai-cell${i === row ? " hai-here" : ""}${round.from > at ? " hai-ahead" : ""}`, "data-op": "row", "data-arg": String(i), "aria-current": i === row ? "true" : null, style: `grid-column:${lane + 1};grid-row:${n + 2}` },
      h("span", { class: "hai-n" }, String(round.number ?? "·")), h("span", {}, words(round, say)))));
}

/** The title of the card that a child ends with. */
export function doneChild(c, tick, fine) {
  const { say, derived } = c;
  const child = derived.children.get(tick.frame);
  return [laneMark(child), h("b", {}, say(fine ? "childdone" : "childstop", { agent: agentOf(derived, tick.frame), reason: tick.stop.reason })), child && muted(say("childspent", { n: child.steps, m: grouped(child.tokens) }))];
}

/** A conversation made shorter: what went, and what stands in its place. */
export function compactCard(c, i, tick) {
  const { say, snapshot, derived } = c;
  const [, start, dropped, put] = tick.ops.find(([where]) => where === tick.frame);
  const had = conversation(snapshot, derived.path.slice(0, i), tick.frame).slice(start, start + dropped);
  const gone = had.filter((id) => !put.includes(id)).map((id) => snapshot.messages[id]);
  const came = put.filter((id) => !had.includes(id)).map((id) => snapshot.messages[id]);
  const sum = (ids) => grouped(ids.reduce((total, id) => total + snapshot.messages[id].tokens, 0));
  return card("sum", `compact ${tick.id}`,
    [mark("sum"), h("b", {}, say("compacted", { n: dropped, m: put.length })), muted(say("compactsaved", { n: sum(had), m: sum(put) }))],
    came.length > 0 && h("div", { class: "hai-part" }, say("cameinstead")), came.map((message) => saidBy(c, `came ${tick.id} ${message.id}`, message)),
    h("details", { class: "hai-thinking", key: "gone" }, h("summary", {}, say("wentout", { n: gone.length })), gone.map((message) => saidBy(c, `gone ${tick.id} ${message.id}`, message))));
}

function saidBy(c, key, message) {
  const calls = callsOf(message).map((call) => `${call.name}(${call.arguments})`);
  return h("div", { key, class: "hai-said" }, h("div", { class: "hai-who" }, h("b", {}, message.tool || message.role), muted(c.say("tokens", { n: grouped(message.tokens) }))), pre(c, key, [contentOf(message), ...calls].filter(Boolean).join("\n")));
}

/** A context was built for the question: from how much, and its text to unfold. */
export function contextCard(c, tick) {
  const { say } = c;
  const { packets, of, tokens, text } = tick.context;
  return card("sum", `context ${tick.id}`, [mark("sum"), h("b", {}, say("builtcontext")), muted(say("builtfrom", { n: packets, m: of, t: grouped(tokens) }))],
    h("details", { class: "hai-thinking", key: "text" }, h("summary", {}, say("contexttext")), pre(c, `context ${tick.id}`, text)));
}

const tail = (text) => (text.length > TAIL ? `… ${text.slice(-TAIL)}` : text);

/** A reply on its way, as far as it has come. */
export function streamCard(c, stream) {
  const { say, derived } = c;
  return card("model", "stream", [mark("model"), h("b", {}, say("reply")), muted(say("arriving")), stream.frame && muted(say("frame", { frame: agentOf(derived, stream.frame) }))],
    stream.parts.map((part, i) => part.part === "call"
      ? h("pre", { key: String(i), class: "hai-pre hai-calls" }, h("span", { class: "hai-fn" }, part.name || ""), " ", tail(part.text))
      : h("pre", { key: String(i), class: `hai-pre hai-prose${part.part === "reasoning" ? " hai-muted" : ""}` }, tail(part.text))));
}
