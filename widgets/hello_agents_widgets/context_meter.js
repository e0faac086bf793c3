// ContextMeter: the window as one bar, and its items, the biggest first or in the order in which they are sent.
import { button, card, filled, jsonBlock, legend, mark, muted, notices, pill, pre, sayer, stack } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { rows, showing } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const METER_LABELS = {
  en: {
    cm_region: "Context window", cm_items: "{n} items", cm_items1: "1 item", cm_biggest: "Biggest: {name}, {n} tokens, {p} % of what is used", cm_bysize: "biggest first", cm_byorder: "in the order sent", cm_order: "Order", cm_all: "all kinds", cm_kind: "Kind",
    cm_refresh: "Look again", cm_empty: "There is nothing in the window yet.", cm_none: "There is nothing of this kind.", cm_left: "{n} tokens until compression starts at {m}", cm_over: "The threshold of {m} is passed by {n} tokens.", cm_item: "item", cm_head: "no. · item", cm_tokens: "tokens", cm_share: "{p} % of what is used", cm_place: "no. {n} of {m}",
    cm_one_system: "system", cm_one_tools: "tool schema", cm_one_user: "user", cm_one_assistant: "assistant", cm_one_results: "result", cm_one_summary: "summary", cm_keys: "Keys: ↑ ↓ item, Esc the biggest",
  },
  zh: {
    cm_region: "上下文窗口", cm_items: "{n} 项", cm_items1: "1 项", cm_biggest: "最大：{name}，{n} 个 token，占已用的 {p} %", cm_bysize: "从大到小", cm_byorder: "按发送顺序", cm_order: "顺序", cm_all: "全部类别", cm_kind: "类别",
    cm_refresh: "重新查看", cm_empty: "窗口里还没有内容。", cm_none: "没有这一类的内容。", cm_left: "距离在 {m} 开始压缩还有 {n} 个 token", cm_over: "已超过阈值 {m}，多出 {n} 个 token。", cm_item: "项", cm_head: "序号 · 项", cm_tokens: "token", cm_share: "占已用的 {p} %", cm_place: "第 {n} / {m} 项",
    cm_one_system: "系统", cm_one_tools: "工具模式", cm_one_user: "用户", cm_one_assistant: "助手", cm_one_results: "结果", cm_one_summary: "摘要", cm_keys: "按键：↑ ↓ 换项，Esc 查看最大的一项",
  },
};

const KINDS = ["system", "tools", "user", "assistant", "results", "summary"];
const MARKS = { system: "sys", tools: "sum", user: "user", assistant: "model", results: "tool", summary: "warn" };
const CARDS = { sys: "sys", sum: "note", user: "user", model: "model", tool: "tool", warn: "warn" };
const ITEM_TALL = 34;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", rows: {}, open: null, order: "size", kind: "" });

/** The place of the biggest item, the first of those that are equal; -1 without any. */
export const biggestOf = (items) => items.reduce((best, one, at) => (best < 0 || one.tokens > items[best].tokens ? at : best), -1);

/** The items that are listed, by their places: of one kind or all, by size or in their order. */
function chosenOf({ items }, ui) {
  const places = items.map((_, at) => at).filter((at) => !ui.kind || items[at].kind === ui.kind);
  return ui.order === "size" ? places.sort((a, b) => items[b].tokens - items[a].tokens || a - b) : places;
}

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, METER_LABELS);
  const biggest = biggestOf(head.items);
  const c = { head, ui, say, open: ui.open !== null && head.items[ui.open] ? ui.open : biggest };
  const parts = KINDS.map((kind, i) => [`hai-m-${kind}`, say(`m_${kind}`), head.sums[i]]);
  const used = head.window ? say("usedof", { n: grouped(head.total), m: grouped(head.window) }) : say("used", { n: grouped(head.total) });
  const rest = head.threshold === null ? null : head.threshold - head.total;
  return h("div", { class: "hai", role: "region", "aria-label": say("cm_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("cm_region")),
      pill(say(head.items.length === 1 ? "cm_items1" : "cm_items", { n: grouped(head.items.length) })), pill(say("tokens", { n: grouped(head.total) })), !head.exact && muted(say("estimate")),
      h("span", { class: "hai-gap" }), button("refresh", say("cm_refresh"), null, { disabled: ui.busy }), button("image", say("saveimage"))),
    notices(c),
    h("div", { class: "hai-windowrow" },
      stack(parts),
      legend(parts.filter(([, , amount], i) => amount > 0 || i < 5)),
      biggest >= 0 && h("p", { class: "hai-biggest" }, mark(MARKS[head.items[biggest].kind]), say("cm_biggest", { name: fullName(head.items[biggest], say), n: grouped(head.items[biggest].tokens), p: percent(head.items[biggest].tokens, head.total) })),
      filled(head.total, head.window, head.threshold, used, rest !== null && [" · ", head.window && h("i", { class: "hai-limit", "aria-hidden": "true" }), say(rest >= 0 ? "cm_left" : "cm_over", { n: grouped(Math.abs(rest)), m: grouped(head.threshold) })])),
    head.items.length ? h("div", { class: "hai-below" }, list(c), reading(c)) : h("p", { class: "hai-empty hai-muted" }, say("cm_empty")),
    head.items.length > 0 && h("footer", { class: "hai-foot" }, say("cm_keys")),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

/** What an item is called: by its tools where it has any, and by its kind. */
const fullName = (one, say) => (one.name ? `${one.name} (${say(`cm_one_${one.kind}`)})` : say(`cm_one_${one.kind}`));
const titled = (one, say) => [h("b", {}, one.name || say(`cm_one_${one.kind}`)), muted(one.name ? say(`cm_one_${one.kind}`) : one.text.trimStart().split("\n")[0].slice(0, 120))];
const percent = (part, whole) => (whole ? Math.round((100 * part) / whole) : 0);

function list(c) {
  const { head, say, ui } = c;
  const chosen = chosenOf(head, ui);
  const stop = chosen.includes(c.open) ? c.open : chosen[0];
  const most = Math.max(head.total, 1);
  const pick = (name, options) => h("select", { "data-field": name, "data-live": name, "aria-label": say(`cm_${name}`) }, options.map(([value, label]) => h("option", { key: value, value, selected: ui[name] === value }, label)));
  const draw = (i) => {
    const at = chosen[i];
    const one = head.items[at];
    return h("li", { key: String(at) }, h("button", { type: "button", class: `hai-roundrow${c.open === at ? " hai-on" : ""}`, "data-op": "open", "data-arg": String(at), "aria-pressed": c.open === at ? "true" : "false", "data-move": `item ${at}`, tabindex: at === stop ? "0" : "-1", title: fullName(one, say) },
      h("span", { class: "hai-n" }, String(at + 1)), mark(MARKS[one.kind]), h("span", { class: "hai-q" }, titled(one, say)), h("span", { class: "hai-num" }, grouped(one.tokens)),
      h("span", { class: "hai-share", "aria-hidden": "true", style: `width:${Math.max(1, (100 * one.tokens) / most).toFixed(1)}%` })));
  };
  return h("section", { class: "hai-itemlist", "aria-label": say("cm_items", { n: grouped(chosen.length) }) },
    h("div", { class: "hai-itemtools" },
      pick("order", ["size", "order"].map((one) => [one, say(`cm_by${one}`)])),
      pick("kind", [["", say("cm_all")], ...KINDS.filter((kind, i) => head.sums[i] > 0).map((kind) => [kind, say(`m_${kind}`)])])),
    h("div", { class: "hai-listhead", "aria-hidden": "true" }, h("span", {}, say("cm_head")), h("span", {}, say("cm_tokens"))),
    chosen.length ? rows(c, "items", chosen.length, ITEM_TALL, draw) : h("p", { class: "hai-listhead" }, say("cm_none")));
}

function reading(c) {
  const { head, say, ui } = c;
  const one = head.items[c.open];
  const key = `item ${c.open}`;
  return h("section", { class: "hai-flow", "aria-label": say("cm_item") },
    card(CARDS[MARKS[one.kind]], key, [mark(MARKS[one.kind]), h("b", {}, one.name || say(`cm_one_${one.kind}`)), one.name && muted(say(`cm_one_${one.kind}`)), muted(say("tokens", { n: grouped(one.tokens) })), h("span", { class: "hai-gap" }), pill(say("cm_share", { p: percent(one.tokens, head.total) })), pill(say("cm_place", { n: grouped(c.open + 1), m: grouped(head.items.length) }))],
      one.kind === "tools" ? jsonBlock({ ui, say }, one.text, key) : pre(c, key, one.text)));
}

export function act(snapshot, ui, op, arg, fields) {
  const { head } = snapshot;
  const chosen = chosenOf(head, ui);
  const open = (at, more = {}) => ({ ui: { open: at, copied: false, ...showing(ui, "items", Math.max(0, chosen.indexOf(at))) }, reveal: ".hai-roundrow.hai-on", ...more });
  const walk = (way) => {
    const at = chosen.indexOf(ui.open ?? biggestOf(head.items));
    const to = { down: Math.min(at + 1, chosen.length - 1), up: Math.max(at - 1, 0), first: 0, last: chosen.length - 1 }[way];
    return chosen.length ? open(chosen[to], { focus: ".hai-roundrow.hai-on" }) : {};
  };
  switch (op) {
    case "open": return open(Number(arg));
    case "down": case "up": case "first": case "last": return walk(op);
    case "order": case "kind": return { ui: { [op]: fields[op], rows: {} }, reveal: ".hai-roundrow" };
    case "refresh": return { ui: { open: null }, send: { op: "refresh", args: {} }, wait: true };
    case "copy": return { copy: (head.items[Number(arg.split(" ")[1])] || { text: "" }).text };
    case "close": return { ui: { open: null, rows: {} }, reveal: ".hai-roundrow" };
    case "image": return { image: "context" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close", ArrowDown: "down", ArrowUp: "up", Home: "first", End: "last" }, label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
