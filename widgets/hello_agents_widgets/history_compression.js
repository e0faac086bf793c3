// HistoryCompression: rounds as pieces of a bar against the threshold, and the summary that some of them become.
import { button, card, mark, muted, notices, pill, pre, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { grouped, h, html } from "./parts.js";

export const HISTORY_LABELS = {
  en: {
    hc_region: "History compression", hc_before: "Before", hc_after: "After", hc_rounds: "{n} rounds", hc_threshold: "Threshold: {n} tokens", hc_keep: "Keep the last {n} rounds", hc_keep1: "Keep the last round",
    hc_kept: "stays", hc_folded: "goes into the summary", hc_shortened: "made shorter", hc_round: "Round {n}", hc_summary: "Summary message", hc_none: "The conversation is below the threshold. Nothing is compressed.",
    hc_stuck: "Nothing more can go: the last question and its answer always stay.", hc_saved: "{n} of {m} tokens stay", hc_rest: "system and tools", hc_read: "Choose a round to read what is in it.", hc_image: "image",
    hc_line: "threshold", hc_list: "Rounds", hc_went: "This went into the summary. The journal of an agent still has it.", hc_stays: "This stays as it is.", hc_partly: "Part of this went; the rest stays.",
  },
  zh: {
    hc_region: "历史压缩", hc_before: "压缩前", hc_after: "压缩后", hc_rounds: "{n} 轮", hc_threshold: "阈值：{n} 个 token", hc_keep: "保留最后 {n} 轮", hc_keep1: "保留最后一轮",
    hc_kept: "保留", hc_folded: "并入摘要", hc_shortened: "被缩短", hc_round: "第 {n} 轮", hc_summary: "摘要消息", hc_none: "对话低于阈值，不压缩。",
    hc_stuck: "不能再减少：最后的提问和回答总会保留。", hc_saved: "{m} 个 token 中保留 {n} 个", hc_rest: "系统与工具", hc_read: "选择一轮，查看其中内容。", hc_image: "图像",
    hc_line: "阈值", hc_list: "各轮", hc_went: "这部分已并入摘要；智能体的日志中仍有原文。", hc_stays: "这部分保持原样。", hc_partly: "其中一部分已移出，其余保留。",
  },
};

const SHOWN = 40;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", open: null, threshold: null, keep: null });

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, HISTORY_LABELS);
  const c = { snapshot, head, ui, say, messages: snapshot.messages || [] };
  c.sizes = head.rounds.map((round) => c.messages.slice(round.from, round.to).reduce((sum, one) => sum + one.tokens, 0));
  c.rest = head.before - c.sizes.reduce((sum, size) => sum + size, 0);
  c.scale = Math.max(head.before, head.after, 1) * 1.02;
  const threshold = ui.threshold === null ? head.threshold : ui.threshold;
  const keep = ui.keep === null ? head.keep : ui.keep;
  return h("div", { class: "hai", role: "region", "aria-label": say("hc_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("hc_region")),
      pill(say("hc_rounds", { n: head.rounds.length })),
      pill(say("tokens", { n: grouped(head.before) })),
      !head.exact && muted(say("estimate")),
      h("span", { class: "hai-gap" }), ui.busy && h("span", { class: "hai-busy" }, say("busy")), button("image", say("hc_image"))),
    notices(c),
    h("div", { class: "hai-knobs" },
      h("label", {}, h("span", {}, say("hc_threshold", { n: grouped(threshold) })), h("input", { type: "range", "data-field": "threshold", "data-live": "set", min: "16", max: String(Math.max(64, Math.ceil(head.before * 1.1), head.threshold <= head.before * 3 ? head.threshold : 0)), step: "1", value: String(threshold), "aria-label": say("hc_line") })),
      h("label", {}, h("span", {}, say(keep === 1 ? "hc_keep1" : "hc_keep", { n: keep })), h("input", { type: "range", "data-field": "keep", "data-live": "set", min: "1", max: String(Math.max(1, head.rounds.length)), step: "1", value: String(keep), "aria-label": say("hc_keep", { n: keep }) }))),
    strip(c, "before"),
    strip(c, "after"),
    h("p", { class: "hai-verdictrow", role: "status" }, head.due ? say("hc_saved", { n: grouped(head.after), m: grouped(head.before) }) : say("hc_none"), head.due && !head.fits && ` ${say("hc_stuck")}`),
    h("div", { class: "hai-below" }, list(c), reading(c)),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

/**
 * The conversation as one bar: what came of each round, in its order, with the threshold across.
 *
 * A piece can be clicked; the list below has a button for each round, for those who use no mouse.
 */
function strip(c, which) {
  const { head, say, sizes } = c;
  const after = which === "after";
  const wide = (tokens) => `width:${((100 * tokens) / c.scale).toFixed(3)}%`;
  const rounds = head.rounds.map((round, i) => ({ round, i, tokens: after ? leftOf(c, round) : sizes[i] })).filter(({ tokens }) => tokens > 0);
  const summary = after && head.summary;
  const first = rounds.findIndex(({ round }) => round.fate !== "folded");
  const pieces = rounds.map(({ round, i, tokens }) => h("span", { key: `${which} ${i}`, class: `hai-piece hai-f-${round.fate}${c.ui.open === i ? " hai-on" : ""}`, style: wide(tokens), "data-op": "open", "data-arg": String(i), "data-move": after ? `round ${i}` : null, title: `${say("hc_round", { n: i + 1 })}: ${say("tokens", { n: grouped(tokens) })}, ${say(`hc_${round.fate}`)}` }, String(i + 1)));
  if (summary) pieces.splice(Math.max(first, 0), 0, h("span", { key: "summary", class: `hai-piece hai-f-summary${c.ui.open === null ? " hai-on" : ""}`, style: wide(summary.tokens), "data-op": "open", "data-arg": "", "data-move": "summary", title: `${say("hc_summary")}: ${say("tokens", { n: grouped(summary.tokens) })}` }, "Σ"));
  const total = after ? head.after : head.before;
  return h("div", { class: "hai-striprow" },
    h("div", { class: "hai-stripname" }, h("b", {}, say(`hc_${which}`)), muted(say("tokens", { n: grouped(total) }))),
    h("div", { class: "hai-strip" },
      h("div", { class: "hai-pieces", role: "img", "aria-label": `${say(`hc_${which}`)}: ${say("tokens", { n: grouped(total) })}` }, c.rest > 0 && h("span", { key: "rest", class: "hai-piece hai-f-rest", style: wide(c.rest), title: `${say("hc_rest")}: ${say("tokens", { n: grouped(c.rest) })}` }), pieces),
      head.threshold <= c.scale && h("span", { class: "hai-thresholdline", style: `left:${((100 * head.threshold) / c.scale).toFixed(3)}%` }, h("span", {}, which === "before" && say("hc_line")))));
}

/** The tokens that are left of a round. */
function leftOf({ head, messages }, round) {
  const shortened = new Map(head.shortened.map((one) => [one.at, one.tokens]));
  let sum = 0;
  for (let i = round.from; i < round.to; i++) sum += head.fates[i] === "kept" ? messages[i].tokens : shortened.get(i) || 0;
  return sum;
}

function list(c) {
  const { head, say, ui, messages, sizes } = c;
  const most = Math.max(...sizes, 1);
  const all = head.rounds.length <= SHOWN || ui.all.rounds;
  const shown = all ? head.rounds : head.rounds.slice(-SHOWN);
  const skipped = head.rounds.length - shown.length;
  return h("nav", { class: "hai-itemlist", "aria-label": say("hc_list") },
    skipped > 0 && h("div", { class: "hai-more" }, button("all", `… ${skipped} …`, null, { class: "hai-link", "data-arg": "rounds" })),
    h("ol", {}, shown.map((round, n) => {
      const i = n + skipped;
      return h("li", { key: String(i) }, h("button", { type: "button", class: `hai-roundrow${ui.open === i ? " hai-on" : ""}`, "data-op": "open", "data-arg": String(i), "aria-pressed": ui.open === i ? "true" : "false" },
        h("span", { class: "hai-n" }, String(i + 1)), mark({ kept: "user", folded: "sum", shortened: "warn" }[round.fate]),
        h("span", { class: "hai-q" }, messages[round.from] ? messages[round.from].text.split("\n")[0] : ""),
        h("span", { class: "hai-num" }, grouped(sizes[i])),
        h("span", { class: "hai-share", "aria-hidden": "true", style: `width:${Math.max(2, (100 * sizes[i]) / most).toFixed(1)}%` }),
        h("span", { class: "hai-hidden" }, say(`hc_${round.fate}`))));
    })));
}

const KINDS = { user: "user", assistant: "model", tool: "tool", system: "sys", summary: "sum" };

function reading(c) {
  const { head, say, ui, messages } = c;
  const round = head.rounds[ui.open];
  if (ui.open !== null && round) {
    const words = { kept: "hc_stays", folded: "hc_went", shortened: "hc_partly" }[round.fate];
    return h("section", { class: "hai-flow", "aria-label": say("hc_round", { n: ui.open + 1 }) }, h("p", { class: "hai-muted" }, say(words)),
      messages.slice(round.from, round.to).map((one, n) => card(KINDS[one.role] || "sys", `m${round.from + n}`,
        [mark(KINDS[one.role] || "sys"), h("b", {}, one.role), muted(say("tokens", { n: grouped(one.tokens) })), h("span", { class: "hai-gap" }), pill(say(`hc_${head.fates[round.from + n]}`))],
        pre(c, `m${round.from + n}`, one.text))));
  }
  return h("section", { class: "hai-flow", "aria-label": say("hc_summary") },
    head.summary ? card("note", "summary", [mark("sum"), h("b", {}, say("hc_summary")), pill("role: summary"), muted(say("tokens", { n: grouped(head.summary.tokens) }))], pre(c, "summary", head.summary.text, "hai-pre hai-prose"))
      : h("p", { class: "hai-muted" }, say("hc_read")));
}

export function act(snapshot, ui, op, arg, fields) {
  switch (op) {
    case "set": {
      const [threshold, keep] = [Number(fields.threshold), Number(fields.keep)];
      return { ui: { threshold, keep }, send: { op: "set", args: { threshold, keep } } };
    }
    case "open": return { ui: { open: arg === "" || ui.open === Number(arg) ? null : Number(arg) } };
    case "close": return { ui: { open: null } };
    case "image": return { image: "history" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close" }, label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
