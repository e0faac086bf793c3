// MemoryExplorer: memories and documents in a list, hits with their reasons, and forms to add and to forget.
import { button, card, heading, link, mark, muted, notices, pill, pre, sayer, scoreBar } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { rows } from "./lists.js";
import { grouped, h, html } from "./parts.js";

export const EXPLORER_LABELS = {
  en: {
    me_region: "Memory explorer", me_search: "Search", me_query: "what to look for", me_add: "Add", me_forget: "Forget", me_refresh: "Look again", me_memories: "{n} memories", me_memories1: "1 memory", me_documents: "{n} documents", me_documents1: "1 document",
    me_memory: "memory of {name}", me_knowledge: "knowledge: {name}", me_working: "working", me_episodic: "episodic", me_semantic: "semantic", me_empty: "Nothing is here yet.", me_chunks: "{n} chunks", me_chunks1: "1 chunk", me_importance: "importance {n}", me_score: "score {n}",
    me_just: "just now", me_minutes: "{n} min ago", me_hours: "{n} h ago", me_days: "{n} days ago", me_changed: "changed since", me_hits: "{n} hits", me_hits1: "1 hit", me_nohits: "Nothing has to do with it.", me_failed: "could not look", me_unread: "cannot be read",
    me_words: "words", me_vector: "vector", me_recency: "recency", me_imp: "importance", me_rankwords: "by words: rank {n} (BM25 {s})", me_rankvector: "by vector: rank {n} (cosine {s})", me_notwords: "by words: not found", me_notvector: "by vector: not found", me_fused: "fused {s}", me_rerank: "re-ranked {s}",
    me_where: "to", me_text: "text", me_kind: "kind", me_weight: "importance, 0 to 1", me_usual: "as usual", me_tags: "tags, with commas", me_id: "id", me_make: "made from the text", me_keep: "Remember", me_keepdoc: "Add the document", me_from: "of",
    me_way: "by", me_importance_based: "importance", me_time_based: "age", me_capacity_based: "capacity", me_threshold: "less important than", me_max_age_days: "older than, days", me_capacity: "keep of each kind", me_all: "all kinds", me_would: "{n} would go", me_would1: "1 would go", me_would0: "Nothing would go.", me_go: "Forget {n}",
    me_r_capacity: "too many of its kind", me_r_tokens: "too many tokens", me_r_expired: "its time had run out", me_r_importance: "not important enough", me_r_age: "too old", me_going: "would go",
    me_d_added: "Added {id}.", me_d_replaced: "Replaced {id}.", me_d_unchanged: "{id} was there already.", me_d_removed: "Removed {id}.", me_d_forgot: "Forgotten: {n}.", me_d_for: "Gone for it: {n}.", me_gone: "Gone", me_remove: "remove", me_open: "chunks", me_shut: "hide chunks", me_choose: "Search, or choose something on the left.", me_chosen: "Chosen", me_lost: "What the store had lost: {what}", me_close: "close",
    me_sum: "{s} = {parts}", me_tokens: "{n} tokens", me_more: "{n} more chunks",
  },
  zh: {
    me_region: "记忆浏览器", me_search: "搜索", me_query: "要查找的内容", me_add: "添加", me_forget: "遗忘", me_refresh: "重新查看", me_memories: "{n} 条记忆", me_memories1: "1 条记忆", me_documents: "{n} 个文档", me_documents1: "1 个文档",
    me_memory: "{name} 的记忆", me_knowledge: "知识：{name}", me_working: "工作记忆", me_episodic: "情景记忆", me_semantic: "语义记忆", me_empty: "这里还没有内容。", me_chunks: "{n} 个片段", me_chunks1: "1 个片段", me_importance: "重要性 {n}", me_score: "得分 {n}",
    me_just: "刚刚", me_minutes: "{n} 分钟前", me_hours: "{n} 小时前", me_days: "{n} 天前", me_changed: "后来改过", me_hits: "{n} 条结果", me_hits1: "1 条结果", me_nohits: "没有相关内容。", me_failed: "无法查找", me_unread: "无法读取",
    me_words: "词语", me_vector: "向量", me_recency: "时效性", me_imp: "重要性", me_rankwords: "按词语：第 {n}（BM25 {s}）", me_rankvector: "按向量：第 {n}（余弦 {s}）", me_notwords: "按词语：未找到", me_notvector: "按向量：未找到", me_fused: "融合 {s}", me_rerank: "重排 {s}",
    me_where: "加到", me_text: "文本", me_kind: "类别", me_weight: "重要性（0 到 1）", me_usual: "默认", me_tags: "标签（用逗号分隔）", me_id: "编号", me_make: "由文本生成", me_keep: "记住", me_keepdoc: "添加文档", me_from: "来自",
    me_way: "依据", me_importance_based: "重要性", me_time_based: "时间", me_capacity_based: "容量", me_threshold: "重要性低于", me_max_age_days: "早于（天）", me_capacity: "每类保留", me_all: "所有类别", me_would: "将遗忘 {n} 条", me_would1: "将遗忘 1 条", me_would0: "没有需要遗忘的。", me_go: "遗忘 {n} 条",
    me_r_capacity: "同类过多", me_r_tokens: "token 过多", me_r_expired: "已过期", me_r_importance: "不够重要", me_r_age: "太旧", me_going: "将遗忘",
    me_d_added: "已添加 {id}。", me_d_replaced: "已替换 {id}。", me_d_unchanged: "{id} 已经存在。", me_d_removed: "已删除 {id}。", me_d_forgot: "已遗忘 {n} 条。", me_d_for: "因此被移出：{n} 条。", me_gone: "已遗忘", me_remove: "删除", me_open: "片段", me_shut: "收起片段", me_choose: "搜索，或在左侧选择一项。", me_chosen: "所选", me_lost: "存储中丢失的内容：{what}", me_close: "关闭",
    me_sum: "{s} = {parts}", me_tokens: "{n} 个 token", me_more: "另有 {n} 个片段",
  },
};

const SCORE = [["words", "hai-q-words", "me_words"], ["vector", "hai-q-vector", "me_vector"], ["recency", "hai-q-recency", "me_recency"], ["importance", "hai-q-importance", "me_imp"]];
const ROW_HEIGHT = 48;
const SEEN = 300;
const CHUNKS = 40;
const WAYS = { importance_based: ["threshold", "0.1", { min: "0", max: "1", step: "0.05" }], time_based: ["max_age_days", "30", { min: "0", step: "1" }], capacity_based: ["capacity", "10", { min: "0", step: "1" }] };
const KINDMARK = { working: "user", episodic: "model", semantic: "sum" };

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", rows: {}, panel: null, pick: null, query: null, add: {}, way: {} });

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, EXPLORER_LABELS);
  const c = { snapshot, head, ui, say, items: snapshot.items || [] };
  c.going = new Map((ui.panel === "forget" && head.preview ? head.preview.going : []).map((one) => [`${head.preview.holder} ${one.id}`, one.reason]));
  const sum = (sort) => head.holders.filter((one) => one.sort === sort).reduce((total, one) => total + one.rows.length, 0);
  const panel = (name) => button("panel", say(`me_${name}`), null, { key: name, "data-arg": name, "aria-expanded": ui.panel === name ? "true" : "false" });
  return h("div", { class: "hai", role: "region", "aria-label": say("me_region"), lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3" }, say("me_region")),
      [["memory", "memories"], ["knowledge", "documents"]].map(([sort, name]) => head.holders.some((one) => one.sort === sort) && pill(counted(say, `me_${name}`, sum(sort)))),
      h("span", { class: "hai-gap" }), ui.busy && h("span", { class: "hai-busy" }, say("busy")),
      panel("add"), head.holders.some((one) => one.sort === "memory") && panel("forget"), button("refresh", say("me_refresh")), button("image", say("saveimage"))),
    notices(c), done(c),
    h("form", { class: "hai-ask hai-mesearch", "data-form": "search" }, h("label", {}, h("span", { class: "hai-hidden" }, say("me_query")), h("input", { type: "search", "data-field": "query", placeholder: say("me_query"), value: ui.query ?? head.query })), h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say("me_search"))),
    ui.panel === "add" && adding(c), ui.panel === "forget" && forgetting(c),
    h("div", { class: "hai-below" }, list(c), h("div", { class: "hai-flow" }, chosen(c), found(c), gone(c))),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

const counted = (say, name, n) => say(n === 1 ? `${name}1` : name, { n: grouped(n) });
const nameOf = (say, holder) => say(`me_${holder.sort}`, { name: holder.name });

export function ageOf(say, seconds) {
  if (seconds < 60) return say("me_just");
  if (seconds < 5400) return say("me_minutes", { n: Math.round(seconds / 60) });
  if (seconds < 172800) return say("me_hours", { n: Math.round(seconds / 3600) });
  return say("me_days", { n: grouped(Math.round(seconds / 86400)) });
}

// -- the list -----------------------------------------------------------------------------------------------------------

function list(c) {
  const { head, say, items } = c;
  const lines = [];
  head.holders.forEach((holder, at) => {
    lines.push({ title: nameOf(say, holder), holder, at });
    const shown = holder.rows.map((place) => ({ ...items[place], place, at, holder }));
    if (holder.sort === "knowledge") lines.push(...shown);
    else
      for (const kind of holder.kinds) {
        const some = shown.filter((one) => one.type === kind);
        if (some.length) lines.push({ kind, count: some.length, at }, ...some);
      }
  });
  return h("nav", { class: "hai-itemlist", "aria-label": say("me_region") }, rows(c, "items", lines.length, ROW_HEIGHT, (i) => line(c, lines[i])));
}

function line(c, one) {
  const { say, ui } = c;
  if (one.title) return h("li", { key: `h ${one.at}`, class: "hai-meholder" }, heading(one.title), one.holder.error ? h("div", { class: "hai-mefail", role: "note" }, mark("err"), h("b", {}, say("me_unread"), " "), h("span", {}, one.holder.error)) : !one.holder.rows.length && muted(say("me_empty")),
    (one.holder.problems || []).map((what, i) => h("div", { key: String(i), class: "hai-mefail", role: "note" }, mark("warn"), say("me_lost", { what }))));
  if (one.kind) return h("li", { key: `k ${one.at} ${one.kind}`, class: "hai-mekind" }, mark(KINDMARK[one.kind] || "sys"), say(`me_${one.kind}`), muted(grouped(one.count)), h("span", { class: "hai-gap" }), h("span", { class: "hai-mecaption" }, say("me_imp")));
  const on = ui.pick === one.place;
  const reason = c.going.get(`${one.at} ${one.id}`);
  const document_ = one.holder.sort === "knowledge";
  return h("li", { key: `i ${one.place}`, "data-move": `i ${one.place}` }, h("button", { type: "button", class: `hai-merow${on ? " hai-on" : ""}${reason ? " hai-going" : ""}`, "data-op": "pick", "data-arg": String(one.place), "aria-pressed": on ? "true" : "false" },
    // A row shows the beginning; a memory may be a megabyte.
    h("span", { class: "hai-q", title: one.label.slice(0, SEEN) }, one.label.slice(0, SEEN)),
    h("span", { class: "hai-num" }, document_ ? counted(say, "me_chunks", one.chunks) : one.importance.toFixed(2)),
    h("small", {}, reason && h("b", {}, say("me_going"), " · "), document_ ? [one.from || one.id, say("me_tokens", { n: grouped(one.tokens) })].filter((words) => words !== one.label).join(" · ") : [ageOf(say, one.holder.now - one.touched), ...one.tags.map((tag) => `#${tag}`)].join(" · ")),
    !document_ && h("span", { class: "hai-share", "aria-hidden": "true", style: `width:${(100 * one.importance).toFixed(1)}%` })));
}

// -- what is chosen and what was found ----------------------------------------------------------------------------------

function chosen(c) {
  const { head, ui, items, say } = c;
  const at = head.holders.findIndex((holder) => holder.rows.includes(ui.pick));
  if (at < 0) return null;
  const holder = head.holders[at];
  const one = items[ui.pick];
  return h("section", { key: "chosen", "aria-label": say("me_chosen") }, holder.sort === "memory" ? memory(c, one, at, ui.pick) : documentCard(c, one, at));
}

const tools = (c, one, at) => [h("span", { class: "hai-gap" }), button("remove", c.say("me_remove"), null, { class: "hai-link", "data-arg": `${at} ${one.id}`, disabled: c.ui.busy }), button("close", c.say("me_close"), null, { class: "hai-link" })];

function memory(c, one, at, key) {
  const { say, head } = c;
  return card("user", `chosen ${key}`, [h("b", {}, one.id), pill([mark(KINDMARK[one.type] || "sys"), " ", say(`me_${one.type}`)]), tools(c, one, at)],
    pre(c, `m ${key}`, one.label, "hai-pre hai-prose"),
    h("p", { class: "hai-mefoot" }, say("me_importance", { n: one.importance.toFixed(2) }), " · ", ageOf(say, head.holders[at].now - one.touched), one.changed && ` (${say("me_changed")})`, one.tags.map((tag) => ` · #${tag}`)));
}

function documentCard(c, one, at) {
  const { say, head } = c;
  const open = head.opened && head.opened.id === one.id && Number(head.opened.holder) === at ? head.opened.chunks : null;
  const all = `chunks ${at} ${one.id}`;
  return h("div", { class: "hai-flowed" }, card("tool", `document ${at} ${one.id}`, [h("b", {}, one.label), pill(counted(say, "me_chunks", one.chunks)), muted(say("me_tokens", { n: grouped(one.tokens) })), tools(c, one, at)],
    h("p", { class: "hai-mefoot" }, one.id, one.from && one.from !== one.id && ` · ${say("me_from")} ${one.from}`, " · ", link(open ? "shut" : "open", `${at} ${one.id}`, say(open ? "me_shut" : "me_open"), { "aria-expanded": open ? "true" : "false" }))),
    open && (c.ui.all[all] ? open : open.slice(0, CHUNKS)).map((chunk) => passage(c, chunk, chunk.chunk, null, [])),
    open && open.length > CHUNKS && !c.ui.all[all] && h("div", { key: "more", class: "hai-more" }, link("all", all, say("me_more", { n: grouped(open.length - CHUNKS) }))));
}

const passage = (c, chunk, key, before, facts, ...more) =>
  card("tool", key, [before, h("b", { class: "hai-cite" }, chunk.citation), h("span", { class: "hai-gap" }), muted([...facts, c.say("me_tokens", { n: grouped(chunk.tokens) })].join(" · "))], more, pre(c, `p ${key}`, chunk.text, "hai-pre hai-prose"));

function found(c) {
  const { head, say } = c;
  if (!head.answers) return head.holders.some((one) => one.rows.length) && c.ui.pick === null && h("p", { key: "choose", class: "hai-muted" }, say("me_choose"));
  return head.answers.map((answer, at) => {
    const holder = head.holders[at];
    return h("section", { key: `found ${at}`, class: "hai-flowed", "aria-label": nameOf(say, holder) },
      h("div", { class: "hai-mefound", role: "heading", "aria-level": "4" }, nameOf(say, holder), " · ", answer.error ? say("me_failed") : counted(say, "me_hits", answer.hits.length)),
      answer.error && h("div", { class: "hai-mefail", role: "note" }, mark("err"), h("span", {}, answer.error)),
      !answer.error && !answer.hits.length && h("p", { class: "hai-muted" }, say("me_nohits")),
      holder.sort === "memory" && answer.hits.length > 0 && h("div", { class: "hai-keys" }, SCORE.map(([name, cls, label]) => h("span", { key: name }, h("i", { class: cls, "aria-hidden": "true" }), say(label)))),
      answer.hits.map((hit, n) => (hit.place === undefined ? documentHit(c, hit, n, at) : memoryHit(c, hit, n, at))));
  });
}

const rankOf = (n) => h("span", { class: "hai-num hai-rank" }, String(n + 1));

function memoryHit(c, hit, n, at) {
  const { say, items } = c;
  const one = items[hit.place];
  return h("article", { key: `hit ${at} ${hit.place}`, class: "hai-card hai-c-user", "data-move": `hit ${at} ${hit.place}` },
    h("header", {}, rankOf(n), h("b", {}, one.id), pill([mark(KINDMARK[one.type] || "sys"), " ", say(`me_${one.type}`)]), h("span", { class: "hai-gap" }), muted(say("me_sum", { s: hit.score.toFixed(2), parts: SCORE.map(([name, , label]) => `${say(label)} ${hit.reasons[name].toFixed(2)}`).join(" + ") }))),
    h("div", { class: "hai-mebar" }, scoreBar(SCORE.map(([name, cls, label]) => [cls, say(label), hit.reasons[name]]))),
    pre(c, `h ${at} ${n}`, one.label, "hai-pre hai-prose"));
}

function documentHit(c, hit, n, at) {
  const { say } = c;
  const { reasons } = hit;
  const ranked = (name) => pill(reasons[`${name}_rank`] === undefined ? say(`me_not${name}`) : say(`me_rank${name}`, { n: reasons[`${name}_rank`], s: reasons[name].toFixed(2) }));
  return h("div", { key: `hit ${at} ${hit.chunk}`, "data-move": `hit ${at} ${hit.chunk}` }, passage(c, hit, `hit ${at} ${hit.chunk}`, rankOf(n), [say("me_score", { n: hit.score.toFixed(2) })],
    h("div", { class: "hai-mebar" }, scoreBar([["hai-q-words", say("me_score", { n: "" }).trim(), hit.score]]), h("div", { class: "hai-mereasons" }, ranked("words"), ranked("vector"), reasons.fused !== undefined && pill(say("me_fused", { s: reasons.fused.toFixed(4) })), reasons.rerank !== undefined && pill(say("me_rerank", { s: reasons.rerank.toFixed(2) }))))));
}

// -- adding and forgetting ----------------------------------------------------------------------------------------------

const option = (value, label, chosen_) => h("option", { key: value, value, selected: value === chosen_ }, label);

function choice(c, name, value, options, live) {
  return h("label", { key: name }, h("span", {}, c.say(`me_${name}`)), h("select", { "aria-label": c.say(`me_${name}`), "data-field": `me ${name}`, "data-live": live, value }, options.map(([key, label]) => option(key, label, value))));
}

const holdersOf = ({ head, say }, sort) => head.holders.flatMap((one, at) => (!sort || one.sort === sort ? [[String(at), nameOf(say, one)]] : []));

function adding(c) {
  const { head, ui, say } = c;
  // What was written stays until it has been added.
  const { adds, holder: to, kind: sort } = ui.add;
  const written = adds === undefined || adds === head.adds ? ui.add : { holder: to, kind: sort };
  const at = written.holder ?? "0";
  const holder = head.holders[Number(at)];
  const remember = holder.sort === "memory";
  const field = (name, extra) => h("label", { key: name }, h("span", {}, say(`me_${name}`)), h("input", { "data-field": `me ${name}`, value: written[name] ?? "", ...extra }));
  return h("form", { key: "add", class: "hai-meform", "data-form": "add", "aria-label": say("me_add") },
    h("label", { key: "text", class: "hai-wide" }, h("span", {}, say("me_text")), h("textarea", { "data-field": "me text", rows: remember ? "2" : "5", value: written.text ?? "" })),
    head.holders.length > 1 && choice(c, "where", at, holdersOf(c), "where"),
    remember ? [choice(c, "kind", written.kind ?? holder.kinds[0], holder.kinds.map((kind) => [kind, say(`me_${kind}`)])), field("weight", { type: "number", min: "0", max: "1", step: "0.05", placeholder: say("me_usual") }), field("tags", { type: "text" })] : field("id", { type: "text", placeholder: say("me_make") }),
    h("div", { class: "hai-meend" }, h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say(remember ? "me_keep" : "me_keepdoc"))));
}

/** What the form of forgetting says, as Python is told it. */
const wayOf = (c) => ({ from: holdersOf(c, "memory")[0][0], way: "importance_based", kind: "", ...c.ui.way });

function forgetting(c) {
  const { head, ui, say } = c;
  const now = wayOf(c);
  const [name, usual, range] = WAYS[now.way];
  const holder = head.holders[Number(now.from)];
  const going = head.preview ? head.preview.going : null;
  return h("form", { key: "forget", class: "hai-meform", "data-form": "forget", "aria-label": say("me_forget") },
    holdersOf(c, "memory").length > 1 && choice(c, "from", now.from, holdersOf(c, "memory"), "preview"),
    choice(c, "way", now.way, head.strategies.map((way) => [way, say(`me_${way}`)]), "preview"),
    h("label", { key: name }, h("span", {}, say(`me_${name}`)), h("input", { type: "number", "data-field": `me ${name}`, "data-live": "preview", value: now[name] ?? usual, ...range })),
    choice(c, "kind", now.kind, [["", say("me_all")], ...holder.kinds.map((kind) => [kind, say(`me_${kind}`)])], "preview"),
    h("div", { class: "hai-meend" }, h("button", { type: "submit", class: "hai-primary", disabled: ui.busy || !going || !going.length }, say("me_go", { n: going ? going.length : "" }))),
    going && h("div", { class: "hai-wide", role: "status" }, h("b", {}, going.length ? counted(say, "me_would", going.length) : say("me_would0")), wentList(c, going, "would")));
}

/** Memories that went or would go, each with the reason. */
const wentList = (c, went, name) => went.length > 0 && rows(c, name, went.length, 40, (i) => h("li", { key: `${name} ${i} ${went[i].id}`, class: "hai-went" }, h("b", {}, went[i].id), h("span", { class: "hai-q" }, went[i].content.slice(0, SEEN)), pill(c.say(`me_r_${went[i].reason}`))));

function done(c) {
  const { head, say } = c;
  const what = head.done;
  if (!what) return null;
  return h("div", { key: "done", class: "hai-medone", role: "status" }, mark("done"), h("div", {}, say(`me_d_${what.what}`, { id: what.id, n: what.gone.length }), what.note && ` ${what.note}`,
    what.what !== "forgot" && what.gone.length > 0 && ` ${say("me_d_for", { n: what.gone.length })}`, wentList(c, what.gone, "went")), button("dismissdone", say("me_close"), null, { class: "hai-link" }));
}

function gone(c) {
  const { head, say } = c;
  const all = head.holders.flatMap((holder) => holder.gone || []);
  return all.length > 0 && h("details", { key: "gone", class: "hai-thinking" }, h("summary", {}, say("me_gone"), ` · ${grouped(all.length)}`), wentList(c, all, "gone"));
}

// -- operations ---------------------------------------------------------------------------------------------------------

/** The fields of the panels, without the mark that they are ours. */
const own = (fields) => Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (name.startsWith("me ") ? [[name.slice(3), value]] : [])));

const split = (arg) => ({ holder: Number(arg.slice(0, arg.indexOf(" "))), id: arg.slice(arg.indexOf(" ") + 1) });

function asked(snapshot, way) {
  const now = wayOf({ head: snapshot.head, say: (name) => name, ui: { way } });
  const [name, usual] = WAYS[now.way];
  return { holder: Number(now.from), strategy: now.way, [name]: now[name] ?? usual, kind: now.kind };
}

export function act(snapshot, ui, op, arg, fields) {
  const kept = fields.query === undefined ? {} : { query: fields.query };
  const filled = ui.panel === "add" ? { add: { ...ui.add, ...renamed(own(fields)), adds: snapshot.head.adds } } : ui.panel === "forget" ? { way: { ...ui.way, ...own(fields) } } : {};
  switch (op) {
    case "search": return { ui: { ...kept, ...filled }, send: { op, args: { query: fields.query } }, wait: true };
    case "refresh": return { ui: { ...kept, ...filled }, send: { op, args: {} }, wait: true };
    case "pick": return { ui: { ...kept, ...filled, pick: ui.pick === Number(arg) ? null : Number(arg) } };
    case "panel": {
      const panel = ui.panel === arg ? null : arg;
      return { ui: { ...kept, panel, pick: null }, send: panel === "forget" ? { op: "preview", args: asked(snapshot, ui.way) } : null };
    }
    case "where": return { ui: { ...kept, ...filled } };
    case "preview": return { ui: { ...kept, ...filled }, send: { op, args: asked(snapshot, filled.way) } };
    case "forget": return { ui: { ...kept, ...filled }, send: { op, args: asked(snapshot, filled.way) }, wait: true };
    case "add": {
      const { holder, text, kind, weight, tags, id } = filled.add;
      return { ui: { ...kept, ...filled }, send: { op, args: { holder: Number(holder ?? 0), text, kind, importance: weight, tags, id } }, wait: true };
    }
    case "open": return { ui: { ...kept, ...filled }, send: { op, args: split(arg) }, wait: true };
    case "shut": return { ui: { ...kept, ...filled }, send: { op, args: {} }, wait: true };
    case "remove": return { ui: { ...kept, ...filled, pick: null }, send: { op, args: split(arg) }, wait: true };
    case "dismissdone": return { ui: { ...kept, ...filled }, send: { op: "dismiss", args: {} } };
    case "close": return { ui: { ...kept, pick: null, panel: ui.pick === null ? null : ui.panel } };
    case "image": return { image: "memory" };
    default: return {};
  }
}

const renamed = ({ where, ...rest }) => (where === undefined ? rest : { ...rest, holder: where });

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close" }, follow: () => ({ query: null }), label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
