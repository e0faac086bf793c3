// What stands beside the steps: two branches compared, several runs from one place, and the reader's prediction.
import { grouped, h } from "./parts.js";
import { callsOf, contentOf, derive } from "./snapshot.js";

const BEFORE = 2;
const ROWS = 80;
const WORDS = 220;

const CUT_LINES = 4;

const cut = (text) => {
  const short = text.slice(0, WORDS).split("\n").slice(0, CUT_LINES).join("\n");
  return short.length < text.length ? `${short} …` : text;
};

/** What happened in a round, in lines: `[class, text]`. */
export function linesOf(snapshot, round, say) {
  const lines = [];
  for (const id of round.ids) {
    const tick = snapshot.ticks[id];
    for (const message of tick.ops.flatMap((op) => op[3]).map((number) => snapshot.messages[number])) {
      if (message.role === "assistant") {
        if (contentOf(message)) lines.push(["", cut(contentOf(message))]);
        for (const call of callsOf(message)) lines.push(["call", cut(`${call.name}(${call.arguments})`)]);
      } else if (message.role === "tool") lines.push([message.status === "error" ? "err" : "result", cut(`${message.tool || "tool"}: ${contentOf(message)}`)]);
      else if (message.role !== "system") lines.push(["", cut(contentOf(message))]);
    }
    for (const note of tick.notes || []) lines.push([note.step ? "err" : "result", cut(`${note.key}: ${JSON.stringify(note.value)}`)]);
    for (const one of tick.judged || []) lines.push(["result", say(one.allowed ? "allowed" : "refused")]);
    if (tick.stop) lines.push(["stop", cut(`${tick.stop.reason}${tick.stop.answer ? `: ${tick.stop.answer}` : ""}`)]);
  }
  return lines;
}

/** Everything of a round that makes it another: for rounds that share no ticks. */
const signature = (snapshot, round) =>
  round.ids.map((id) => {
    const { kind, frame, ops, stop, notes, judged } = snapshot.ticks[id];
    const put = ops.map((op) => [op[0], op[1], op[2], op[3].map((number) => { const { wire, text, status } = snapshot.messages[number]; return [wire, text, status]; })]);
    return JSON.stringify([kind, frame, put, stop, notes, judged]);
  }).join();

/** Two branches by rows of one round each, and the row in which they part (-1: nowhere). */
export function aligned(snapshot, left, right, compared) {
  const rows = [];
  const [ticksLeft, ticksRight] = compared && !compared.equal ? compared.first : [];
  let first = -1;
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [a, b] = [left[i], right[i]];
    const shared = a && b && a.ids.length === b.ids.length && a.ids.every((id, n) => id === b.ids[n]);
    const same = Boolean(shared || (a && b && signature(snapshot, a) === signature(snapshot, b)));
    const parts = compared ? Boolean((a && a.ids.includes(ticksLeft)) || (b && b.ids.includes(ticksRight))) : !same;
    if (first < 0 && parts) first = i;
    rows.push({ a, b, same });
  }
  return { rows, first };
}

/** The branches that are compared: those the reader chose, or this one and the one it came from. */
export function pairOf(head, ui, branch) {
  const known = (name) => head.branches.some((one) => one.name === name);
  if (ui.pair && ui.pair.every(known)) return ui.pair;
  const here = head.branches.find((one) => one.name === branch);
  const other = here && here.parent !== null && known(here.parent) ? here.parent : (head.branches.find((one) => one.name !== branch) || here).name;
  return here && here.parent !== null ? [other, branch] : [branch, other];
}

const closer = (say) => h("button", { type: "button", "data-op": "panel", "aria-label": say("close") }, say("close"), h("kbd", { "aria-hidden": "true" }, "Esc"));
const go = (branch, at, label, text) => h("button", { type: "button", class: "hai-link", "data-op": "goto", "data-arg": `${at} ${branch}`, "aria-label": label }, text);

export function comparePanel(c, words, branchLabel) {
  const { snapshot, head, ui, say, branch } = c;
  const pair = pairOf(head, ui, branch);
  const compared = head.compared && head.compared.a === pair[0] && head.compared.b === pair[1] ? head.compared : null;
  const [left, right] = pair.map((name) => derive(snapshot, name).rounds);
  const { rows, first } = aligned(snapshot, left, right, compared);
  const from = first > BEFORE + 1 && !ui.all.compare ? first - BEFORE : 0;
  const to = ui.all.compare ? rows.length : Math.min(rows.length, from + ROWS);
  const choice = (side) => h("label", {}, h("span", {}, say(side ? "right" : "left")), h("select", { "data-field": `pair ${side}`, "data-pick": "pair" },
    head.branches.map((one) => h("option", { value: one.name, selected: one.name === pair[side] }, branchLabel(one, say)))));
  const cell = (round, side) => h("td", {}, !round ? h("span", { class: "hai-muted" }, say("nothere")) : [
    h("div", { class: "hai-cellhead" }, h("b", {}, words(round, say)), go(pair[side], round.to, `${say("open")}: ${pair[side]}, ${words(round, say)}`, say("open"))),
    linesOf(snapshot, round, say).slice(0, 8).map(([kind, text]) => h("div", { class: `hai-line hai-l-${kind || "text"}` }, text))]);
  const verdict = first < 0 ? say("equalbranches") : say("partat", { n: (left[first] || right[first]).number ?? 0 });
  return h("section", { class: "hai-panel", role: "region", "aria-label": say("compare"), tabindex: "-1" },
    h("div", { class: "hai-panelbar" }, h("b", {}, say("compare")), choice(0), choice(1), h("span", { class: "hai-gap" }), closer(say)),
    h("p", { class: "hai-verdictline", role: "status" }, verdict),
    h("div", { class: "hai-scroll", tabindex: "0", role: "group", "aria-label": say("rows") },
      h("table", { class: "hai-table" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("statestep")), pair.map((name, side) => h("th", { scope: "col", key: `th ${side}` }, name === "main" ? say("main") : name)))),
        h("tbody", {},
          from > 0 && h("tr", { key: "before" }, h("td", { colspan: "3", class: "hai-between" }, h("button", { type: "button", class: "hai-link", "data-op": "all", "data-arg": "compare" }, say("equalrows", { n: from })))),
          rows.slice(from, to).map((row, n) => {
            const i = from + n;
            const kind = i === first ? "first" : row.same ? "same" : "other";
            return h("tr", { key: `row ${i}`, class: `hai-r-${kind}` },
              h("th", { scope: "row" }, String((row.a || row.b).number ?? (i ? "·" : 0)), kind === "first" && h("span", { class: "hai-pill hai-p-warn" }, say("firstdifference"))),
              cell(row.a, 0), cell(row.b, 1));
          }),
          to < rows.length && h("tr", { key: "after" }, h("td", { colspan: "3", class: "hai-between" }, h("button", { type: "button", class: "hai-link", "data-op": "all", "data-arg": "compare" }, say("morerows", { n: rows.length - to }))))))));
}

const range = ([low, middle, high]) => (low === high ? grouped(low) : `${grouped(low)} / ${grouped(middle)} / ${grouped(high)}`);

export function spreadPanel(c) {
  const { snapshot, head, say } = c;
  const spread = head.spread;
  const end = (name) => derive(snapshot, name).path.length - 1;
  const line = spread.n === 1 ? say("onerun") : spread.equal ? say("allequal", { n: spread.n }) : spread.groups.length === 1 ? say("sameend", { n: spread.n }) : say("spreadof", { n: spread.n, m: spread.groups.length });
  return h("section", { class: "hai-panel", role: "region", "aria-label": say("spread"), tabindex: "-1" },
    h("div", { class: "hai-panelbar" }, h("b", {}, say("spread")), h("span", { class: "hai-gap" }), closer(say)),
    h("p", { class: "hai-verdictline", role: "status" }, line),
    h("div", { class: "hai-scroll", tabindex: "0", role: "group", "aria-label": say("rows") },
      h("table", { class: "hai-table hai-spread" },
        h("thead", {}, h("tr", {}, ["runs", "ended", "stepsrange", "tokensrange", "branches"].map((name) => h("th", { scope: "col", key: name }, say(name))))),
        h("tbody", {}, spread.groups.map((group, i) => h("tr", { key: `group ${i}` },
          h("th", { scope: "row" }, say("of", { n: group.branches.length, m: spread.n }), h("i", { class: "hai-share", "aria-hidden": "true", style: `width:${((100 * group.branches.length) / spread.n).toFixed(1)}%` })),
          h("td", {}, h("span", { class: `hai-pill hai-p-${group.reason === "finished" ? "tool" : group.reason === "error" ? "err" : "warn"}` }, group.reason === "unfinished" ? say("waitingyou") : group.reason), h("div", { class: "hai-line hai-l-text" }, group.answer || group.error || "")),
          h("td", { class: "hai-num" }, range(group.steps)), h("td", { class: "hai-num" }, range(group.tokens)),
          h("td", {}, group.branches.map((name) => h("span", { key: name, class: "hai-one" }, go(name, end(name), `${say("open")}: ${name}`, name), " ")))))))));
}

const GUESSES = ["ask", "call", "wait", "stop", "other"];

/** The question what comes next, in the place of the card that says it. */
export function quizCard(c) {
  const { say, head, tick, snapshot, ui, at, branch } = c;
  const set = tick && tick.toolset >= 0 ? snapshot.tools[tick.toolset] : snapshot.tools[0];
  return h("article", { key: `quiz ${branch} ${at}`, class: "hai-card hai-c-next" },
    h("header", {}, h("b", {}, say("quiz")), h("span", { class: "hai-muted" }, head.score.asked ? say("score", { n: head.score.right, m: head.score.asked }) : say("quizwhy"))),
    h("form", { class: "hai-quiz", "data-form": "predict" },
      h("fieldset", {}, h("legend", { class: "hai-hidden" }, say("quiz")),
        GUESSES.map((kind) => h("label", { key: kind }, h("input", { type: "radio", name: "guess", value: kind }), h("span", {}, say(`guess_${kind}`))))),
      h("label", { class: "hai-which" }, h("span", {}, say("guesstool")), h("select", { "data-field": "guess" }, h("option", { value: "" }, say("guessanswer")), ((set && set.names) || []).map((name) => h("option", { value: name }, say("guesscalls", { name }))))),
      h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say("see"))));
}

/** What came of the last prediction, where the reader stands. */
export function verdictCard({ head, say, tick }) {
  const told = head.predicted;
  if (!told || told.tick !== (tick ? tick.id : -1)) return null;
  const came = told.kind === "ask" ? (told.names.length ? say("cameask", { names: told.names.join(", ") }) : say("cameanswer")) : say(`came_${told.kind}`);
  return h("p", { key: "verdict", class: `hai-verdict ${told.right ? "hai-yes" : "hai-not"}` },
    h("i", { class: `hai-mark hai-${told.right ? "done" : "err"}`, "aria-hidden": "true" }), h("span", {}, h("b", {}, say(told.right ? "rightly" : "wrongly")), ` ${came} `, h("span", { class: "hai-muted" }, say("score", { n: head.score.right, m: head.score.asked }))));
}
