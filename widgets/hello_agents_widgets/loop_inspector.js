// LoopInspector: `view(snapshot, ui)` is a pure function to a tree of plain objects; `render` puts it into the page.
import { comparePanel, pairOf, quizCard, spreadPanel, verdictCard } from "./courses.js";
import { LABELS } from "./labels.js";
import { blocksOf, breakable, button, callText, card, filled, heading, jsonBlock, legend, link, mark, muted, notices, pairs, pre, pretty, sayer, shortened, stack } from "./cards.js";
import { copyText, imageOf, saveBlob, saveText } from "./frame.js";
import { caughtUp, followScrolling, longList, reveal } from "./lists.js";
import { grouped, h, html, mount, patch } from "./parts.js";
import { childWords, contextCard, compactCard, doneChild, handedCard, lanes, streamCard } from "./frames.js";
import { agentOf, assemble, callsOf, contentOf, derive, listed, placeOf, requestAt, requestMessages, requestText, stand, within } from "./snapshot.js";

const METER = ["system", "tools", "user", "assistant", "results", "summary"];
const ROW = 28;

export const freshUi = () => ({
  cursor: null, branch: null, json: null, raw: false, open: null, all: {}, edit: null, menu: null, notice: null, busy: false, copied: false, fault: null, said: "",
  rows: {}, panel: null, pair: null, predict: false, took: null, folded: {}, stream: null,
});

// ---- the view ---------------------------------------------------------------------------------------------------

export function view(snapshot, ui = freshUi(), memo = null) {
  const head = snapshot.head;
  const say = sayer(head.language, LABELS);
  const branch = ui.branch || head.branch;
  const derived = memo ? memo(snapshot, branch) : derive(snapshot, branch);
  const { at, row } = stand(snapshot, ui, derived);
  const tick = at >= 0 ? snapshot.ticks[derived.path[at]] : null;
  const context = { snapshot, head, ui, say, derived, at, row, tick, branch };
  context.upcoming = nextOf(context);
  context.quiz = ui.predict && head.live && !ended(context) && !seenWaiting(context);
  return h("div", { class: "hai", role: "region", "aria-label": `${say("region")}: ${head.title}`, lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    bar(context),
    notices(context),
    ui.panel === "compare" && head.branches.length > 1 ? comparePanel(context, roundWords, branchLabel)
      : ui.panel === "spread" && head.spread ? spreadPanel(context)
      : h("div", { key: "main", class: "hai-main", inert: Boolean(ui.menu) }, rail(context), flow(context), side(context)),
    foot(context),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

const ACTIONS = { spawn: "spawned", compact: "compacted", note: "noted" };

/** What happens after the tick at the cursor: said by Python, or seen from the tick recorded after it. */
function nextOf({ snapshot, head, derived, at, tick, ui, branch }) {
  const following = derived.path[at + 1];
  if (tick && tick.next) return tick.next;
  if (following === undefined || ui.cursor === null) return at === head.cursor && branch === head.branch ? head.next : null;
  const then = snapshot.ticks[following];
  const calls = then.kind === "call" ? then.ops.flatMap((op) => op[3]).map((id) => snapshot.messages[id]) : [];
  const names = then.spawned ? then.spawned.map((one) => one.agent) : calls.map((one) => one.tool || "");
  return { kind: ACTIONS[then.kind] || then.kind, names, calls: calls.map((one) => one.answers), why: "", frame: then.frame };
}

const ended = ({ at, derived, head, upcoming, tick }) =>
  at === derived.path.length - 1 && (!head.live || (upcoming === null && at >= 0) || Boolean(tick && tick.state.reason && !upcoming));

/** A call that waits cannot be stepped over: once it was predicted, it is shown. */
const seenWaiting = ({ head, tick, upcoming }) =>
  Boolean(upcoming && upcoming.kind === "wait" && head.predicted && head.predicted.kind === "wait" && head.predicted.tick === (tick ? tick.id : -1));

function bar(c) {
  const { head, say, ui, at } = c;
  const waits = c.upcoming && c.upcoming.kind === "wait" && !c.quiz;
  const off = ended(c) || waits || ui.busy;
  return h("header", { class: "hai-bar" },
    h("div", { class: "hai-title", role: "heading", "aria-level": "3", title: head.title }, head.title),
    head.kind && h("span", { class: "hai-pill" }, head.kind),
    head.model && h("span", { class: "hai-pill" }, head.model),
    h("div", { class: "hai-buttons", role: "toolbar", "aria-label": say("steps") },
      button("step", say("step"), "→", { class: "hai-primary", disabled: off }),
      button("back", say("back"), "←", { disabled: at < 0 || ui.busy }),
      button("run", say("run"), "R", { disabled: off }),
      h("span", { class: "hai-pop" },
        button("menu", say("runto"), null, { "data-arg": "run", disabled: off || !head.live, "aria-expanded": ui.menu === "run" ? "true" : "false", "aria-haspopup": "dialog" }),
        ui.menu === "run" && menu(c))),
    h("span", { class: "hai-gap" }),
    ui.busy && h("span", { class: "hai-busy" }, say("busy")),
    button("fork", say("fork"), "F", { disabled: !head.live || at < 0 || ui.busy }),
    button("compare", say("compare"), null, { disabled: head.branches.length < 2, "aria-expanded": ui.panel === "compare" ? "true" : "false" }),
    h("span", { class: "hai-pop" },
      button("menu", "⋯", null, { "data-arg": "more", "aria-label": say("more_"), "aria-expanded": ui.menu === "more" ? "true" : "false", "aria-haspopup": "dialog" }),
      ui.menu === "more" && more(c)));
}

/** The menu of what is not about moving: predicting, and taking the run away. */
function more({ say, ui, head }) {
  const take = (kind) => h("div", { class: "hai-menurow", key: kind }, h("span", {}, say(`take_${kind}`)),
    h("span", { class: "hai-two" }, ["download", "copy"].map((how) => link("export", `${kind} ${how}`, ui.took === `${kind} ${how}` ? say(how === "copy" ? "copied" : "saved") : say(how), { "aria-label": `${say(how)}: ${say(`take_${kind}`)}`, disabled: !head.live && kind === "pytest" }))));
  return h("div", { class: "hai-menu hai-more-menu", role: "dialog", "aria-label": say("more_") },
    h("button", { type: "button", "data-op": "predict", "aria-pressed": ui.predict ? "true" : "false", disabled: !head.live, class: "hai-toggle" }, say("predict"), h("kbd", { "aria-hidden": "true" }, "P")),
    head.score.asked > 0 && h("p", { class: "hai-muted" }, say("score", { n: head.score.right, m: head.score.asked })),
    h("div", { class: "hai-h" }, say("take")),
    h("p", {}, say("take_value")),
    ["json", "journal", "pytest"].map(take),
    h("div", { class: "hai-menurow" }, h("span", {}, say("take_image")), link("image", "", say("download"), { "aria-label": `${say("download")}: ${say("take_image")}` })),
    head.spread && h("div", { class: "hai-menurow" }, h("span", {}, say("spread")), button("spread", say("open"))),
    h("p", { class: "hai-muted hai-keyhelp" }, say("keys")));
}

function menu({ say, snapshot, tick }) {
  const set = tick && tick.toolset >= 0 ? snapshot.tools[tick.toolset] : snapshot.tools[0];
  return h("div", { class: "hai-menu", role: "dialog", "aria-label": say("runto") },
    h("div", { class: "hai-menurow" },
      h("label", {}, say("untiltool"), h("select", { "data-field": "tool" }, h("option", { value: "" }, say("anytool")), ((set && set.names) || []).map((name) => h("option", { value: name }, name)))),
      button("until-tool", say("go"))),
    h("div", { class: "hai-menurow" }, h("span", {}, say("untilerror")), button("until-error", say("go"))),
    h("div", { class: "hai-menurow" },
      h("label", {}, say("untiltokens"), h("input", { type: "number", min: "1", "data-field": "tokens", value: "1000" })),
      button("until-tokens", say("go"))),
    h("div", { class: "hai-menurow" },
      h("label", {}, say("againfrom"), h("input", { type: "number", min: "1", max: "50", "data-field": "again", value: "5" }), say("times")),
      button("again", say("go"))));
}

function rail(c) {
  const { derived, say, row, at, head, ui } = c;
  const rows = [];
  const foreign = (id) => (derived.forks.get(id) || []).map((branch) =>
    h("li", { key: `fork ${branch.name}` }, h("button", { type: "button", class: "hai-fork", "data-op": "switch", "data-arg": branch.name },
      h("span", { "aria-hidden": "true" }, "↳ "), branchLabel(branch, say))));
  const items = listed(derived, ui.folded);
  const current = placeOf(derived, items, row);
  const count = items.length;
  const { from, to, long, scroller, above, below } = longList(ui, "steps", count, ROW, { first: Math.max(current, 0) });
  if (from === 0) rows.push(...foreign(-1));
  else rows.push(above);
  for (let n = from; n < to; n++) {
    const item = items[n];
    if (item.frame) {
      rows.push(frameRow(c, item, n === current));
      continue;
    }
    const i = item.round;
    const round = derived.rounds[i];
    const veiled = c.quiz && round.from > at;
    const memo = `${i} ${round.to} ${i === row} ${round.from > at} ${i === row && at < round.to} ${row < 0 && i === 0} ${veiled} ${long} ${head.language}`;
    if (round.row === undefined || round.memo !== memo) {
      round.memo = memo;
      round.row = railRow(c, round, i, veiled, long ? [n + 1, count] : null);
    }
    rows.push(round.row);
    if (!c.quiz || round.from <= at) for (const id of round.ids) rows.push(...foreign(id));
  }
  rows.push(below);
  const upcoming = c.upcoming;
  if (upcoming && at === derived.path.length - 1)
    rows.push(h("li", { key: "next" }, h("div", { class: "hai-row hai-next" }, h("span", { class: "hai-n" }),
      h("span", { class: "hai-what" }, mark(c.quiz ? "sys" : upcoming.kind === "call" ? "tool" : upcoming.kind === "wait" ? "warn" : "model"), h("span", {}, `${say("next")}: ${c.quiz ? "?" : shortNext(upcoming, say)}`)))));
  return h("nav", { class: "hai-rail", "aria-label": say("steps") }, h("div", { class: "hai-railhead" }, heading(say("steps")), h("span", { "aria-hidden": "true" }, say("tokensword"))),
    h("ol", { class: long ? "hai-rows hai-many" : "hai-rows", "data-list": "steps", ...scroller }, rows),
    head.branches.length > 1 && h("div", { class: "hai-branches" }, heading(say("branches")),
      h("div", { role: "radiogroup", "aria-label": say("branches") }, head.branches.map((branch) =>
        h("button", { type: "button", role: "radio", key: branch.name, class: "hai-branch", "data-op": "switch", "data-arg": branch.name, "aria-checked": branch.name === c.branch ? "true" : "false" },
          branchLabel(branch, say))))));
}

/** The row that names a child, and folds its steps away. */
function frameRow({ derived, say, ui, at, quiz }, { frame, depth, at: began }, current) {
  const child = derived.children.get(frame);
  const folded = Boolean(ui.folded[frame]);
  const veiled = quiz && began > at;
  const words = veiled ? "…" : agentOf(derived, frame);
  return h("li", { key: `frame ${frame}` }, h("button", { type: "button", class: `hai-row hai-frame${current ? " hai-cur" : ""}${began > at ? " hai-ahead" : ""}`, "data-op": "fold", "data-arg": frame, "aria-expanded": folded ? "false" : "true", "aria-current": current ? "step" : null, style: indent(depth - 1) },
    h("span", { class: "hai-n hai-tri", "aria-hidden": "true" }, folded ? "▸" : "▾"),
    h("span", { class: "hai-what" }, child && child.lane && h("span", { class: "hai-lane" }, child.lane), h("span", {}, breakable(words))),
    h("span", { class: "hai-t" }, folded && child ? say("insteps", { n: child.steps }) : "")));
}

const depthOf = (frame) => (frame ? frame.split("/").length : 0);
// Deep frames are set in no further than leaves room for their names.
const indent = (depth) => (depth > 0 ? `padding-left:${9 + 12 * Math.min(depth, 5)}px` : null);

const branchLabel = (branch, say) =>
  branch.parent === null ? (branch.name === "main" ? say("main") : branch.name) : branch.label && !branch.name.startsWith(branch.label) ? `${branch.name} · ${branch.label}` : branch.name;

const shortNext = (next, say) => say({ ask: "shortask", call: "shortcall", wait: "shortwait", stop: "shortstop", spawned: "shortspawned", compacted: "shortcompacted" }[next.kind] || "shortother", { names: (next.names || []).join(", ") });

function roundWords(round, say) {
  if (round.kind === "told") return round.start ? say("start") : say(round.answers ? "answer" : "question");
  if (round.kind === "ask") return round.names.length ? round.names.join(", ") : say("answer");
  if (round.results.length) return say("resultof", { name: round.results.join(", ") });
  if (round.handed.length) return say("spawned", { agent: round.handed.join(", ") });
  if (round.compact) return say("compacted", { n: round.compact.stop - round.compact.start, m: round.compact.into });
  return round.context ? say("builtcontext") : round.stopped ? say("finished") : say("shortother");
}

function railRow({ say, row, at }, round, i, veiled, of) {
  const current = i === row;
  const kind = round.failed ? "err" : round.kind === "told" && !round.answers ? "user" : round.names.length ? "tool" : "model";
  const words = veiled ? "…" : roundWords(round, say);
  return h("li", { key: `row ${round.ids[0]}`, "aria-setsize": of && of[1], "aria-posinset": of && of[0] }, h("button", {
    type: "button", class: `hai-row${current ? " hai-cur" : ""}${round.from > at ? " hai-ahead" : ""}`, "data-op": "row", "data-arg": String(i), style: indent(depthOf(round.frame)),
    "aria-current": current ? "step" : null, tabindex: current || (row < 0 && i === 0) ? "0" : "-1", title: round.from > at ? say("ahead") : of ? words : null },
    h("span", { class: "hai-n" }, round.kind === "rest" || round.answers ? "" : String(round.number ?? 0)),
    h("span", { class: "hai-what" }, mark(veiled ? "sys" : kind), h("span", {}, breakable(words)), round.failed && !veiled && h("span", { class: "hai-hidden" }, ` (${say("error")})`)),
    h("span", { class: "hai-t" }, veiled ? "" : round.kind === "told" ? grouped(round.tokens) : round.tokens ? `+${grouped(round.tokens)}` : "")));
}

function flow(c) {
  const { derived, row, at, say, snapshot, ui } = c;
  const cards = [];
  if (at < 0) cards.push(h("p", { class: "hai-empty" }, say("empty")));
  else {
    const round = derived.rounds[row];
    if (round.frame) cards.push(childWords(c, round.frame));
    cards.push(lanes(c, round.frame, roundWords));
    const done = round.ats.filter((i) => i <= at);
    for (const i of done) cards.push(...tickCards(c, i));
    const reply = replyIn(snapshot, derived.path, done);
    if (reply) cards.push(...pendingCards(c, reply));
  }
  const verdict = ui.predict && verdictCard(c);
  if (verdict) cards.push(verdict);
  if (ui.stream && ui.busy) cards.push(streamCard(c, ui.stream));
  else if (c.quiz) cards.push(quizCard(c));
  else if (c.upcoming) cards.push(nextCard(c));
  return h("section", { class: "hai-flow", "aria-label": at < 0 ? say("empty") : roundWords(derived.rounds[row], say), tabindex: "-1" }, cards);
}

/** What came into the conversation of the frame itself. */
function put(snapshot, tick) {
  return tick.ops.filter(([where]) => where === tick.frame).flatMap((op) => op[3]).map((id) => snapshot.messages[id]);
}

function replyIn(snapshot, path, places) {
  for (const i of places.slice().reverse()) {
    const reply = put(snapshot, snapshot.ticks[path[i]]).find((one) => one.role === "assistant");
    if (reply) return reply;
  }
  return null;
}

function tickCards(c, i) {
  const { snapshot, derived, say } = c;
  const tick = snapshot.ticks[derived.path[i]];
  const cards = [];
  if (tick.request) cards.push(requestCard(c, i, tick));
  if (tick.context) cards.push(contextCard(c, tick));
  if (tick.compact) cards.push(compactCard(c, i, tick));
  else for (const message of put(snapshot, tick)) {
    if (message.role === "assistant") cards.push(replyCard(c, tick, message));
    else if (message.role === "tool") cards.push(resultCard(c, tick, message));
    else cards.push(toldCard(c, tick, message));
  }
  for (const note of tick.notes || [])
    cards.push(card(note.step ? "err" : "note", `note ${tick.id} ${note.key}`, [mark(note.step ? "err" : "sum"), h("b", {}, note.key), note.step && muted(say("lost"))], pre(c, `note ${tick.id}`, typeof note.value === "string" ? note.value : JSON.stringify(note.value, null, 2))));
  for (const one of tick.judged || [])
    cards.push(card("note", `judged ${tick.id} ${one.call}`, [mark("warn"), h("b", {}, say(one.allowed ? "allowed" : "refused")), muted(one.reason || (one.edited ? say("edited") : ""))]));
  for (const one of tick.spawned || []) cards.push(handedCard(c, tick, derived.children.get(within(tick.frame, one.id))));
  if (tick.stop) cards.push(stopCard(c, tick));
  return cards;
}

function toldCard(c, tick, message) {
  const { say } = c;
  const system = message.role !== "user";
  const title = system ? ({ system: say("system"), assistant: say("answer") }[message.role] || message.role) : say("question");
  const key = `told ${tick.id} ${message.id}`;
  if (editing(c, key)) return card(system ? "sys" : "user", key, [mark(system ? "sys" : "user"), h("b", {}, title)], editor(c, [["text", say("text"), contentOf(message)]]));
  return card(system ? "sys" : "user", key,
    [mark(system ? "sys" : "user"), h("b", { class: "hai-cap" }, title), muted(say("tokens", { n: grouped(message.tokens) })), h("span", { class: "hai-gap" }),
      canEdit(c, tick) && link("edit", key, say("edit"), { "aria-label": say(system ? "edit" : "editquestion") })],
    pre(c, key, contentOf(message), "hai-pre hai-prose"));
}

function requestCard(c, i, tick) {
  const { snapshot, derived, say, ui } = c;
  const request = requestAt(snapshot, derived.path, i);
  const ids = requestMessages(snapshot, request);
  const count = tick.toolset >= 0 ? snapshot.tools[tick.toolset].names.length : 0;
  return card("req", `request ${tick.id}`,
    [h("b", {}, say("request")), muted(say("sees", counted(say, ids.length, count))), choicePill(c, request), h("span", { class: "hai-gap" }), jsonLink(c, "request")],
    requestBody(c, "request", request, ids, earlier(c, i, tick.frame)));
}

const counted = (say, messages, tools) => ({
  n: say(messages === 1 ? "messages1" : "messagesn", { n: messages }), m: say(tools === 1 ? "tools1" : "toolsn", { n: tools }),
});

const choicePill = ({ say }, request) => request.choice !== "auto" && h("span", { class: "hai-pill" }, say("choice", { c: request.choice }));
const jsonLink = ({ say, ui }, which) => link("json", which, ui.json === which ? say("hide") : say("json"), { "aria-expanded": ui.json === which ? "true" : "false" });

/** The messages of the last request before `path[i]`; the rest is new to the model. */
function earlier({ snapshot, derived }, i, frame) {
  for (let j = i - 1; j >= 0; j--) {
    const request = requestAt(snapshot, derived.path, j);
    if (request && request.frame === frame) return new Set(requestMessages(snapshot, request));
  }
  return null;
}

function requestBody(c, which, request, ids, before) {
  const { snapshot, ui } = c;
  const chips = ids.map((id) => ({ id, message: snapshot.messages[id], fresh: before !== null && !before.has(id) }));
  const key = `chips ${which}`;
  const shown = chips.length > 24 && !ui.all[key] ? [...chips.slice(0, 4), null, ...chips.slice(-16)] : chips;
  const open = chips.find((chip) => ui.open === `${which} ${chip.id}`);
  return [
    h("div", { class: "hai-chips" }, shown.map((chip) => chip === null
      ? link("all", key, `… ${chips.length - 20} …`, { key: "gap" })
      : h("button", { type: "button", key: `chip ${chip.id}`, class: `hai-chip${chip.fresh ? " hai-new" : ""}`, "data-op": "open", "data-arg": `${which} ${chip.id}`, "aria-expanded": open === chip ? "true" : "false" }, chipLabel(chip.message)))),
    open && h("div", { key: `open ${open.id}`, class: "hai-open" }, pre(c, `open ${open.id}`, contentOf(open.message) || callsOf(open.message).map((call) => `${call.name}(${call.arguments})`).join("\n"))),
    ui.json === which && jsonBlock(c, requestText(snapshot, request)),
  ];
}

function chipLabel(message) {
  const names = (message.calls || []).map((call) => call.name).join(", ");
  if (message.role === "assistant") return names ? `assistant → ${names}` : "assistant";
  return message.role === "tool" && message.tool ? `tool ← ${message.tool}` : message.role;
}

function replyCard(c, tick, message) {
  const { say } = c;
  const calls = callsOf(message);
  const content = contentOf(message);
  const key = `reply ${tick.id} ${message.id}`;
  const title = [mark("model"), h("b", {}, say("reply")), muted(calls.length > 1 ? say("callsn", { n: calls.length }) : say(calls.length ? "calls1" : "calls0")), muted(`· ${say("tokens", { n: grouped(message.tokens) })}`)];
  if (editing(c, key)) {
    const fields = content || !calls.length ? [["text", say("text"), content]] : [];
    return card("model", key, title, editor(c, [...fields, ...calls.map((call) => [`call ${call.id}`, say("args", { name: call.name }), pretty(call.arguments)])]));
  }
  return card("model", key, [...title, h("span", { class: "hai-gap" }), canEdit(c, tick) && link("edit", key, say("edit"), { "aria-label": `${say("edit")}: ${say("reply")}` })],
    message.reasoning && h("details", { class: "hai-thinking" }, h("summary", {}, say("reasoning")), pre(c, `${key} thinking`, message.reasoning, "hai-pre hai-prose")),
    content && pre(c, key, content, "hai-pre hai-prose"),
    calls.length > 0 && h("pre", { class: "hai-pre hai-calls" }, calls.map((call, i) => [i ? "\n" : "", ...callText(call), (message.faults || {})[call.id] && h("span", { class: "hai-errtext" }, `  ${say("fault", { why: message.faults[call.id] })}`)])));
}

function resultCard(c, tick, message) {
  const { say } = c;
  const status = message.status || "success";
  const kind = status === "error" ? "err" : status === "partial" ? "warn" : "tool";
  const key = `result ${tick.id} ${message.id}`;
  const child = c.derived.children.get(within(tick.frame, message.answers || ""));
  const title = [mark(kind), h("b", {}, message.tool || "tool"), h("span", { class: `hai-pill hai-p-${kind}` }, say(status), message.code && ` ${message.code}`), muted(say("tokens", { n: grouped(message.tokens) })),
    child && muted(`· ${say("bychild", { agent: child.agent, n: child.steps, m: grouped(child.tokens) })}`)];
  if (editing(c, key)) return card(kind, key, title, editor(c, [["status", say("status"), status], ["text", say("resultof", { name: message.tool || "tool" }), contentOf(message)]]));
  return card(kind, key, [...title, h("span", { class: "hai-gap" }), canEdit(c, tick) && link("edit", key, say("editresult"), { "aria-label": `${say("editresult")}: ${message.tool || "tool"}` })],
    pre(c, key, contentOf(message)));
}

function pendingCards(c, reply) {
  const { say, tick, upcoming, derived, at } = c;
  const begun = (id) => (derived.children.get(within(tick.frame, id)) || { began: at + 1 }).began <= at;
  const waiting = new Set(tick.state.waiting.filter((id) => !begun(id)));
  const asked = upcoming && upcoming.kind === "wait" && !c.quiz ? new Set(upcoming.calls) : new Set();
  return callsOf(reply).filter((call) => waiting.has(call.id)).map((call) => card("pending", `pending ${call.id}`,
    [mark(asked.has(call.id) ? "warn" : "sys"), asked.has(call.id) ? h("b", {}, call.name) : h("span", { class: "hai-whatwaits", title: `${call.name}(${call.arguments})`.slice(0, 300) }, callText(call)), h("span", { class: "hai-pill" }, say(asked.has(call.id) ? "waitingyou" : "waiting"))],
    asked.has(call.id) && approval(c, call)));
}

function approval(c, call) {
  const { say, ui } = c;
  const key = `approve ${call.id}`;
  if (editing(c, key)) return editor(c, [[`call ${call.id}`, say("args", { name: call.name }), pretty(call.arguments)]], say("allow"));
  const rule = (c.upcoming.reasons || {})[call.id];
  return h("div", { class: "hai-approve" }, h("pre", { class: "hai-pre" }, callText(call)), rule && h("p", { class: "hai-rule" }, mark("warn"), h("span", {}, say("rule", { why: rule }))),
    h("div", { class: "hai-editbar" }, button("approve", say("allow"), null, { class: "hai-primary", "data-arg": call.id, disabled: ui.busy }), button("edit", say("editallow"), null, { "data-arg": key, disabled: ui.busy }),
      button("refuse", say("refuse"), null, { "data-arg": call.id, disabled: ui.busy }),
      h("input", { type: "text", "data-field": `why ${call.id}`, placeholder: say("why"), "aria-label": say("why") })));
}

function stopCard(c, tick) {
  const { say } = c;
  const fine = tick.stop.reason === "finished";
  return card(fine ? "done" : "warn", `stop ${tick.id}`, [mark(fine ? "done" : "warn"), tick.frame ? doneChild(c, tick, fine) : [h("b", {}, fine ? say("done") : say("stopped", { reason: tick.stop.reason })), fine && muted(say("doneanswer"))]],
    tick.stop.answer && pre(c, `stop ${tick.id}`, tick.stop.answer, "hai-pre hai-prose"));
}

function nextCard(c) {
  const { upcoming, say, snapshot, derived, at, tick } = c;
  const names = (upcoming.names || []).filter(Boolean).join(", ");
  const title = say({ ask: "nextask", call: "nextcall", wait: "nextwait", stop: "nextstop", spawned: "nextspawned", compacted: "nextcompacted", noted: "nextnoted" }[upcoming.kind] || "nextother", { names, kind: upcoming.kind });
  const request = tick && upcoming === tick.next ? requestAt(snapshot, derived.path, at, true) : null;
  const inside = upcoming.frame && h("span", { class: "hai-pill" }, say("frame", { frame: agentOf(derived, upcoming.frame) }));
  if (!request) return h("article", { key: "next", class: "hai-card hai-c-next" }, h("header", {}, h("b", {}, title), inside, muted(upcoming.why)), upcoming.kind === "call" && h("p", { class: "hai-muted" }, say("nextrun")));
  const ids = requestMessages(snapshot, request);
  const count = request.toolset >= 0 ? snapshot.tools[request.toolset].names.length : 0;
  return h("article", { key: "next", class: "hai-card hai-c-next" },
    h("header", {}, h("b", {}, title), inside, muted(upcoming.why), choicePill(c, request), h("span", { class: "hai-gap" }), jsonLink(c, "next")),
    h("p", { class: "hai-muted" }, say("willsee", counted(say, ids.length, count))),
    requestBody(c, "next", request, ids, earlier(c, at + 1, request.frame)));
}

const editing = (c, key) => c.ui.edit === key;
const canEdit = (c, tick) => c.head.live && c.head.editable && !c.ui.busy && tick.kind !== "start";

function editor(c, fields, save = null) {
  const { say, ui } = c;
  return h("form", { class: "hai-editor", "data-form": "edit" },
    ui.editfault && h("p", { class: "hai-errtext", role: "alert" }, ui.editfault),
    fields.map(([name, label, value]) => h("label", { key: name }, h("span", {}, label), name === "status"
      ? h("select", { "data-field": name }, ["success", "partial", "error"].map((one) => h("option", { value: one, selected: one === value }, say(one))))
      : h("textarea", { "data-field": name, rows: String(Math.min(12, Math.max(3, value.split("\n").length + 1))), spellcheck: "false", value }))),
    h("div", { class: "hai-editbar" }, h("button", { type: "submit", class: "hai-primary" }, save || say("save"), h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎")),
      button("cancel", say("cancel"), "Esc"), muted(say(c.head.sandbox ? "keptbut" : "kept"))));
}

function side(c) {
  const { say, tick, head, snapshot, branch } = c;
  const state = tick ? tick.state : { step: 0, max: null, waiting: [], reason: null, tokens: 0 };
  const meter = tick ? tick.meter : [0, 0, 0, 0, 0, 0];
  const total = meter.reduce((sum, part) => sum + part, 0);
  const parts = METER.map((name, i) => [`hai-m-${name}`, say(`m_${name}`), meter[i]]);
  const tools = tick && tick.toolset >= 0 ? snapshot.tools[tick.toolset].names.length : 0;
  const rows = [
    ...(tick && tick.frame ? [["agent", agentOf(c.derived, tick.frame)]] : []),
    ["statestep", state.max ? say(state.step > state.max ? "closing" : "of", { n: state.step, m: state.max }) : String(state.step)],
    ...(state.budgets || []).map(([name, spent, most]) => [`b_${name}`, say("of", { n: budget(name, spent), m: budget(name, most) })]),
    ["waitingcalls", String(state.waiting.length)],
    ["finished", state.reason || say("no")],
    ["tools", String(tools)],
    ...(head.branches.length > 1 ? [["branch", branch === "main" ? say("main") : branch]] : []),
  ];
  return h("aside", { class: "hai-side", "aria-label": say("state") }, heading(say("state")),
    pairs(rows.map(([name, value]) => [say(name), value])),
    heading(say("context")),
    h("div", { class: "hai-meter" }, stack(parts), legend(parts.filter(([, , amount], i) => amount > 0 || i < 5))),
    gauge(c, total),
    worldNote(c, tools));
}

const budget = (name, amount) => (name === "max_cost" ? String(Number(amount.toPrecision(3))) : name === "max_seconds" ? String(Math.round(10 * amount) / 10) : grouped(amount));

/** What going back does to files, said where the reader looks after going back. */
function worldNote({ head, say, tick }, tools) {
  if (!head.live || !(tools || head.sandbox)) return null;
  const known = tick ? tick.world : head.known;
  return h("p", { key: "world", class: "hai-world" }, head.sandbox ? [mark(known ? "done" : "warn"), h("span", {}, say(known ? "filesback" : "filesunknown"))] : [mark("sys"), h("span", {}, say("kept"))]);
}

const gauge = ({ say, head }, total) => filled(total, head.window, head.threshold,
  head.window ? say("usedof", { n: grouped(total), m: grouped(head.window) }) : say("used", { n: grouped(total) }), head.threshold && ` · ${say("threshold", { n: grouped(head.threshold) })}`, !head.exact && ` ${say("estimate")}`);

function foot({ say, tick }) {
  const state = tick ? tick.state : { requests: 0, reason: null, tokens: 0 };
  return h("footer", { class: "hai-foot" }, h("span", {}, say(state.requests === 1 ? "spent1" : "spentn", { n: grouped(state.tokens), m: grouped(state.requests) })),
    h("span", {}, state.reason ? say("stop", { reason: state.reason }) : say("stopnone")), h("span", { class: "hai-gap" }), h("span", { class: "hai-code" }, say("value")));
}

// ---- what keys and buttons mean ---------------------------------------------------------------------------------

const KEYS = { ArrowRight: "step", ArrowLeft: "back", ArrowDown: "down", ArrowUp: "up", Home: "home", End: "end", r: "run", R: "run", f: "fork", F: "fork", j: "json", J: "json", c: "compare", C: "compare", p: "predict", P: "predict" };

/** The operation a key stands for, or nothing: keys in a text field or with a modifier belong to somebody else. */
export function opOfKey({ key, ctrlKey, metaKey, altKey, field }) {
  return field || ctrlKey || metaKey || altKey ? null : KEYS[key] || null;
}

/** What an operation does: changes of the reader's own view, and what Python is told (`send`). Pure. */
export function act(snapshot, ui, op, arg = "", memo = null) {
  const head = snapshot.head;
  const branch = ui.branch || head.branch;
  const look = memo || derive;
  const derived = look(snapshot, branch);
  const { at, row } = stand(snapshot, ui, derived);
  const last = derived.path.length - 1;
  const go = (to) => ({ ui: { cursor: to, edit: null, open: null, menu: null, rows: {}, panel: null }, send: { op: "jump", args: { tick: to < 0 ? -1 : derived.path[to] } } });
  const rowAt = (i) => go(derived.rounds[Math.max(0, Math.min(i, derived.rounds.length - 1))].to);
  /** The next row of the list in a direction; rows that name a child are passed over. */
  const beside = (way) => {
    const items = listed(derived, ui.folded);
    let n = placeOf(derived, items, row) + way;
    while (n >= 0 && n < items.length && items[n].frame) n += way;
    return n >= 0 && n < items.length ? rowAt(items[n].round) : {};
  };
  switch (op) {
    case "step": return at < last ? go(at + 1) : ask("step");
    case "back": return at >= 0 ? go(at - 1) : {};
    case "run": return head.live ? ask("finish") : go(last);
    case "up": return row > 0 ? beside(-1) : {};
    case "down": return beside(1);
    case "fold": return { ui: { folded: { ...ui.folded, [arg]: !ui.folded[arg] }, rows: {} } };
    case "home": return derived.rounds.length ? rowAt(0) : {};
    case "end": return last >= 0 ? go(last) : {};
    case "row": return rowAt(Number(arg));
    case "fork": return ask("fork");
    case "switch": {
      if (arg === branch) return {};
      const tip = look(snapshot, arg).path.length - 1;
      return { ui: { branch: arg, cursor: tip, edit: null, open: null, rows: {}, panel: null }, send: { op: "switch", args: { name: arg } } };
    }
    case "approve": return ask("approve", { call: arg });
    case "json": return { ui: { json: ui.json && (!arg || ui.json === arg) ? null : arg || (asked() ? "request" : "next"), copied: false } };
    case "raw": return { ui: { raw: !ui.raw } };
    case "open": return { ui: { open: ui.open === arg ? null : arg } };
    case "all": return { ui: { all: { ...ui.all, [arg]: !ui.all[arg] } } };
    case "edit": return { ui: { edit: arg, editfault: null } };
    case "cancel": return { ui: { edit: null, editfault: null, menu: null, panel: null } };
    case "menu": return { ui: { menu: ui.menu === arg ? null : arg, took: null } };
    case "panel": return { ui: { panel: null } };
    case "spread": return head.spread ? { ui: { panel: "spread", menu: null } } : {};
    case "compare": return head.branches.length < 2 ? {} : ui.panel === "compare" ? { ui: { panel: null } } : compare(pairOf(head, { pair: null }, branch));
    case "pair": return compare(arg);
    case "goto": {
      const [to, name] = [Number(arg.slice(0, arg.indexOf(" "))), arg.slice(arg.indexOf(" ") + 1)];
      const tick = look(snapshot, name).path[to];
      return { ui: { ...go(0).ui, branch: name, cursor: to }, send: [{ op: "switch", args: { name } }, { op: "jump", args: { tick } }] };
    }
    case "again": return ask("again", { n: Number(arg) });
    case "predict": return head.live ? { ui: { predict: !ui.predict, menu: null } } : {};
    case "guess": return ask("predict", arg);
    case "export": {
      const [kind, how] = arg.split(" ");
      return { ui: {}, send: { op: "export", args: { kind, how } } };
    }
    case "dismiss": return { ui: { fault: null, notice: null }, send: head.error ? { op: "dismiss", args: {} } : null };
    case "until-error": return ask("finish", { until: "error" });
    default: return {};
  }
  function asked() {
    return row >= 0 && derived.rounds[row].ats.some((i) => i <= at && snapshot.ticks[derived.path[i]].request);
  }
  function compare(pair) {
    return { ui: { panel: "compare", pair, menu: null }, send: { op: "compare", args: { a: pair[0], b: pair[1] } } };
  }
  function ask(name, args = {}) {
    return { ui: { edit: null, menu: null, open: null, panel: null, rows: {} }, send: { op: name, args }, wait: true };
  }
}

/** What of a reply is there, with the pieces of a message joined to it; another reply begins anew. */
export function arrived(stream, { frame, reply, stream: pieces }) {
  const same = stream && stream.reply === reply && stream.frame === frame;
  const parts = same ? stream.parts.map((part) => ({ ...part })) : [];
  for (const piece of pieces) {
    const last = parts[parts.length - 1];
    if (last && last.part === piece.part && last.call === piece.call && piece.name === undefined) last.text += piece.text;
    else parts.push({ ...piece });
  }
  return { frame, reply, parts };
}

/** What an editor's fields mean for Python; throws what is wrong with them. */
export function editOf(key, fields, say) {
  const [what, tick, message] = key.split(" ");
  const calls = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith("call ")) continue;
    let parsedValue;
    try {
      parsedValue = JSON.parse(value);
    } catch (error) {
      throw new Error(say("badjson", { why: error.message }));
    }
    if (parsedValue === null || typeof parsedValue !== "object" || Array.isArray(parsedValue)) throw new Error(say("badjson", { why: value }));
    calls[name.slice(5)] = parsedValue;
  }
  if (what === "approve") {
    const id = key.slice(8);
    return { op: "approve", args: { call: id, arguments: calls[id] } };
  }
  const args = { what, tick: Number(tick), message: Number(message) };
  if ("text" in fields) args.text = fields.text;
  if ("status" in fields) args.status = fields.status;
  if (Object.keys(calls).length) args.calls = calls;
  return { op: "edit", args };
}

// ---- in the page ------------------------------------------------------------------------------------------------

function render({ model, el, signal }) {
  const doc = el.ownerDocument;
  let snapshot = assemble((name) => model.get(name));
  let ui = freshUi();
  let tree = null;
  let timer = null;
  let cache = { key: null };
  let sent = 0;
  let spreadSeen = snapshot.head.spread ? snapshot.head.spread.id : 0;
  const me = Math.random().toString(36).slice(2);
  const say = (name, values) => sayer(snapshot.head.language, LABELS)(name, values);
  const memo = (snap, branch) => {
    // Ticks never change, so that a branch is the same for as long as all branches end where they did.
    const key = JSON.stringify(snap.head.branches);
    if (cache.key !== key) cache = { key };
    return (cache[branch] = cache[branch] || derive(snap, branch));
  };

  function draw() {
    const next = view(snapshot, ui, memo);
    if (tree) patch(tree, next, doc);
    else el.appendChild(mount(next, doc));
    tree = next;
  }
  function change(part) {
    ui = { ...ui, ...part };
    draw();
  }
  function scrolled(moved) {
    if (moved) change({ rows: { ...ui.rows, ...moved } });
  }
  function unanswered() {
    change({ busy: false, notice: say("silent") });
  }
  function tell(message, wait) {
    clearTimeout(timer);
    try {
      model.send({ ...message, view: me, n: (sent += 1) });
    } catch {
      if (wait) unanswered();
      return;
    }
    if (!wait) return;
    timer = setTimeout(unanswered, 4000);
    change({ busy: true, notice: null });
  }
  function perform(op, arg) {
    const was = ui;
    const done = act(snapshot, ui, op, arg, memo);
    if (done.wait && !snapshot.head.live && op !== "step") return;
    if (done.ui) {
      const moved = "cursor" in done.ui;
      const next = { ...ui, ...done.ui };
      change({ ...done.ui, said: moved ? saidOf(next) : "" });
      if (moved) revealStep();
    }
    for (const message of [done.send || []].flat()) tell(message, done.wait);
    follow(op, was);
    scrolled(caughtUp(el));
  }
  function saidOf(there) {
    const derived = memo(snapshot, there.branch || snapshot.head.branch);
    const { row } = stand(snapshot, there, derived);
    return row >= 0 ? say("saidq", { n: derived.rounds[row].number ?? 0, what: roundWords(derived.rounds[row], say) }) : "";
  }
  const revealStep = () => reveal(el.querySelector(".hai-cur"));
  /** Moves the focus to where the reader went on. */
  function follow(op, was) {
    if (["up", "down", "home", "end"].includes(op) && doc.activeElement && doc.activeElement.closest(".hai-rail")) {
      const current = el.querySelector(".hai-cur");
      if (current) current.focus();
    }
    if (op === "edit") {
      const field = el.querySelector(".hai-editor textarea");
      if (field) field.focus();
    }
    if (["compare", "spread"].includes(op) && ui.panel) el.querySelector(".hai-panel select, .hai-panel button").focus();
    else if (op === "compare") el.querySelector('[data-op="compare"]').focus();
    if (op === "predict" && !(ui.predict && askForGuess()) && was.menu) home();
    if (op === "panel" || (op === "cancel" && was.panel)) (el.querySelector(`[data-op="${was.panel === "compare" ? "compare" : "menu"}"]`) || el).focus();
    else if (op === "cancel" && was.menu) el.querySelector(`[data-op="menu"][data-arg="${was.menu}"]`).focus();
    else if (op === "cancel" || (doc.activeElement === doc.body && el.isConnected && ["edit", "switch"].includes(op))) home();
    if (op === "menu" && ui.menu) el.querySelector(".hai-menu select, .hai-menu button").focus();
  }
  /** Puts the reader to the question, rather than stepping on with it unanswered. */
  function askForGuess() {
    const first = el.querySelector(".hai-quiz input");
    if (first) first.focus();
    return Boolean(first);
  }
  function home() {
    const step = el.querySelector('[data-op="step"]');
    if (step) (step.disabled ? el.querySelector('[data-op="back"]') : step).focus();
  }
  function fieldsOf(root) {
    return Object.fromEntries([...root.querySelectorAll("[data-field]")].map((field) => [field.dataset.field, field.value]));
  }
  function submit() {
    if (!ui.edit) return;
    const form = el.querySelector(".hai-editor");
    try {
      const message = editOf(ui.edit, fieldsOf(form), say);
      change({ edit: null, editfault: null });
      tell(message, true);
      home();
    } catch (error) {
      change({ editfault: error.message });
    }
  }
  async function copy() {
    const derived = memo(snapshot, ui.branch || snapshot.head.branch);
    const { at, row } = stand(snapshot, ui, derived);
    let request = ui.json === "next" ? requestAt(snapshot, derived.path, at, true) : null;
    for (const i of derived.rounds[row].ats.filter((one) => one <= at)) request = request || requestAt(snapshot, derived.path, i);
    if (!request) return;
    await copyText(el, requestText(snapshot, request));
    change({ copied: true });
  }
  /** The menu is not what the reader wants a picture of. */
  function image() {
    change({ menu: null, said: say("saved") });
    saveBlob(el, `${snapshot.head.title}.svg`, new Blob([imageOf(el)], { type: "image/svg+xml" }));
    home();
  }
  async function onCustom(message) {
    if (message && message.stream) return ui.busy ? change({ stream: arrived(ui.stream, message) }) : undefined;
    if (!message || !message.export) return;
    if (message.how === "copy") await copyText(el, message.text);
    else saveText(el, message.name, message.text);
    change({ took: `${message.export} ${message.how}`, said: say(message.how === "copy" ? "copied" : "saved") });
  }

  const listen = (name, handler) => el.addEventListener(name, handler, { signal });
  let wasInside = false;
  listen("focusin", () => (wasInside = true));
  listen("focusout", (event) => (wasInside = event.relatedTarget === null));
  listen("click", (event) => {
    if (ui.menu && !event.target.closest(".hai-pop")) return change({ menu: null });
    const target = event.target.closest("[data-op]");
    if (!target || target.disabled) return;
    const { op, arg } = target.dataset;
    const fields = fieldsOf(el);
    if (op === "copy") copy();
    else if (op === "image") image();
    else if (op === "step" && askForGuess()) return;
    else if (op === "again") perform(op, fields.again);
    else if (op === "refuse") tell({ op, args: { call: arg, reason: fields[`why ${arg}`] || "" } }, true);
    else if (op === "until-tool" || op === "until-tokens") {
      change({ menu: null });
      tell({ op: "finish", args: op === "until-tool" ? { until: "tool", tool: fields.tool } : { until: "tokens", tokens: Number(fields.tokens) } }, true);
    } else perform(op, arg);
  });
  listen("submit", (event) => {
    event.preventDefault();
    if (event.target.dataset.form !== "predict") return submit();
    const picked = event.target.querySelector("input:checked");
    if (!picked) return askForGuess();
    perform("guess", { kind: picked.value, tool: fieldsOf(event.target).guess });
  });
  listen("change", (event) => {
    if (event.target.dataset.pick !== "pair") return;
    const fields = fieldsOf(el);
    perform("pair", [fields["pair 0"], fields["pair 1"]]);
  });
  followScrolling(el, signal, scrolled);
  listen("keydown", (event) => {
    const field = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.target.type === "radio" && event.key === "Enter") {
      // Enter in a group of choices answers, as in any form.
      event.stopPropagation();
      return;
    }
    if (event.key === "Escape" && (ui.edit || ui.menu || ui.panel)) {
      event.preventDefault();
      event.stopPropagation();
      perform("cancel");
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ui.edit) {
      event.preventDefault();
      event.stopPropagation();
      submit();
    } else {
      const op = opOfKey({ key: event.key, ctrlKey: event.ctrlKey, metaKey: event.metaKey, altKey: event.altKey, field });
      if (field) event.stopPropagation();
      if (!op || (ui.panel && op !== "compare")) return;
      event.preventDefault();
      event.stopPropagation();
      if (op === "step" && askForGuess()) return;
      const allowed = { step: "step", run: "run", fork: "fork", back: "back", compare: "compare" }[op];
      const twin = allowed && el.querySelector(`[data-op="${allowed}"]`);
      if (!twin || !twin.disabled) perform(op);
    }
  });

  const onHead = () => {
    clearTimeout(timer);
    const head = model.get("head");
    // An answer to an older jump must not throw the reader back who has gone on since.
    const moved = !(head.answered && head.answered.view === me && head.answered.n < sent);
    snapshot = assemble((name) => model.get(name), snapshot);
    const next = { ...ui, busy: Boolean(head.busy), stream: head.busy ? ui.stream : null, notice: null, cursor: moved ? null : ui.cursor, branch: moved ? null : ui.branch };
    if (!head.busy && head.spread && head.spread.id !== spreadSeen) {
      spreadSeen = head.spread.id;
      next.panel = "spread";
    }
    if (moved && !head.busy) next.rows = {};
    next.said = head.busy ? next.said : saidOf(next);
    ui = next;
    draw();
    if (moved) revealStep();
    scrolled(caughtUp(el));
    // A button that was pressed and is off now has the focus for a moment longer, and then nobody has.
    const focused = doc.activeElement;
    const lost = focused === doc.body ? wasInside : el.contains(focused) && Boolean(focused.disabled);
    if (lost && !ui.busy) home();
  };
  const stop = () => {
    clearTimeout(timer);
    model.off("change:head", onHead);
    model.off("msg:custom", onCustom);
  };
  model.on("change:head", onHead);
  model.on("msg:custom", onCustom);
  if (signal) signal.addEventListener("abort", stop);
  draw();
  // The element is in the page, and has a size, only after this.
  doc.defaultView.requestAnimationFrame(revealStep);
  return stop;
}

export { blocksOf, html, shortened };
export default { render };
