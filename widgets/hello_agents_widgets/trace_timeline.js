// TraceTimeline: spans on an axis of time or order, in lanes by frame; a list of them to search; one of them in full.
import { button, card, heading, link, mark, muted, notices, pairs, pill, pre, pretty, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { longList, scrollerOf, showing } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const TRACE_LABELS = {
  en: {
    tt_region: "Trace", tt_events: "{n} events", tt_requests: "{n} requests", tt_calls: "{n} calls", tt_errors: "{n} errors", tt_errors1: "1 error", tt_noerrors: "no errors", tt_order: "There are no times in it: the axis is the order of events.", tt_hidden: "Times are left out: the axis is the order of events.",
    tt_kind: "kind", tt_all: "all kinds", tt_k_model: "request", tt_k_tool: "call", tt_k_message: "message", tt_k_agent: "agent", tt_k_approval: "approval", tt_k_summary: "compression", tt_k_error: "error", tt_k_note: "note",
    tt_text: "text", tt_search: "search texts", tt_only: "errors only", tt_next: "Next error", tt_axis: "axis", tt_bytime: "time", tt_byorder: "order", tt_event: "event", tt_fit: "Fit", tt_fit_: "show all of it", tt_step: "Step", tt_step_: "zoom to the step of what is chosen", tt_zoom: "zoom", tt_in: "zoom in", tt_out: "zoom out", tt_left: "earlier", tt_right: "later",
    tt_lanes: "Lanes", tt_list: "Events", tt_found: "{n} of {m} shown", tt_nothing: "Nothing of this kind, or with this text.", tt_pick: "Choose a span or a line to read it.", tt_ofagent: "step {n}", tt_from: "at {t}", tt_took: "took {t}", tt_place: "event {n}", tt_places: "events {n} to {m}", tt_args: "arguments", tt_result: "result", tt_longest: "What took longest", tt_most: "What used most tokens", tt_totals: "In all", tt_t_requests: "requests", tt_t_calls: "calls", tt_t_prompt: "prompt tokens", tt_t_completion: "completion tokens", tt_t_errors: "errors", tt_t_events: "events", tt_t_time: "time", tt_says: "Details",
    tt_cut: "The beginning; .events has it whole.", tt_open: "never answered", tt_block: "{n} spans, zoom in", tt_main: "main", tt_answer: "answer", tt_empty: "There is nothing in this trace yet.", tt_keys: "Keys: ↑ ↓ line, ← → move, + − zoom, F fit, S step, E next error", tt_tokens: "{p} prompt, {c} completion tokens",
  },
  zh: {
    tt_region: "追踪", tt_events: "{n} 个事件", tt_requests: "{n} 次请求", tt_calls: "{n} 次调用", tt_errors: "{n} 个错误", tt_errors1: "1 个错误", tt_noerrors: "没有错误", tt_order: "其中没有时间：坐标轴为事件的顺序。", tt_hidden: "省略了时间：坐标轴为事件的顺序。",
    tt_kind: "类别", tt_all: "全部类别", tt_k_model: "请求", tt_k_tool: "调用", tt_k_message: "消息", tt_k_agent: "智能体", tt_k_approval: "批准", tt_k_summary: "压缩", tt_k_error: "错误", tt_k_note: "备注",
    tt_text: "文字", tt_search: "搜索文字", tt_only: "仅错误", tt_next: "下一个错误", tt_axis: "坐标轴", tt_bytime: "时间", tt_byorder: "顺序", tt_event: "事件", tt_fit: "全览", tt_fit_: "显示全部", tt_step: "一步", tt_step_: "放大所选内容所在的一步", tt_zoom: "缩放", tt_in: "放大", tt_out: "缩小", tt_left: "更早", tt_right: "更晚",
    tt_lanes: "泳道", tt_list: "事件", tt_found: "显示 {m} 中的 {n}", tt_nothing: "没有这类事件或没有这段文字。", tt_pick: "选择一个区段或一行以阅读。", tt_ofagent: "第 {n} 步", tt_from: "始于 {t}", tt_took: "用时 {t}", tt_place: "事件 {n}", tt_places: "事件 {n} 至 {m}", tt_args: "参数", tt_result: "结果", tt_longest: "用时最长", tt_most: "使用 token 最多", tt_totals: "总计", tt_t_requests: "请求", tt_t_calls: "调用", tt_t_prompt: "提示 token", tt_t_completion: "生成 token", tt_t_errors: "错误", tt_t_events: "事件", tt_t_time: "时间", tt_says: "详情",
    tt_cut: "仅开头；.events 中有全文。", tt_open: "未得到回答", tt_block: "{n} 个区段，放大查看", tt_main: "主线", tt_answer: "回答", tt_empty: "该追踪中还没有内容。", tt_keys: "按键：↑ ↓ 换行，← → 移动，+ − 缩放，F 全览，S 一步，E 下一个错误", tt_tokens: "提示 {p}，生成 {c} 个 token",
  },
};

const SPAN_KINDS = ["model", "tool", "message", "agent", "approval", "summary", "error", "note"];
const SPAN_MARKS = { model: "model", tool: "tool", message: "user", agent: "sys", approval: "warn", summary: "sum", error: "err", note: "sys" };
const LINE = 28;
const SPAN_TALL = 18;
const LANE_GAP = 8;
const LANE_UNIT = SPAN_TALL + LANE_GAP;
const LANES_ABOVE = 20;
const LANES_DRAWN = 40;
const MOST_DRAWN = 400;
const BINS = 240;

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", pick: null, kind: "", text: "", only: false, axis: "time", win: null, rows: {} });

/** Whether the axis is time, and how long it is. */
const axisOf = (head, ui) => (head.seconds !== null && ui.axis === "time" ? { time: true, end: head.seconds } : { time: false, end: head.length });

/** From where to where a span goes on the axis. */
export const placeOf = (span, axis) => (axis.time ? span.t : [span.from, span.to]);

/** The numbers of the spans that the filters leave. */
export function chosenOf(spans, ui) {
  const words = ui.text.trim().toLowerCase();
  const found = [];
  spans.forEach((one, i) => {
    if (ui.kind && one.kind !== ui.kind) return;
    if (ui.only && !one.failed) return;
    if (words && !`${one.name}\n${one.text}\n${one.args}\n${one.code}`.toLowerCase().includes(words)) return;
    found.push(i);
  });
  return found;
}

/** What is drawn of these spans between two places: each span, or blocks of many where they would be too small to tell apart. */
export function drawn(spans, numbers, axis, [a, b]) {
  const inside = numbers.filter((i) => {
    const [s, e] = placeOf(spans[i], axis);
    return e >= a && s <= b;
  });
  if (inside.length <= MOST_DRAWN) return inside.map((i) => ({ i, lane: spans[i].lane, row: spans[i].row, from: placeOf(spans[i], axis)[0], to: placeOf(spans[i], axis)[1], count: 1, failed: spans[i].failed, kind: spans[i].kind }));
  const bin = (b - a) / BINS || 1;
  const blocks = new Map();
  for (const i of inside) {
    const one = spans[i];
    const [s, e] = placeOf(one, axis);
    const key = e - s > bin ? `one ${i}` : `${one.lane} ${one.row} ${Math.floor((s - a) / bin)}`;
    const block = blocks.get(key);
    if (!block) blocks.set(key, { i, lane: one.lane, row: one.row, from: s, to: e, count: 1, failed: one.failed, kind: one.kind });
    else {
      block.to = Math.max(block.to, e);
      block.count += 1;
      // An error is what is looked for: a block is picked by its first.
      if (one.failed && !block.failed) block.i = i;
      block.failed = block.failed || one.failed;
    }
  }
  return [...blocks.values()];
}

/** How long something took; what took less than times are told in has no number. */
export const lasted = ([from, to]) => (to > from ? clock(to - from) : "< 1 ms");

export function clock(seconds) {
  if (seconds < 0.0005 && seconds > 0) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 1) return `${+(seconds * 1000).toPrecision(3)} ms`;
  if (seconds < 60) return `${+seconds.toPrecision(3)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours ? `${hours} h ${String(minutes).padStart(2, "0")} min` : `${minutes} min ${String(rest).padStart(2, "0")} s`;
}

/** Round places for the marks of an axis. */
export function ticksOf([a, b], most = 6) {
  const rough = (b - a) / most;
  if (!(rough > 0)) return [a];
  const power = 10 ** Math.floor(Math.log10(rough));
  const stride = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const ticks = [];
  for (let n = Math.ceil(a / stride - 1e-9); n * stride <= b + stride * 1e-9 && ticks.length < 20; n++) ticks.push(n * stride);
  return ticks;
}

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, TRACE_LABELS);
  const spans = snapshot.spans || [];
  const axis = axisOf(head, ui);
  const c = { head, ui, say, spans, axis, win: ui.win || [0, axis.end], numbers: chosenOf(spans, ui) };
  return h("div", { class: "hai", role: "region", "aria-label": `${say("tt_region")}: ${head.title}`, lang: head.language, "data-lm-suppress-shortcuts": "true" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3", title: head.title }, head.title),
      head.seconds !== null && pill(clock(head.seconds)), pill(say("tt_requests", { n: grouped(head.steps) })), pill(say("tt_calls", { n: grouped(head.tool_calls) })), h("span", { class: "hai-pill", title: say("tt_tokens", { p: grouped(head.prompt_tokens), c: grouped(head.completion_tokens) }) }, say("tokens", { n: grouped(head.total_tokens) })),
      head.errors > 0 ? pill([mark("err"), " ", say(head.errors === 1 ? "tt_errors1" : "tt_errors", { n: grouped(head.errors) })], "err") : pill(say("tt_noerrors")),
      h("span", { class: "hai-gap" }), head.errors > 0 && button("error", say("tt_next"), "E"), button("image", say("saveimage"))),
    notices(c),
    filters(c),
    spans.length ? [chart(c), h("div", { class: "hai-below hai-tracebelow" }, list(c), reading(c))] : h("p", { class: "hai-empty hai-muted" }, say("tt_empty")),
    h("footer", { class: "hai-foot" }, head.why && h("span", {}, say(head.why === "hidden" ? "tt_hidden" : "tt_order")), h("span", {}, say("tt_keys"))),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

function filters({ head, ui, say, spans, numbers }) {
  const kinds = SPAN_KINDS.filter((kind) => spans.some((one) => one.kind === kind));
  return h("div", { class: "hai-panelbar" },
    h("label", {}, say("tt_kind"), h("select", { "data-field": "kind", "data-live": "filter" }, h("option", { value: "", selected: ui.kind === "" }, say("tt_all")), kinds.map((kind) => h("option", { key: kind, value: kind, selected: ui.kind === kind }, say(`tt_k_${kind}`))))),
    h("label", {}, say("tt_text"), h("input", { type: "search", "data-field": "text", "data-live": "filter", placeholder: say("tt_search"), value: ui.text })),
    button("only", say("tt_only"), null, { class: "hai-toggle", "aria-pressed": ui.only ? "true" : "false" }),
    muted(say("tt_found", { n: grouped(numbers.length), m: grouped(spans.length) })),
    h("span", { class: "hai-gap" }),
    head.seconds !== null && h("label", {}, say("tt_axis"), h("select", { "data-field": "axis", "data-live": "axis" }, ["time", "order"].map((one) => h("option", { key: one, value: one, selected: ui.axis === one }, say(`tt_by${one}`))))),
    h("span", { class: "hai-zoom", role: "group", "aria-label": say("tt_zoom") }, muted(say("tt_zoom")),
      button("fit", say("tt_fit"), null, { disabled: ui.win === null, title: say("tt_fit_") }), button("step", say("tt_step"), null, { disabled: ui.pick === null, title: say("tt_step_") }),
      button("out", "−", null, { "aria-label": say("tt_out"), disabled: ui.win === null }), button("in", "+", null, { "aria-label": say("tt_in") }),
      button("left", "◂", null, { "aria-label": say("tt_left"), disabled: ui.win === null }), button("right", "▸", null, { "aria-label": say("tt_right"), disabled: ui.win === null })));
}

const tall = (lane) => lane.rows * SPAN_TALL + LANE_GAP;

/** The lanes in sight, with their spans, below the axis. */
function chart(c) {
  const { head, ui, axis, win, say, spans } = c;
  const [a, b] = win;
  const at = (place) => (100 * (place - a)) / (b - a || 1);
  let top = 0;
  const tops = head.lanes.map((lane) => { const here = top; top += tall(lane); return here; });
  const first = ui.rows.lanes || 0;
  const [from, to] = [Math.max(0, first - LANES_ABOVE), first + LANES_DRAWN];
  const seen = (i) => tops[i] + tall(head.lanes[i]) >= from * LANE_UNIT && tops[i] <= to * LANE_UNIT;
  const pieces = new Map();
  for (const piece of drawn(spans, c.numbers, axis, win)) if (seen(piece.lane)) pieces.set(piece.lane, [...(pieces.get(piece.lane) || []), piece]);
  const ticks = axis.time ? ticksOf(win) : ticksOf([a + 1, b + 1]).map((tick) => tick - 1);
  // Events are counted from 1, as they are in the list and beside it.
  const unit = (place) => (axis.time ? clock(place) : grouped(Math.round(place) + 1));
  return h("section", { class: "hai-chart", "aria-label": say("tt_lanes") },
    h("div", { class: "hai-axisrow", "aria-hidden": "true" }, h("span", { class: "hai-axisname" }, say(axis.time ? "tt_bytime" : "tt_event")), h("div", { class: "hai-axis" }, ticks.map((tick) => h("span", { key: String(tick), style: `left:${at(tick).toFixed(3)}%` }, unit(tick))))),
    h("div", { class: "hai-lanes", ...scrollerOf("lanes", LANE_UNIT, from, to, Math.ceil(top / LANE_UNIT)) }, h("div", { style: `position:relative;height:${top}px` },
      head.lanes.map((lane, i) => seen(i) && laneRow(c, lane, i, tops[i], pieces.get(i) || [], at)))),
    h("div", { class: "hai-keys" }, SPAN_KINDS.filter((kind) => spans.some((one) => one.kind === kind)).map((kind) => h("span", { key: kind }, h("i", { class: `hai-s-${kind}`, "aria-hidden": "true" }), say(`tt_k_${kind}`))), head.errors > 0 && h("span", { key: "failed" }, h("b", { class: "hai-failedkey", "aria-hidden": "true" }, "✕"), say("error"))));
}

/** The agent of a lane, and by which call it was begun where it is a child's. */
const laneName = (say, lane) => [h("b", {}, lane.agent || lane.frame || say("tt_main")), lane.agent && lane.frame && ` ${lane.frame.split("/").pop()}`];

function laneRow(c, lane, i, top, pieces, at) {
  const { say, axis, ui, spans } = c;
  const [s, e] = placeOf(lane, axis);
  const clip = (place) => Math.max(0, Math.min(100, at(place)));
  return h("div", { key: `lane ${lane.frame}`, class: "hai-lane", style: `top:${top}px;height:${tall(lane)}px` },
    h("span", { class: "hai-lanename", style: `padding-left:${8 + 10 * Math.min(lane.depth, 6)}px`, title: [lane.agent, lane.frame || say("tt_main")].filter(Boolean).join(" · ") }, laneName(say, lane)),
    h("span", { class: "hai-track" },
      h("i", { class: "hai-reach", style: `left:${clip(s).toFixed(3)}%;width:${(clip(e) - clip(s)).toFixed(3)}%` }),
      pieces.map((piece) => {
        const [x, y] = [clip(piece.from), clip(piece.to)];
        const one = spans[piece.i];
        const point = piece.count === 1 && one.from === one.to;
        const words = piece.count > 1 ? say("tt_block", { n: piece.count }) : `${say(`tt_k_${one.kind}`)} ${one.name}${one.failed ? `, ${say("error")}` : ""}`;
        return h("span", { key: `${piece.count > 1 ? "b" : "s"} ${piece.i}`, class: `hai-span hai-s-${piece.count > 1 ? "many" : piece.kind}${piece.failed ? " hai-s-failed" : ""}${point ? " hai-s-point" : ""}${ui.pick === piece.i ? " hai-on" : ""}`, style: `left:${x.toFixed(3)}%;width:${(y - x).toFixed(3)}%;top:${piece.row * SPAN_TALL + LANE_GAP / 2}px`, "data-op": piece.count > 1 ? "block" : "pick", "data-arg": piece.count > 1 ? `${piece.i} ${piece.from} ${piece.to}` : String(piece.i), title: words },
          piece.failed && h("b", {}, "✕"), y - x > 5 && piece.count === 1 && (one.name || say(`tt_k_${one.kind}`)));
      })));
}

function nameOf({ say }, one) {
  if (one.kind === "model") return one.name || say("tt_answer");
  return one.name || say(`tt_k_${one.kind}`);
}

/** A name and the beginning of a text; the text of a request names its calls already. */
function lineOf(c, one) {
  const text = one.text.split("\n")[0].slice(0, 160);
  const first = one.name.split(", ")[0];
  return one.kind === "model" && first && text.startsWith(`${first}(`) ? [h("b", {}, first), text.slice(first.length)] : [h("b", {}, nameOf(c, one)), text && ` ${text}`];
}

function list(c) {
  const { ui, say, spans, numbers, head } = c;
  const { from, to, scroller, above, below } = longList(ui, "events", numbers.length, LINE);
  const stop = numbers.includes(ui.pick) ? ui.pick : numbers[0];
  return h("section", { class: "hai-tracelist", "aria-label": say("tt_list"), "data-list": "events", ...scroller },
    numbers.length === 0 ? h("p", { class: "hai-empty hai-muted" }, say("tt_nothing")) : h("ol", {}, above,
      numbers.slice(from, to).map((i, n) => {
        const one = spans[i];
        const lane = head.lanes[one.lane];
        return h("li", { key: String(i), "aria-setsize": String(numbers.length), "aria-posinset": String(from + n + 1) }, h("button", { type: "button", class: `hai-traceline${ui.pick === i ? " hai-on" : ""}`, "data-op": "pick", "data-arg": String(i), "aria-pressed": ui.pick === i ? "true" : "false", tabindex: i === stop ? "0" : "-1" },
          h("span", { class: "hai-n" }, String(i + 1)), mark(one.failed ? "err" : SPAN_MARKS[one.kind]),
          h("span", { class: "hai-q", style: `padding-left:${10 * Math.min(lane ? lane.depth : 0, 6)}px`, title: one.text.slice(0, 300) || null }, lineOf(c, one)),
          one.failed && h("span", { class: "hai-hidden" }, say("error")),
          h("span", { class: "hai-num" }, one.t && one.to > one.from ? lasted(one.t) : "")));
      }), below));
}

const FEW_LONGEST = 5;

/** The trace in numbers, and where most of its time or its tokens went, until something is chosen. */
function overview(c) {
  const { head, say, spans } = c;
  const took = (one) => (head.seconds === null ? one.tokens || 0 : one.t && (one.kind === "model" || one.kind === "tool") ? one.t[1] - one.t[0] : 0);
  const longest = spans.map((one, i) => [took(one), i]).filter(([much]) => much > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, FEW_LONGEST);
  const facts = [...(head.seconds === null ? [] : [["time", clock(head.seconds)]]), ["requests", grouped(head.steps)], ["calls", grouped(head.tool_calls)], ["errors", grouped(head.errors)], ["prompt", grouped(head.prompt_tokens)], ["completion", grouped(head.completion_tokens)], ["events", grouped(head.count)]];
  return [h("div", { key: "totals" }, heading(say("tt_totals")), pairs(facts.map(([name, value]) => [say(`tt_t_${name}`), value]))),
    longest.length > 0 && h("div", { key: "longest" }, heading(say(head.seconds === null ? "tt_most" : "tt_longest")),
      h("ol", { class: "hai-longest" }, longest.map(([much, i]) => h("li", { key: String(i) }, h("button", { type: "button", "data-op": "pick", "data-arg": String(i) }, mark(spans[i].failed ? "err" : SPAN_MARKS[spans[i].kind]), h("span", { class: "hai-q", title: spans[i].text.slice(0, 300) || null }, lineOf(c, spans[i])), h("span", { class: "hai-num" }, head.seconds === null ? grouped(much) : clock(much)))))))];
}

function reading(c) {
  const { ui, say, spans, head } = c;
  const one = ui.pick === null ? null : spans[ui.pick];
  if (!one) return h("section", { class: "hai-flow", "aria-label": say("tt_says") }, h("p", { class: "hai-muted" }, say("tt_pick")), overview(c));
  const kind = one.failed ? "err" : SPAN_MARKS[one.kind];
  const lane = head.lanes[one.lane];
  const place = one.from === one.to ? say("tt_place", { n: one.from + 1 }) : say("tt_places", { n: one.from + 1, m: one.to + 1 });
  const facts = [one.t && say("tt_from", { t: clock(one.t[0]) }), one.t && one.to > one.from && say("tt_took", { t: lasted(one.t) }), place, one.step !== null && one.step !== undefined && say("tt_ofagent", { n: one.step }), lane.frame && say("frame", { frame: lane.frame }), one.tokens > 0 && say("tokens", { n: grouped(one.tokens) })];
  return h("section", { class: "hai-flow", "aria-label": say("tt_says") },
    card({ sum: "note" }[kind] || kind, `span ${ui.pick}`, [mark(kind), h("b", {}, nameOf(c, one)), pill(say(`tt_k_${one.kind}`)), one.failed && pill([say("error"), one.code && ` ${one.code}`], "err"), one.open && pill(say("tt_open"), "warn"), h("span", { class: "hai-gap" }), link("copy", "", c.ui.copied ? say("copied") : say("copy"))],
      h("p", { class: "hai-facts hai-muted" }, facts.filter(Boolean).join(" · ")),
      one.args && one.args !== "{}" && h("div", {}, h("p", { class: "hai-facts hai-muted" }, say("tt_args")), pre(c, `args ${ui.pick}`, pretty(one.args))),
      one.text && one.kind === "tool" && h("p", { class: "hai-facts hai-muted" }, say("tt_result")),
      one.text && pre(c, `text ${ui.pick}`, one.text),
      one.cut && h("p", { class: "hai-facts hai-muted" }, say("tt_cut"))));
}

/** A window moved so that a place lies in it. */
function holding(win, [s, e], end) {
  if (!win || (e >= win[0] && s <= win[1])) return win;
  const wide = win[1] - win[0];
  const from = Math.max(0, Math.min(s - wide / 3, end - wide));
  return [from, from + wide];
}

export function act(snapshot, ui, op, arg, fields) {
  const { head } = snapshot;
  const spans = snapshot.spans || [];
  const axis = axisOf(head, ui);
  const numbers = chosenOf(spans, ui);
  const win = ui.win || [0, axis.end];
  const wide = win[1] - win[0];
  const lanesTop = (i) => head.lanes.slice(0, spans[i].lane).reduce((sum, lane) => sum + tall(lane), 0);
  const pick = (i, more = {}, place = numbers.indexOf(i)) => {
    if (i === undefined || !spans[i]) return {};
    return { ui: { pick: i, copied: false, win: holding(ui.win, placeOf(spans[i], axis), axis.end), rows: { ...showing(ui, "events", Math.max(0, place)).rows, lanes: Math.floor(lanesTop(i) / LANE_UNIT) }, ...more }, focus: `.hai-traceline[data-arg="${i}"]`, reveal: ".hai-span.hai-on" };
  };
  const zoom = (factor) => {
    const middle = ui.pick !== null && spans[ui.pick] ? placeOf(spans[ui.pick], axis).reduce((x, y) => x + y) / 2 : (win[0] + win[1]) / 2;
    const next = Math.max(wide * factor, axis.end * 1e-6);
    const from = Math.max(0, Math.min(Math.max(win[0], Math.min(middle, win[1])) - next / 2, axis.end - next));
    return { ui: { win: next >= axis.end * 0.999 ? null : [from, from + next] } };
  };
  const pan = (share) => {
    const from = Math.max(0, Math.min(win[0] + share * wide, axis.end - wide));
    return ui.win ? { ui: { win: [from, from + wide] } } : {};
  };
  const fromTheTop = (change) => ({ ui: { ...change, rows: { ...ui.rows, events: 0 } }, reveal: ".hai-traceline" });
  switch (op) {
    case "pick": return pick(Number(arg));
    case "block": {
      const [i, s, e] = arg.split(" ").map(Number);
      const room = Math.max((e - s) * 0.2, wide / 60);
      return pick(i, { win: [Math.max(0, s - room), Math.min(axis.end, e + room)] });
    }
    case "down": return pick(numbers[Math.min(numbers.indexOf(ui.pick) + 1, numbers.length - 1)]);
    case "up": return pick(numbers[Math.max(numbers.indexOf(ui.pick) - 1, 0)]);
    case "first": return pick(numbers[0]);
    case "last": return pick(numbers[numbers.length - 1]);
    case "error": {
      const bad = spans.map((one, i) => (one.failed ? i : -1)).filter((i) => i >= 0);
      const next = bad.find((i) => ui.pick !== null && i > ui.pick);
      const goal = next === undefined ? bad[0] : next;
      if (goal === undefined) return {};
      // A filter that hides the error would hide what was asked for.
      const hidden = !numbers.includes(goal);
      return hidden ? pick(goal, { kind: "", text: "" }, goal) : pick(goal);
    }
    case "filter": return fromTheTop({ kind: fields.kind, text: fields.text });
    case "only": return fromTheTop({ only: !ui.only });
    case "axis": return { ui: { axis: fields.axis, win: null } };
    case "fit": return { ui: { win: null } };
    case "in": return zoom(0.5);
    case "out": return zoom(2);
    case "left": return pan(-0.4);
    case "right": return pan(0.4);
    case "step": {
      const one = spans[ui.pick];
      if (!one) return {};
      const mates = spans.filter((other) => other.frame === one.frame && other.step === one.step).map((other) => placeOf(other, axis));
      const [s, e] = [Math.min(...mates.map(([x]) => x)), Math.max(...mates.map(([, y]) => y))];
      const room = Math.max((e - s) * 0.08, axis.end * 1e-6, axis.time ? 0 : 0.5);
      return { ui: { win: [Math.max(0, s - room), Math.min(axis.end, e + room)] } };
    }
    case "copy": return { copy: JSON.stringify(spans[ui.pick] || {}, null, 1) };
    case "image": return { image: head.title };
    case "close": return { ui: { pick: null } };
    default: return {};
  }
}

const KEYS_OF_TRACE = { ArrowDown: "down", ArrowUp: "up", ArrowLeft: "left", ArrowRight: "right", Home: "first", End: "last", "+": "in", "=": "in", "-": "out", f: "fit", F: "fit", s: "step", S: "step", e: "error", E: "error", Escape: "close" };

export { html };
export default { render: frame({ view, act, freshUi, keys: KEYS_OF_TRACE, label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
