// ContextPipeline: the four stages of a context side by side, the settings above them, the budget below.
import { button, card, link, mark, muted, notices, pairs, pill, pre, sayer, scoreBar, stack } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { rows } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const PIPELINE_LABELS = {
  en: {
    cp_region: "Context pipeline", cp_query: "query", cp_ask: "Build", cp_max_tokens: "request limit", cp_reserve_ratio: "kept free for the answer", cp_min_relevance: "least relevance", cp_mmr_lambda: "MMR λ: score against novelty",
    cp_recency_weight: "weight of recency", cp_enable_mmr: "MMR: leave out what is alike", cp_enable_compression: "cut by sentences", cp_on: "on", cp_off: "off", cp_reset: "Reset", cp_back: "Undo", cp_text: "Finished text", cp_notext: "Hide text",
    cp_packets: "{n} packets", cp_ofbudget: "{n} of {m} tokens", cp_gather: "Gather", cp_select: "Select", cp_structure: "Structure", cp_compress: "Compress", cp_gathered: "{n} packets, {t} tokens, {s} sources",
    cp_chosen: "{n} selected, {m} left out", cp_sections: "{n} sections, {t} tokens", cp_fits: "{b} allowed, {n} used", cp_from: "{n} packets, {t} tokens", cp_from1: "1 packet, {t} tokens", cp_nothing: "nothing", cp_failed: "failed",
    cp_stage_select: "while selecting", cp_stage_compress: "while compressing", cp_selected: "Selected", cp_out: "Left out", cp_noneout: "Nothing was left out.", cp_nonein: "Nothing was selected.", cp_required: "always in", cp_same: "as it was", cp_gone: "cut whole", cp_bymodel: "rewritten by the model", cp_never: "never cut",
    cp_holds: "{n} packets", cp_holds1: "1 packet", cp_cut: "… {n} characters cut …", cp_budget: "Budget", cp_section: "section", cp_before: "structured", cp_after: "compressed", cp_whole: "whole text", cp_limit: "limit", cp_reserve: "{n} tokens for the context, {m} more are kept free for the answer",
    cp_role: "role", cp_task: "task", cp_state: "state", cp_evidence: "evidence", cp_context: "context", cp_output: "output", cp_relevance: "relevance", cp_recency: "recency", cp_importance: "importance", cp_raw: "relevance before weighting", cp_score: "score", cp_tokens: "tokens", cp_kept: "tokens in the context",
    cp_source: "source", cp_kind: "kind", cp_citation: "cited as", cp_fate: "what became of it", cp_like: "It is too much like this one, which was selected", cp_close: "close", cp_details: "Packet",
    cp_k_instructions: "instructions", cp_k_task: "task", cp_k_task_state: "task state", cp_k_related_memory: "memory", cp_k_knowledge_base: "knowledge", cp_k_tool_result: "tool result", cp_k_history: "conversation", cp_k_output: "output format",
    cp_changed: "Changed", cp_came: "Came in", cp_went: "Went out", cp_none: "nothing", cp_more: "and {n} more", cp_total: "tokens {a} → {b}", cp_stale: "This setting did not work. What is shown is the last one that did.", cp_notnow: "The query no longer finds it.",
    cp_f_required: "required", cp_f_selected: "selected", cp_f_trimmed: "shortened", cp_f_below_threshold: "not relevant enough", cp_f_redundant: "redundant", cp_f_merged: "merged", cp_f_over_budget: "no room",
  },
  zh: {
    cp_region: "上下文流水线", cp_query: "查询", cp_ask: "构建", cp_max_tokens: "请求上限", cp_reserve_ratio: "为回答预留", cp_min_relevance: "最低相关性", cp_mmr_lambda: "MMR λ：得分与新颖性",
    cp_recency_weight: "时效性权重", cp_enable_mmr: "MMR：去除相似内容", cp_enable_compression: "按句缩减", cp_on: "开", cp_off: "关", cp_reset: "重置", cp_back: "撤销", cp_text: "完整文本", cp_notext: "收起文本",
    cp_packets: "{n} 个信息包", cp_ofbudget: "{m} 个 token 中用了 {n} 个", cp_gather: "收集", cp_select: "选择", cp_structure: "组织", cp_compress: "压缩", cp_gathered: "{s} 个来源，{n} 个信息包，{t} 个 token",
    cp_chosen: "选入 {n} 个，未选入 {m} 个", cp_sections: "{n} 个部分，{t} 个 token", cp_fits: "允许 {b} 个，用了 {n} 个", cp_from: "{n} 个信息包，{t} 个 token", cp_from1: "1 个信息包，{t} 个 token", cp_nothing: "没有内容", cp_failed: "失败",
    cp_stage_select: "选择时", cp_stage_compress: "压缩时", cp_selected: "已选入", cp_out: "未选入", cp_noneout: "没有未选入的内容。", cp_nonein: "没有选入任何内容。", cp_required: "总是包含", cp_same: "保持原样", cp_gone: "整段删去", cp_bymodel: "由模型改写", cp_never: "从不缩减",
    cp_holds: "{n} 个信息包", cp_holds1: "1 个信息包", cp_cut: "… 删去 {n} 个字符 …", cp_budget: "预算", cp_section: "部分", cp_before: "组织后", cp_after: "压缩后", cp_whole: "全文", cp_limit: "上限", cp_reserve: "上下文可用 {n} 个 token，另有 {m} 个为回答预留",
    cp_role: "角色", cp_task: "任务", cp_state: "状态", cp_evidence: "证据", cp_context: "对话", cp_output: "输出", cp_relevance: "相关性", cp_recency: "时效性", cp_importance: "重要性", cp_raw: "加权前的相关性", cp_score: "得分", cp_tokens: "token 数", cp_kept: "留在上下文中的 token 数",
    cp_source: "来源", cp_kind: "类别", cp_citation: "引用为", cp_fate: "结果", cp_like: "它与这个已选入的内容过于相似", cp_close: "关闭", cp_details: "信息包",
    cp_k_instructions: "指令", cp_k_task: "任务", cp_k_task_state: "任务状态", cp_k_related_memory: "记忆", cp_k_knowledge_base: "知识", cp_k_tool_result: "工具结果", cp_k_history: "对话", cp_k_output: "输出格式",
    cp_changed: "改动", cp_came: "新选入", cp_went: "被移出", cp_none: "没有", cp_more: "另有 {n} 个", cp_total: "token {a} → {b}", cp_stale: "这个设置行不通，显示的是上一个可行的设置。", cp_notnow: "当前查询找不到它。",
    cp_f_required: "必需", cp_f_selected: "已选入", cp_f_trimmed: "已缩减", cp_f_below_threshold: "相关性不足", cp_f_redundant: "冗余", cp_f_merged: "已合并", cp_f_over_budget: "放不下",
  },
};

const PARTS = [["hai-q-rel", "cp_relevance", 1], ["hai-q-rec", "cp_recency", 2], ["hai-q-imp", "cp_importance", 3]];
const CHIPS = 8;
const CUT = 160;
const [GATHER_ROW, SELECT_ROW, OUT_ROW] = [46, 58, 74];
const SLIDERS = [["reserve_ratio", 0, 0.9, 0.05], ["min_relevance", 0, 1, 0.05], ["mmr_lambda", 0, 1, 0.05], ["recency_weight", 0, 1, 0.05]];
const SWITCHES = ["enable_mmr", "enable_compression"];

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", rows: {}, pick: null, text: false, query: null, knobs: null });

/** The packets as they stand now, put together once for each answer of Python. */
const joined = new WeakMap();
export function packetsOf({ head, packets = [] }) {
  if (joined.has(head)) return joined.get(head);
  const { rows: row } = head;
  const all = row.places.map((place, at) => {
    const known = packets[place];
    const fate = row.fates[Number(row.fate[at])];
    const chosen = fate === "required" || fate === "selected" || fate === "trimmed";
    return { ...known, at, place, id: row.ids[at], fate, chosen, reason: row.reasons[row.reason[at]], scores: row.scores[at], other: row.other[at] ?? null, kept: chosen ? row.kept[at] ?? known.tokens : 0 };
  });
  const selected = row.chosen.map((at) => all[at]);
  const inside = new Set(row.chosen);
  // The nearest misses first; what never competed last.
  const out = all.filter((one) => !inside.has(one.at)).sort((a, b) => (b.scores ? b.scores[0] : -1) - (a.scores ? a.scores[0] : -1));
  const groups = head.sources.flatMap((source) => [{ source }, ...all.filter((one) => one.source === source.name)]);
  const made = { all, selected, out, groups, byPlace: new Map(all.map((one) => [one.place, one])) };
  joined.set(head, made);
  return made;
}

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, PIPELINE_LABELS);
  const c = { snapshot, head, ui, say, ...packetsOf(snapshot), known: snapshot.packets || [] };
  return h("div", { class: "hai", role: "region", "aria-label": say("cp_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("cp_region")),
      pill(say("cp_packets", { n: grouped(head.gathered) })), pill(say("cp_ofbudget", { n: grouped(head.tokens), m: grouped(head.budget) })),
      h("span", { class: "hai-gap" }), ui.busy && h("span", { class: "hai-busy" }, say("busy")),
      button("text", say(ui.text ? "cp_notext" : "cp_text"), null, { "aria-expanded": ui.text ? "true" : "false" }), button("image", say("saveimage"))),
    notices(c),
    head.error && ui.knobs && h("p", { key: "stale", class: "hai-stale" }, say("cp_stale")),
    asking(c), knobs(c), changed(c),
    ui.text && h("section", { key: "text", class: "hai-flow", "aria-label": say("cp_text") }, card("sys", "text", [h("b", {}, say("cp_text")), muted(say("tokens", { n: grouped(head.tokens) })), h("span", { class: "hai-gap" }), link("copy", "text", say(ui.copied ? "copied" : "copy"))], pre(c, "text", head.text))),
    h("div", { class: "hai-pipe" }, gather(c), select(c), structure(c), compress(c)),
    details(c),
    budget(c),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

// -- settings -----------------------------------------------------------------------------------------------------------

const asking = (c) => {
  const { head, ui, say } = c;
  return h("form", { class: "hai-ask", "data-form": "ask" }, h("label", {}, h("span", {}, say("cp_query")), h("input", { type: "text", "data-field": "query", value: ui.query ?? head.query })), h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say("cp_ask")),
    button("back", say("cp_back"), null, { disabled: !head.change }), button("reset", say("cp_reset"), null, { disabled: !head.moved }));
};

function knobs(c) {
  const { head, say } = c;
  const now = { ...head.knobs, ...c.ui.knobs };
  const slider = (name, least, most, step, shown) =>
    h("label", { key: name }, h("span", { class: "hai-knobname" }, say(`cp_${name}`), h("b", {}, shown)), h("input", { type: "range", "data-field": name, "data-live": "set", min: String(least), max: String(most), step: String(step), value: String(now[name]), disabled: name === "mmr_lambda" && !now.enable_mmr, "aria-label": say(`cp_${name}`) }));
  return h("div", { class: "hai-knobs hai-cpknobs" },
    slider("max_tokens", head.range[0], head.range[1], 1, grouped(now.max_tokens)),
    SLIDERS.map(([name, ...range]) => slider(name, ...range, Number(now[name]).toFixed(2))),
    h("div", { key: "switches", class: "hai-switches" }, SWITCHES.map((name) => h("label", { key: name }, h("input", { type: "checkbox", "data-field": name, "data-live": "set", checked: Boolean(now[name]) }), say(`cp_${name}`)))));
}

/** A setting in words. */
const valued = (say, name, value) => (typeof value === "boolean" ? say(value ? "cp_on" : "cp_off") : name === "query" ? `“${value}”` : name === "max_tokens" ? grouped(value) : Number(value).toFixed(2));

function changed(c) {
  const { head, say, known } = c;
  const { change } = head;
  if (!change) return null;
  const chips = (name, places, kind) => h("div", { key: name, class: "hai-cprow" }, h("span", {}, mark(kind), say(name), ` ${grouped(places.length)}`),
    places.slice(0, CHIPS).map((place) => button("pick", known[place].label, null, { key: String(place), class: "hai-cpchip", "data-arg": String(place), title: known[place].label })), places.length > CHIPS && muted(say("cp_more", { n: grouped(places.length - CHIPS) })));
  return h("section", { key: "change", class: "hai-change", "aria-label": say("cp_changed") },
    h("div", { class: "hai-cprow", role: "status" }, change.moved.map(({ name, was, now }) => h("span", { key: name }, h("b", {}, say(name === "query" ? "cp_query" : `cp_${name}`)), ` ${valued(say, name, was)} → ${valued(say, name, now)}`)), muted(say("cp_total", { a: grouped(change.tokens[0]), b: grouped(change.tokens[1]) }))),
    h("div", { class: "hai-cpmoves" }, chips("cp_came", change.came, "done"), chips("cp_went", change.went, "err")));
}

// -- stages -------------------------------------------------------------------------------------------------------------

const column = (c, name, caption, ...body) =>
  h("section", { class: `hai-stage hai-stage-${name}`, "aria-label": c.say(`cp_${name}`) }, h("div", { class: "hai-stagehead", role: "heading", "aria-level": "4" }, c.say(`cp_${name}`)), h("p", { class: "hai-muted" }, caption),
    c.head.failures.filter((one) => one.stage === name).map((one) => failure(c, `${c.say(`cp_stage_${name}`)}: ${one.name}`, one.error)), body);

const failure = ({ say }, name, error) => h("div", { key: `failed ${name}`, class: "hai-failed", role: "note" }, mark("err"), h("b", {}, `${name} · ${say("cp_failed")}`), h("div", {}, error));

const kindOf = (say, kind) => { const said = say(`cp_k_${kind}`); return said === `cp_k_${kind}` ? kind : said; };

/** The kind of a packet and how it is cited, each said once. */
function kinds(say, { kind, citation }) {
  const said = kindOf(say, kind);
  return !citation ? said : citation.startsWith(said) ? citation : `${said} · ${citation}`;
}

/** A packet as a row that can be clicked. */
function packet(c, one, moves, ...body) {
  const { ui, say } = c;
  const on = ui.pick === one.place;
  return h("li", { key: `${moves} ${one.place}`, "data-move": `${moves} ${one.place}` }, h("button", { type: "button", class: `hai-pk hai-s-${one.section}${one.chosen ? "" : " hai-pkout"}${on ? " hai-on" : ""}`, "data-op": "pick", "data-arg": String(one.place), "aria-pressed": on ? "true" : "false" },
    h("span", { class: "hai-pklabel", title: one.label }, one.label || say("cp_nothing")), h("span", { class: "hai-num" }, grouped(one.tokens)), body));
}

function gather(c) {
  const { head, say, groups } = c;
  const draw = (i) => {
    const { source } = groups[i];
    if (typeof source === "string") return packet(c, groups[i], "g", h("small", {}, kinds(say, groups[i])));
    if (source.error) return h("li", { key: `s ${source.name}`, class: "hai-source" }, failure(c, source.name, source.error));
    return h("li", { key: `s ${source.name}`, class: "hai-source" }, h("b", {}, source.name), muted(say(source.packets === 1 ? "cp_from1" : "cp_from", { n: grouped(source.packets), t: grouped(source.tokens) })));
  };
  return column(c, "gather", say("cp_gathered", { n: grouped(head.gathered), t: grouped(head.gathered_tokens), s: head.sources.length }), rows(c, "gather", groups.length, GATHER_ROW, draw));
}

/** What a selected packet scored, number by number in the order of the colours above; else the reason in words. */
function why({ say }, one) {
  if (one.fate === "required") return h("small", {}, say("cp_required"));
  if (one.fate !== "selected" || !one.scores) return h("small", { class: one.chosen ? null : "hai-why", title: one.reason }, one.reason);
  const [total] = one.scores;
  return h("small", { title: one.reason }, `${total.toFixed(2)} = `, PARTS.map(([cls, name, at], i) => [i ? " + " : "", h("span", { class: `hai-n${cls.slice(3)}`, title: say(name) }, one.scores[at].toFixed(2))]));
}

function select(c) {
  const { head, say, selected, out } = c;
  const draw = (list) => (i) => packet(c, list[i], "s", why(c, list[i]), list[i].scores && scoreBar(PARTS.map(([cls, name, at]) => [cls, say(name), list[i].scores[at]])));
  return column(c, "select", say("cp_chosen", { n: grouped(selected.length), m: grouped(head.dropped) }),
    h("div", { class: "hai-keys hai-cpkeys" }, h("b", {}, say("cp_score")), PARTS.map(([cls, name], i) => h("span", { key: name }, i ? "+ " : "= ", h("i", { class: cls, "aria-hidden": "true" }), say(name)))),
    selected.length ? rows(c, "selected", selected.length, SELECT_ROW, draw(selected), { "aria-label": say("cp_selected") }) : h("p", {}, say("cp_nonein")),
    h("div", { class: "hai-outhead" }, say("cp_out"), " · ", grouped(head.dropped)),
    out.length ? rows(c, "out", out.length, OUT_ROW, draw(out), { "aria-label": say("cp_out") }) : h("p", { class: "hai-muted" }, say("cp_noneout")));
}

const section = (one, title, ...body) => h("div", { key: one.section, class: `hai-sec hai-s-${one.section}` }, h("div", { class: "hai-sechead" }, title), body);

function structure(c) {
  const { head, say } = c;
  return column(c, "structure", say("cp_sections", { n: head.structured.length, t: grouped(head.structured_tokens) }),
    head.structured.map((one) => section(one, [h("b", {}, one.heading || say(`cp_${one.section}`)), h("span", { class: "hai-num" }, grouped(one.tokens))], muted(say(one.packets === 1 ? "cp_holds1" : "cp_holds", { n: grouped(one.packets) })), pre(c, `s ${one.section}`, one.text))));
}

function compress(c) {
  const { head, say } = c;
  const before = new Map(head.structured.map((one) => [one.section, one.tokens]));
  return column(c, "compress", say("cp_fits", { b: grouped(head.budget), n: grouped(head.tokens) }),
    head.compressed.map((one) => section(one, [h("b", {}, one.heading || say(`cp_${one.section}`)), h("span", { class: "hai-num" }, one.whole ? grouped(one.tokens) : `${grouped(before.get(one.section))} → ${grouped(one.tokens)}`)],
      one.fixed ? muted(say("cp_never")) : one.whole ? muted(say("cp_same")) : one.by_model ? [muted(say("cp_bymodel")), pre(c, `c ${one.section}`, one.text)] : [!one.tokens && muted(say("cp_gone")), pieces(c, one)])));
}

/** What stood in a section, with what was cut struck through; long cuts are told by their length. */
function pieces(c, one) {
  const { say, ui } = c;
  const merged = [];
  for (const [text, kept] of one.pieces) {
    const last = merged[merged.length - 1];
    if (last && last[1] === kept) last[0] += text;
    else merged.push([text, kept]);
  }
  const key = `c ${one.section}`;
  const open = ui.all[key];
  const long = merged.some(([text, kept]) => !kept && text.length > CUT);
  return [h("pre", { key: "pieces", class: "hai-pre", tabindex: "0", "aria-label": say(`cp_${one.section}`) }, merged.map(([text, kept], i) => kept ? text : h("del", { key: String(i) }, open || text.length <= CUT ? text : [text.slice(0, CUT / 2), h("ins", {}, say("cp_cut", { n: grouped(text.length - CUT / 2) }))]))),
    long && h("div", { key: "more", class: "hai-more" }, link("all", key, open ? say("less") : say("more", { n: grouped(merged.reduce((sum, [text]) => sum + text.length, 0)) })))];
}

// -- one packet ---------------------------------------------------------------------------------------------------------

function details(c) {
  const { ui, say, byPlace, known, all } = c;
  if (ui.pick === null || !known[ui.pick]) return null;
  const one = byPlace.get(ui.pick);
  const other = one && one.other !== null ? all[one.other] : null;
  return h("section", { key: "details", class: `hai-flow hai-cpdetails${other ? " hai-pair" : ""}`, "aria-label": say("cp_details") },
    one ? about(c, one, true) : card("sys", "gone", [mark("sys"), h("b", {}, known[ui.pick].label), h("span", { class: "hai-gap" }), link("pick", String(ui.pick), say("cp_close"))], h("p", { class: "hai-why2" }, say("cp_notnow")), pre(c, `p ${ui.pick}`, known[ui.pick].content)),
    other && h("div", { key: "like", class: "hai-like" }, h("p", { class: "hai-muted" }, mark("warn"), " ", say("cp_like")), about(c, other, false)));
}

function about(c, one, first) {
  const { say } = c;
  const [total, , , , raw] = one.scores || [];
  return h("article", { key: `about ${one.place}`, class: `hai-card hai-s-${one.section}` },
    h("header", {}, h("b", {}, one.id), pill(say(`cp_f_${one.fate}`), one.chosen ? "tool" : "err"), h("span", { class: "hai-gap" }), first ? link("pick", String(one.place), say("cp_close")) : link("pick", String(one.place), say("open"))),
    h("div", { class: "hai-aboutside" }, h("p", { class: "hai-why2" }, one.reason), one.scores && scoreBar(PARTS.map(([cls, name, at]) => [cls, say(name), one.scores[at]]))),
    pre(c, `p ${one.place}`, one.content),
    h("div", { class: "hai-aboutfacts" }, pairs([[say("cp_source"), one.source], [say("cp_kind"), kindOf(say, one.kind)], [say("cp_section"), say(`cp_${one.section}`)], ...(one.citation ? [[say("cp_citation"), one.citation]] : []), [say("cp_tokens"), grouped(one.tokens)], ...(one.chosen && one.kept !== one.tokens ? [[say("cp_kept"), grouped(one.kept)]] : []),
      ...(one.scores ? [[say("cp_score"), total.toFixed(2)], ...PARTS.map(([, name, at]) => [say(name), one.scores[at].toFixed(2)]), [say("cp_raw"), raw.toFixed(2)]] : [])])));
}

// -- the budget ---------------------------------------------------------------------------------------------------------

function budget(c) {
  const { head, say } = c;
  const scale = Math.max(head.structured_tokens, head.knobs.max_tokens, 1);
  const line = (name, sections, total) => h("div", { key: name, class: "hai-budgetline" }, h("span", {}, say(name)), h("div", { class: "hai-budgetbar" }, h("div", { style: `width:${Math.min(100, (100 * total) / scale).toFixed(2)}%` }, stack(sections.map((one) => [`hai-b-${one.section}`, say(`cp_${one.section}`), one.tokens]))), h("b", { style: `left:${((100 * head.budget) / scale).toFixed(2)}%`, title: say("cp_limit") })), h("span", { class: "hai-num" }, grouped(total)));
  const after = new Map(head.compressed.map((one) => [one.section, one]));
  return h("section", { class: "hai-budget", "aria-label": say("cp_budget") },
    h("div", { class: "hai-budgetlines" }, line("cp_before", head.structured, head.structured_tokens), line("cp_after", head.compressed, head.tokens),
    h("p", { class: "hai-muted" }, h("i", { class: "hai-limit", "aria-hidden": "true" }), say("cp_limit"), ": ", say("cp_reserve", { n: grouped(head.budget), m: grouped(head.knobs.max_tokens - head.budget) }))),
    h("table", { class: "hai-table hai-budgettable" },
      h("thead", {}, h("tr", {}, ["cp_section", "cp_before", "cp_after"].map((name) => h("th", { key: name, scope: "col" }, say(name))))),
      h("tbody", {}, head.structured.map((one) => h("tr", { key: one.section }, h("th", { scope: "row" }, h("i", { class: `hai-swatch hai-b-${one.section}`, "aria-hidden": "true" }), say(`cp_${one.section}`)), h("td", {}, grouped(one.tokens)), h("td", {}, grouped(after.get(one.section).tokens)))),
        h("tr", { key: "whole" }, h("th", { scope: "row" }, h("b", {}, say("cp_whole"))), h("td", {}, h("b", {}, grouped(head.structured_tokens))), h("td", {}, h("b", {}, grouped(head.tokens)))))));
}

export function act(snapshot, ui, op, arg, fields) {
  switch (op) {
    case "pick": return { ui: { pick: ui.pick === Number(arg) ? null : Number(arg), query: fields.query ?? null } };
    case "text": return { ui: { text: !ui.text, copied: false } };
    case "set": {
      const numbers = Object.fromEntries(["max_tokens", ...SLIDERS.map(([name]) => name)].map((name) => [name, Number(fields[name])]));
      const knobs = { ...numbers, ...Object.fromEntries(SWITCHES.map((name) => [name, Boolean(fields[name])])) };
      return { ui: { knobs, query: fields.query }, send: { op: "set", args: knobs } };
    }
    case "ask": return { ui: { query: fields.query }, send: { op: "set", args: { query: fields.query } }, wait: true };
    case "back":
    case "reset": return { ui: { knobs: null, query: null }, send: { op, args: {} }, wait: true };
    case "copy": return { copy: snapshot.head.text };
    case "close": return { ui: { pick: null, text: false } };
    case "image": return { image: "context" };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close" }, follow: () => ({ query: null, knobs: null }), label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
