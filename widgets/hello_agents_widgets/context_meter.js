// ContextMeter: the window as one bar, and its items, the biggest first or in the order in which they are sent.
import { button, card, filled, legend, link, mark, muted, notices, pill, pre, sayer, stack } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { grouped, h, html } from "./parts.js";

export const METER_LABELS = {
  en: {
    cm_region: "Context window", cm_items: "{n} items", cm_biggest: "Biggest: {name}, {n} tokens, {p} %", cm_bysize: "biggest first", cm_byorder: "in the order sent", cm_order: "Order", cm_all: "all kinds", cm_kind: "Kind",
    cm_refresh: "Look again", cm_empty: "There is nothing in the window yet.", cm_pick: "Choose an item to read it.", cm_left: "{n} tokens until compression starts", cm_over: "The threshold is passed by {n} tokens.", cm_more: "… {n} more", cm_item: "item", cm_share: "share of what is used",
  },
  zh: {
    cm_region: "上下文窗口", cm_items: "{n} 项", cm_biggest: "最大：{name}，{n} 个 token，{p} %", cm_bysize: "从大到小", cm_byorder: "按发送顺序", cm_order: "顺序", cm_all: "全部类别", cm_kind: "类别",
    cm_refresh: "重新查看", cm_empty: "窗口里还没有内容。", cm_pick: "选择一项以阅读。", cm_left: "距离开始压缩还有 {n} 个 token", cm_over: "已超过阈值 {n} 个 token。", cm_more: "… 还有 {n} 项", cm_item: "项", cm_share: "占已用的比例",
  },
};

const KINDS = ["system", "tools", "user", "assistant", "results", "summary"];
const MARKS = { system: "sys", tools: "sum", user: "user", assistant: "model", results: "tool", summary: "warn" };
const MOST = 60;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", open: null, order: "size", kind: "" });

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, METER_LABELS);
  const c = { head, ui, say };
  const parts = KINDS.map((kind, i) => [`hai-m-${kind}`, say(`m_${kind}`), head.sums[i]]);
  const biggest = head.items.reduce((best, one) => (best === null || one.tokens > best.tokens ? one : best), null);
  const used = head.window ? say("usedof", { n: grouped(head.total), m: grouped(head.window) }) : say("used", { n: grouped(head.total) });
  const left = head.threshold === null ? "" : head.total <= head.threshold ? say("cm_left", { n: grouped(head.threshold - head.total) }) : say("cm_over", { n: grouped(head.total - head.threshold) });
  return h("div", { class: "hai", role: "region", "aria-label": say("cm_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("cm_region")),
      pill(say("cm_items", { n: head.items.length })), pill(say("tokens", { n: grouped(head.total) })), !head.exact && muted(say("estimate")),
      h("span", { class: "hai-gap" }), button("refresh", say("cm_refresh"), null, { disabled: ui.busy }), button("image", say("saveimage"))),
    notices(c),
    h("div", { class: "hai-windowrow" },
      stack(parts),
      legend(parts.filter(([, , amount], i) => amount > 0 || i < 5)),
      filled(head.total, head.window, head.threshold, used, left && ` · ${left}`),
      biggest && h("p", { class: "hai-biggest" }, mark(MARKS[biggest.kind]), say("cm_biggest", { name: nameOf(biggest, say), n: grouped(biggest.tokens), p: percent(biggest.tokens, head.total) }))),
    head.items.length ? h("div", { class: "hai-below" }, list(c), reading(c)) : h("p", { class: "hai-empty" }, say("cm_empty")),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

const nameOf = (one, say) => (one.name ? `${say(`m_${one.kind}`)}, ${one.name}` : say(`m_${one.kind}`));
const percent = (part, whole) => (whole ? Math.round((100 * part) / whole) : 0);

function list(c) {
  const { head, say, ui } = c;
  const chosen = head.items.map((one, at) => ({ ...one, at })).filter((one) => !ui.kind || one.kind === ui.kind);
  if (ui.order === "size") chosen.sort((a, b) => b.tokens - a.tokens || a.at - b.at);
  const shown = ui.all.items ? chosen : chosen.slice(0, MOST);
  return h("section", { class: "hai-itemlist", "aria-label": say("cm_items", { n: chosen.length }) },
    h("div", { class: "hai-itemtools" },
      h("select", { "data-field": "order", "data-live": "order", "aria-label": say("cm_order") }, ["size", "order"].map((one) => h("option", { value: one, selected: ui.order === one }, say(`cm_by${one}`)))),
      h("select", { "data-field": "kind", "data-live": "kind", "aria-label": say("cm_kind") }, h("option", { value: "", selected: ui.kind === "" }, say("cm_all")), KINDS.filter((kind, i) => head.sums[i] > 0).map((kind) => h("option", { value: kind, selected: ui.kind === kind }, say(`m_${kind}`))))),
    h("ol", {}, shown.map((one) => h("li", { key: String(one.at) }, h("button", { type: "button", class: `hai-roundrow${ui.open === one.at ? " hai-on" : ""}`, "data-op": "open", "data-arg": String(one.at), "aria-pressed": ui.open === one.at ? "true" : "false", "data-move": `item ${one.at}` },
      h("span", { class: "hai-n" }, String(one.at + 1)), mark(MARKS[one.kind]), h("span", { class: "hai-q" }, nameOf(one, say)), h("span", { class: "hai-num" }, grouped(one.tokens)),
      h("span", { class: "hai-share", "aria-hidden": "true", style: `width:${Math.max(1, (100 * one.tokens) / Math.max(head.total, 1)).toFixed(1)}%` }))))),
    shown.length < chosen.length && h("div", { class: "hai-more" }, link("all", "items", say("cm_more", { n: chosen.length - shown.length }))));
}

function reading(c) {
  const { head, say, ui } = c;
  const one = ui.open === null ? null : head.items[ui.open];
  return h("section", { class: "hai-flow", "aria-label": say("cm_item") }, one
    ? card({ sys: "sys", sum: "note", user: "user", model: "model", tool: "tool", warn: "warn" }[MARKS[one.kind]], `item ${ui.open}`, [mark(MARKS[one.kind]), h("b", {}, nameOf(one, say)), muted(say("tokens", { n: grouped(one.tokens) })), h("span", { class: "hai-gap" }), pill(`${percent(one.tokens, head.total)} %`)], pre(c, `item ${ui.open}`, one.text))
    : h("p", { class: "hai-muted" }, say("cm_pick")));
}

export function act(snapshot, ui, op, arg, fields) {
  switch (op) {
    case "open": return { ui: { open: ui.open === Number(arg) ? null : Number(arg) } };
    case "order": return { ui: { order: fields.order } };
    case "kind": return { ui: { kind: fields.kind } };
    case "refresh": return { ui: { open: null }, send: { op: "refresh", args: {} }, wait: true };
    case "close": return { ui: { open: null } };
    case "image": return { image: "context" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close" }, label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
