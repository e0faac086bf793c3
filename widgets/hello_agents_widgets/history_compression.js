// HistoryCompression: rounds as pieces of a bar against the threshold, and the summary that some of them become.
import { button, callText, card, mark, muted, notices, pill, pre, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { rows, showing } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const HISTORY_LABELS = {
  en: {
    hc_region: "History compression", hc_before: "Before", hc_after: "After", hc_rounds: "{n} rounds", hc_rounds1: "1 round", hc_threshold: "threshold", hc_keep: "last rounds that stay", hc_tokens: "tokens",
    hc_kept: "stays", hc_folded: "goes into the summary", hc_shortened: "made shorter", hc_round: "Round {n}", hc_span: "Rounds {n} to {m}", hc_summary: "Summary message", hc_sum: "summary", hc_none: "The conversation is below the threshold. Nothing is compressed.",
    hc_stuck: "Nothing more can go: the last question and its answer always stay.", hc_saved: "{m} tokens become {n}.", hc_infolded: "{n} of {m} rounds go into a summary of {s} tokens.", hc_infolded1: "1 of {m} rounds goes into a summary of {s} tokens.", hc_inshort: "{n} rounds are made shorter.", hc_inshort1: "1 round is made shorter.",
    hc_rest: "system and tools", hc_read: "Choose a round to read what is in it.", hc_list: "Rounds", hc_went: "This goes into the summary. The journal of an agent still has it.", hc_stays: "This stays as it is.", hc_partly: "Part of this goes; the rest stays.", hc_back: "the summary", hc_keys: "Keys: ↑ ↓ round, Esc the summary",
  },
  zh: {
    hc_region: "历史压缩", hc_before: "压缩前", hc_after: "压缩后", hc_rounds: "{n} 轮", hc_rounds1: "1 轮", hc_threshold: "阈值", hc_keep: "保留的最后几轮", hc_tokens: "token",
    hc_kept: "保留", hc_folded: "并入摘要", hc_shortened: "被缩短", hc_round: "第 {n} 轮", hc_span: "第 {n} 至 {m} 轮", hc_summary: "摘要消息", hc_sum: "摘要", hc_none: "对话低于阈值，不压缩。",
    hc_stuck: "不能再减少：最后的提问和回答总会保留。", hc_saved: "{m} 个 token 变为 {n} 个。", hc_infolded: "{m} 轮中的 {n} 轮并入 {s} 个 token 的摘要。", hc_infolded1: "{m} 轮中的 1 轮并入 {s} 个 token 的摘要。", hc_inshort: "{n} 轮被缩短。", hc_inshort1: "1 轮被缩短。",
    hc_rest: "系统与工具", hc_read: "选择一轮，查看其中内容。", hc_list: "各轮", hc_went: "这部分并入摘要；智能体的日志中仍有原文。", hc_stays: "这部分保持原样。", hc_partly: "其中一部分移出，其余保留。", hc_back: "摘要", hc_keys: "按键：↑ ↓ 换轮，Esc 查看摘要",
  },
};

const FATES = { k: "kept", f: "folded", s: "shortened" };
const MARK_OF = { kept: "user", folded: "sum", shortened: "tool" };
const ROUND_TALL = 34;
const THIN = 0.006;
const ROOM = 0.035;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", rows: {}, open: null, threshold: null, keep: null });

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, HISTORY_LABELS);
  const rounds = snapshot.rounds || [];
  const c = { head, ui, say, rounds, messages: snapshot.messages || [], fate: (i) => FATES[head.round_fates[i]], scale: Math.max(head.before, head.after, 1) * 1.02 };
  return h("div", { class: "hai", role: "region", "aria-label": say("hc_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("hc_region")),
      pill(say(rounds.length === 1 ? "hc_rounds1" : "hc_rounds", { n: grouped(rounds.length) })),
      pill(say("tokens", { n: grouped(head.before) })),
      !head.exact && muted(say("estimate")),
      h("span", { class: "hai-gap" }), ui.busy && h("span", { class: "hai-busy" }, say("busy")), button("image", say("saveimage"))),
    notices(c),
    knobs(c),
    h("div", { class: "hai-strips" }, strip(c, "before"), strip(c, "after"), colours(c)),
    h("p", { class: "hai-verdictrow", role: "status" }, verdict(c)),
    rounds.length > 0 && h("div", { class: "hai-below" }, list(c), reading(c)),
    h("footer", { class: "hai-foot" }, say("hc_keys")),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

function knobs({ head, ui, say, rounds }) {
  const threshold = ui.threshold ?? head.threshold;
  const keep = ui.keep ?? head.keep;
  // A threshold far above the conversation would leave no way on the line for those that matter.
  const most = Math.max(64, Math.ceil(head.before * 1.1), head.threshold <= head.before * 3 ? head.threshold : 0);
  const knob = (name, value, shown, least, greatest) => h("label", { key: name }, h("span", { class: "hai-knobname" }, say(`hc_${name}`), h("b", {}, shown)),
    h("input", { type: "range", "data-field": name, "data-live": "set", min: String(least), max: String(greatest), step: "1", value: String(value), "aria-label": say(`hc_${name}`), "aria-valuetext": shown }));
  return h("div", { class: "hai-knobs" }, knob("threshold", threshold, say("tokens", { n: grouped(threshold) }), 16, most), knob("keep", keep, say(keep === 1 ? "hc_rounds1" : "hc_rounds", { n: grouped(keep) }), 1, Math.max(1, rounds.length)));
}

function verdict({ head, say, rounds }) {
  if (!head.due) return say("hc_none");
  const count = (letter) => [...head.round_fates].filter((one) => one === letter).length;
  const [folded, short] = [count("f"), count("s")];
  return [say("hc_saved", { n: grouped(head.after), m: grouped(head.before) }),
    folded > 0 && head.summary && ` ${say(folded === 1 ? "hc_infolded1" : "hc_infolded", { n: grouped(folded), m: grouped(rounds.length), s: grouped(head.summary.tokens) })}`,
    short > 0 && ` ${say(short === 1 ? "hc_inshort1" : "hc_inshort", { n: grouped(short) })}`,
    !head.fits && ` ${say("hc_stuck")}`];
}

/** The tokens of a round, and those that are left of it. */
export const leftOf = ({ head, rounds, fate }, i) => (fate(i) === "folded" ? 0 : head.left[i] ?? rounds[i].tokens);

/** The rounds in pieces that can be told apart: neighbours of one fate that are too thin become one piece. */
export function piecesOf(c, after) {
  const pieces = [];
  c.rounds.forEach((round, i) => {
    const tokens = after ? leftOf(c, i) : round.tokens;
    if (!tokens) return;
    const last = pieces[pieces.length - 1];
    const thin = Math.max(tokens, last ? last.tokens : 0) < THIN * c.scale;
    if (last && thin && last.last === i - 1 && last.fate === c.fate(i)) Object.assign(last, { last: i, tokens: last.tokens + tokens });
    else pieces.push({ first: i, last: i, fate: c.fate(i), tokens });
  });
  return pieces;
}

/**
 * The conversation as one bar: what came of each round, in its order, with the threshold across.
 *
 * A piece can be clicked; the list below has a button for each round, for those who use no mouse.
 */
function strip(c, which) {
  const { head, say, ui } = c;
  const after = which === "after";
  const wide = (tokens) => `width:${((100 * tokens) / c.scale).toFixed(3)}%`;
  const room = (tokens, words) => tokens / c.scale > ROOM + 0.009 * words.length && words;
  const named = ({ first, last }) => (first === last ? String(first + 1) : `${first + 1}–${last + 1}`);
  const title = ({ first, last }) => (first === last ? say("hc_round", { n: first + 1 }) : say("hc_span", { n: first + 1, m: last + 1 }));
  const pieces = piecesOf(c, after).map((one) => h("span", { key: `${which} ${one.first}`, class: `hai-piece hai-f-${one.fate}${ui.open !== null && ui.open >= one.first && ui.open <= one.last ? " hai-on" : ""}`, style: wide(one.tokens), "data-op": "open", "data-arg": String(one.first), "data-move": after ? `round ${one.first}` : null, title: `${title(one)}: ${say("tokens", { n: grouped(one.tokens) })}, ${say(`hc_${one.fate}`)}` }, one.tokens / c.scale > ROOM || one.first === one.last ? named(one) : ""));
  const summary = after && head.summary;
  // What stays of rounds before it comes before it: a summary may stand inside a long round.
  if (summary) pieces.splice(summary.behind, 0, h("span", { key: "summary", class: `hai-piece hai-f-summary${ui.open === null ? " hai-on" : ""}`, style: wide(summary.tokens), "data-op": "open", "data-arg": "", "data-move": "summary", title: `${say("hc_summary")}: ${say("tokens", { n: grouped(summary.tokens) })}` }, "Σ"));
  const total = after ? head.after : head.before;
  return h("div", { class: "hai-striprow" },
    h("div", { class: "hai-stripname" }, h("b", {}, say(`hc_${which}`)), muted(say("tokens", { n: grouped(total) }))),
    h("div", { class: "hai-strip" },
      h("div", { class: "hai-pieces", role: "img", "aria-label": `${say(`hc_${which}`)}: ${say("tokens", { n: grouped(total) })}` }, head.rest > 0 && h("span", { key: "rest", class: "hai-piece hai-f-rest", style: wide(head.rest), title: `${say("hc_rest")}: ${say("tokens", { n: grouped(head.rest) })}` }, room(head.rest, say("hc_rest"))), pieces),
      head.threshold <= c.scale && h("span", { class: "hai-thresholdline", style: `left:${((100 * head.threshold) / c.scale).toFixed(3)}%` }, !after && h("span", { class: head.threshold < c.scale / 4 ? "hai-right" : null }, `${say("hc_threshold")} ${grouped(head.threshold)}`))));
}

/** What the colours of the bars mean, of those that are there. */
function colours({ head, say }) {
  const known = [[head.rest > 0, "rest"], [head.summary, "summary", "hc_sum"], ...Object.entries(FATES).map(([letter, fate]) => [head.round_fates.includes(letter), fate])];
  return h("div", { class: "hai-keys" }, known.filter(([there]) => there).map(([, name, label]) => h("span", { key: name }, h("i", { class: `hai-f-${name}`, "aria-hidden": "true" }), say(label || `hc_${name}`))));
}

function list(c) {
  const { head, say, ui, messages, rounds } = c;
  const most = rounds.reduce((sum, round) => Math.max(sum, round.tokens), 1);
  const draw = (i) => {
    const [round, fate] = [rounds[i], c.fate(i)];
    const question = messages[round.from] ? messages[round.from].text.split("\n")[0] : "";
    return h("li", { key: String(i) }, h("button", { type: "button", class: `hai-roundrow${ui.open === i ? " hai-on" : ""}`, "data-op": "open", "data-arg": String(i), "aria-pressed": ui.open === i ? "true" : "false", tabindex: i === (ui.open ?? 0) ? "0" : "-1", title: question.slice(0, 300) },
      h("span", { class: "hai-n" }, String(i + 1)), mark(MARK_OF[fate]),
      h("span", { class: "hai-q" }, question),
      h("span", { class: "hai-num" }, head.left[i] === undefined ? grouped(round.tokens) : `${grouped(round.tokens)} → ${grouped(head.left[i])}`),
      h("span", { class: "hai-share", "aria-hidden": "true", style: `width:${Math.max(2, (100 * round.tokens) / most).toFixed(1)}%` }),
      h("span", { class: "hai-hidden" }, say(`hc_${fate}`))));
  };
  return h("nav", { class: "hai-itemlist", "aria-label": say("hc_list") }, h("div", { class: "hai-listhead", "aria-hidden": "true" }, h("span", {}, say("hc_list")), h("span", {}, say("hc_tokens"))), rows(c, "rounds", rounds.length, ROUND_TALL, draw));
}

const KINDS = { user: "user", assistant: "model", tool: "tool", system: "sys", summary: "sum" };

function reading(c) {
  const { head, say, ui, messages, rounds } = c;
  const round = ui.open === null ? null : rounds[ui.open];
  if (round) {
    const words = { kept: "hc_stays", folded: "hc_went", shortened: "hc_partly" }[c.fate(ui.open)];
    return h("section", { class: "hai-flow", "aria-label": say("hc_round", { n: ui.open + 1 }) },
      h("p", { class: "hai-muted" }, say(words), head.summary && [" ", button("close", say("hc_back"), null, { class: "hai-link" })]),
      messages.slice(round.from, round.to).map((one, n) => message(c, one, round.from + n)));
  }
  return h("section", { class: "hai-flow", "aria-label": say("hc_summary") },
    head.summary ? card("note", "summary", [mark("sum"), h("b", {}, say("hc_summary")), pill("role: summary"), muted(say("tokens", { n: grouped(head.summary.tokens) }))], pre(c, "summary", head.summary.text, "hai-pre hai-prose"))
      : h("p", { class: "hai-muted" }, say("hc_read")));
}

function message(c, one, at) {
  const { say, head } = c;
  const kind = KINDS[one.role] || "sys";
  return card(kind, `m${at}`,
    [mark(kind), h("b", {}, one.name ? `${one.role} ← ${one.name}` : one.role), muted(say("tokens", { n: grouped(one.tokens) })), h("span", { class: "hai-gap" }), pill(say(`hc_${FATES[head.fates[at]]}`))],
    one.text && pre(c, `m${at}`, one.text), one.calls.length > 0 && h("pre", { class: "hai-pre hai-calls" }, one.calls.map((call, i) => [i ? "\n" : "", ...callText(call)])));
}

export function act(snapshot, ui, op, arg, fields) {
  const rounds = snapshot.rounds || [];
  const open = (i, more = {}) => ({ ui: { open: i, ...showing(ui, "rounds", i) }, reveal: ".hai-roundrow.hai-on", ...more });
  const walk = (i) => (rounds.length ? open(Math.max(0, Math.min(i, rounds.length - 1)), { focus: ".hai-roundrow.hai-on" }) : {});
  switch (op) {
    case "set": {
      const [threshold, keep] = [Number(fields.threshold), Number(fields.keep)];
      return { ui: { threshold, keep }, send: { op: "set", args: { threshold, keep } } };
    }
    case "open": return arg === "" || ui.open === Number(arg) ? { ui: { open: null } } : open(Number(arg));
    case "down": return walk(ui.open === null ? 0 : ui.open + 1);
    case "up": return walk(ui.open === null ? rounds.length - 1 : ui.open - 1);
    case "first": return walk(0);
    case "last": return walk(rounds.length - 1);
    case "close": return { ui: { open: null } };
    case "image": return { image: "history" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close", ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" }, follow: () => ({ threshold: null, keep: null }), label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
