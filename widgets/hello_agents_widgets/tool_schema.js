// ToolSchema: the Python side and the JSON side of a tool, field by field, and a call in its stages.
import { button, card, heading, jsonBlock, link, mark, muted, notices, pill, pre, sayer } from "./cards.js";
import { frame } from "./frame.js";
import { LABELS } from "./labels.js";
import { rows, showing } from "./lists.js";
import { grouped, h, html, prettyJson } from "./parts.js";

export const SCHEMA_LABELS = {
  en: {
    ts_region: "Tool schema", ts_tool: "tool", ts_find: "find a tool", ts_found: "{n} of {m} tools", ts_nofind: "No tool has this in its name.", ts_examples: "Try:", ts_python: "In Python", ts_schema: "As the model is told", ts_exact: "exact bytes", ts_hide: "hide bytes", ts_params: "{n} parameters",
    ts_params1: "1 parameter", ts_params0: "no parameters", ts_cost: "{n} tokens in every request", ts_required: "required: there is no default", ts_optional: "optional: the default is {d}",
    ts_optional0: "optional", ts_doc: "its description comes from the docstring", ts_nodoc: "no description: the docstring says nothing of it", ts_pick: "Choose a parameter to see where each part of its schema comes from.",
    ts_try: "Call it as a model would", ts_args: "arguments, JSON", ts_call: "Call", ts_fits: "fits", ts_astext: "numbers as text", ts_missing: "one missing", ts_unknown: "one too many", ts_broken: "broken JSON",
    ts_read: "read as JSON", ts_match: "fits the schema", ts_ran: "function called", ts_answer: "what the model reads", ts_name: "argument", ts_sent: "as sent", ts_received: "as the function gets it", ts_absent: "not sent", ts_yes: "yes", ts_no: "no", ts_not: "not reached",
    ts_take: "take away",
  },
  zh: {
    ts_region: "工具模式", ts_tool: "工具", ts_find: "查找工具", ts_found: "{m} 个工具中的 {n} 个", ts_nofind: "没有名称含此文字的工具。", ts_examples: "试一试：", ts_python: "Python 中", ts_schema: "告诉模型的内容", ts_exact: "原始字节", ts_hide: "收起字节", ts_params: "{n} 个参数",
    ts_params1: "1 个参数", ts_params0: "没有参数", ts_cost: "每次请求占 {n} 个 token", ts_required: "必填：没有默认值", ts_optional: "可选：默认值为 {d}",
    ts_optional0: "可选", ts_doc: "描述来自文档字符串", ts_nodoc: "没有描述：文档字符串未提及", ts_pick: "选择一个参数，查看其模式的每一部分从何而来。",
    ts_try: "像模型那样调用", ts_args: "参数（JSON）", ts_call: "调用", ts_fits: "合适", ts_astext: "数字写成文本", ts_missing: "缺少一个", ts_unknown: "多出一个", ts_broken: "JSON 损坏",
    ts_read: "按 JSON 读取", ts_match: "符合模式", ts_ran: "已调用函数", ts_answer: "模型读到的内容", ts_name: "参数", ts_sent: "发送的值", ts_received: "函数收到的值", ts_absent: "未发送", ts_yes: "是", ts_no: "否", ts_not: "未到达",
    ts_take: "带走",
  },
};

export const freshUi = () => ({ all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", rows: {}, pick: null, json: false, text: null, finding: null });

const FEW_TOOLS = 40;
const TOOL_TALL = 28;

/** The names of the tools; they are sent again only when they have changed. */
const toolsOf = ({ listings = [[]] }) => listings[listings.length - 1];

export function view(snapshot, ui = freshUi()) {
  const { head } = snapshot;
  const say = sayer(head.language, LABELS, SCHEMA_LABELS);
  const c = { snapshot, head, ui, say };
  const count = head.fields.length;
  return h("div", { class: "hai", role: "region", "aria-label": `${say("ts_region")}: ${head.title}`, lang: head.language, "data-lm-suppress-shortcuts": "true", "aria-busy": ui.busy ? "true" : "false" },
    h("header", { class: "hai-bar" },
      h("div", { class: "hai-title", role: "heading", "aria-level": "3", title: head.title }, head.title),
      pill(say(count > 1 ? "ts_params" : `ts_params${count}`, { n: count })),
      pill(say("ts_cost", { n: grouped(head.tokens) })),
      !head.exact && muted(say("estimate")),
      chooser(c),
      h("span", { class: "hai-gap" }),
      button("image", say("saveimage"))),
    notices(c),
    h("div", { class: "hai-twin" }, python(c), schema(c)),
    ui.json && jsonBlock(c, head.wire),
    origin(c),
    trial(c),
    h("div", { class: "hai-hidden", role: "status", "aria-live": "polite" }, ui.said));
}

/** Which tool is shown: a few to select from, or many to find one in. */
function chooser(c) {
  const { head, ui, say, snapshot } = c;
  const names = toolsOf(snapshot);
  if (names.length < 2) return null;
  if (names.length <= FEW_TOOLS) return h("label", { class: "hai-pickone" }, say("ts_tool"), h("select", { "aria-label": say("ts_tool"), "data-field": "tool", "data-live": "choose" }, names.map((name) => h("option", { value: name, selected: name === head.title }, name))));
  const found = foundOf(names, ui.finding);
  const draw = (i) => h("li", { key: found[i] }, h("button", { type: "button", class: `hai-toolrow${found[i] === head.title ? " hai-on" : ""}`, "data-op": "take", "data-arg": found[i], "aria-current": found[i] === head.title ? "true" : null, tabindex: i === 0 ? "0" : "-1" }, found[i]));
  return h("span", { class: "hai-pop" },
    h("button", { type: "button", "data-op": "find", "aria-expanded": ui.finding === null ? "false" : "true", "aria-haspopup": "dialog" }, say("ts_find"), " ▾"),
    ui.finding !== null && h("div", { class: "hai-menu hai-toolmenu", role: "dialog", "aria-label": say("ts_find") },
      h("input", { type: "search", "data-field": "finding", "data-live": "finding", "aria-label": say("ts_find"), placeholder: say("ts_find"), value: ui.finding }),
      h("p", { class: "hai-muted", role: "status" }, found.length ? say("ts_found", { n: grouped(found.length), m: grouped(names.length) }) : say("ts_nofind")),
      rows(c, "tools", found.length, TOOL_TALL, draw, { "aria-label": say("ts_tool") })));
}

/** The names that have what was typed in them; those that begin with it first. */
function foundOf(names, typed) {
  const words = (typed || "").trim().toLowerCase();
  if (!words) return names;
  const found = names.filter((name) => name.toLowerCase().includes(words));
  return [...found.filter((name) => name.toLowerCase().startsWith(words)), ...found.filter((name) => !name.toLowerCase().startsWith(words))];
}

const badge = (i) => h("span", { class: "hai-badge", "aria-hidden": "true" }, String(i + 1));

/** Lines of code, of which those of a parameter are buttons that pick it. */
function python(c) {
  const { head, ui, say } = c;
  const left = new Map(head.fields.map((field, i) => [field.python, i]));
  return h("section", { class: "hai-half", "aria-label": say("ts_python") }, heading(say("ts_python")),
    h("div", { class: "hai-code-lines" }, head.python.split("\n").map((line, n) => {
      const at = left.get(line.trim().replace(/,$/, ""));
      const named = at === undefined ? documented(head.fields, line) : at;
      if (named === undefined) return h("div", { key: String(n), class: "hai-codeline" }, line || " ");
      return pickable(c, named, `${n}`, line);
    })));
}

/** The field that a line of the docstring speaks of. */
function documented(fields, line) {
  const found = fields.findIndex((field) => new RegExp(`^\\s*(?:\\W*:param\\s+)?${field.name.replace(/\W/g, "\\$&")}\\s*(\\([^)]*\\))?\\s*[:：]`).test(line) || line.includes(`ToolParameter('${field.name}'`));
  return found < 0 ? undefined : found;
}

function pickable({ ui, head }, i, key, ...body) {
  const on = ui.pick === i;
  return h("button", { key, type: "button", class: `hai-codeline hai-pickable${on ? " hai-on" : ""}`, "data-op": "pick", "data-arg": String(i), "aria-pressed": on ? "true" : "false", title: head.fields[i].name }, badge(i), body);
}

function schema(c) {
  const { head, ui, say } = c;
  return h("section", { class: "hai-half", "aria-label": say("ts_schema") },
    h("div", { class: "hai-halfhead" }, heading(say("ts_schema")), h("span", { class: "hai-gap" }), link("json", "", say(ui.json ? "ts_hide" : "ts_exact"), { "aria-expanded": ui.json ? "true" : "false" })),
    h("div", { class: "hai-code-lines" },
      line("function", `{ "type": "function", "function": {`),
      line("name", `  "name": ${JSON.stringify(head.title)},`),
      line("description", `  "description": ${JSON.stringify(head.description)},`),
      line("open", `  "parameters": { "type": "object", "properties": {`),
      head.fields.map((field, i) => pickable(c, i, field.name, "    ", h("span", { class: "hai-jk" }, JSON.stringify(field.name)), ": ", laidOut(field.json), i < head.fields.length - 1 && ",")),
      line("close", `  }, "required": ${JSON.stringify(head.fields.filter((field) => field.required).map((field) => field.name))}`),
      head.more.map(([name, source]) => h("div", { key: `more ${name}`, class: "hai-codeline" }, "  , ", h("span", { class: "hai-jk" }, JSON.stringify(name)), ": ", laidOut(source))),
      line("end", "} } }")));
}

const line = (key, text) => h("div", { key, class: "hai-codeline" }, text);
const laidOut = (source) => prettyJson(source).map(([cls, piece]) => { const flat = piece.replace(/\n\s*/g, " "); return cls === "p" ? flat : h("span", { class: `hai-j${cls}` }, flat); });

function origin({ head, ui, say }) {
  if (!head.fields.length) return null;
  const field = head.fields[ui.pick];
  if (!field) return h("p", { class: "hai-origin hai-muted" }, say("ts_pick"));
  return h("p", { class: "hai-origin", role: "status" }, h("b", {}, field.name), " · ",
    field.required ? say("ts_required") : field.default === null ? say("ts_optional0") : say("ts_optional", { d: field.default }), " · ",
    say(field.doc ? "ts_doc" : "ts_nodoc"));
}

function trial(c) {
  const { head, ui, say } = c;
  const text = ui.text === null ? head.written : ui.text;
  return h("section", { class: "hai-trial", "aria-label": say("ts_try") }, heading(say("ts_try")),
    h("form", { class: "hai-tryform", "data-form": "call" },
      h("label", {}, h("span", { class: "hai-hidden" }, say("ts_args")), h("textarea", { "data-field": "arguments", rows: String(Math.min(8, Math.max(2, text.split("\n").length))), spellcheck: "false", value: text })),
      h("div", { class: "hai-tryrow" }, h("button", { type: "submit", class: "hai-primary", disabled: ui.busy }, say("ts_call")), muted(say("ts_examples")),
        head.examples.map((one) => button("example", say(`ts_${one.kind}`), null, { key: one.kind, "data-arg": one.text, title: one.text.slice(0, 300), disabled: ui.busy })), ui.busy && h("span", { class: "hai-busy" }, say("busy")))),
    head.trial && outcome(c, head.trial));
}

/** A call by stages: each is reached only when the one before it went well. */
function outcome(c, trial) {
  const { say, head } = c;
  const stages = [["ts_read", trial.read], ["ts_match", trial.read ? trial.fits : null], ["ts_ran", trial.fits ? true : null]];
  const kind = trial.status === "error" ? "err" : trial.status === "partial" ? "warn" : "tool";
  return h("div", { class: "hai-outcome" },
    h("ol", { class: "hai-stages" }, stages.map(([name, done]) => h("li", { key: name, class: done === null ? "hai-muted" : "" }, mark(done === null ? "sys" : done ? "done" : "err"), say(name), ": ", say(done === null ? "ts_not" : done ? "ts_yes" : "ts_no")))),
    trial.values.length > 0 && h("table", { class: "hai-table" },
      h("thead", {}, h("tr", {}, ["ts_name", "ts_sent", "ts_received"].map((name) => h("th", { scope: "col", key: name }, say(name))))),
      h("tbody", {}, trial.values.map((one) => h("tr", { key: one.name }, h("th", { scope: "row" }, one.name),
        h("td", { class: "hai-code" }, one.sent === null ? muted(say("ts_absent")) : one.sent),
        h("td", { class: "hai-code" }, one.received === null ? muted(say("ts_not")) : [one.received, " ", pill(one.type)]))))),
    card(kind, "answer", [mark(kind), h("b", {}, head.title), pill([say(trial.status), trial.code && ` ${trial.code}`], kind), muted(say("tokens", { n: grouped(trial.tokens) })), h("span", { class: "hai-gap" }), muted(say("ts_answer"))], pre(c, "answer", trial.text)));
}

export function act(snapshot, ui, op, arg, fields) {
  const { head } = snapshot;
  const kept = fields.arguments === undefined ? {} : { text: fields.arguments };
  const choose = (name) => (name === head.title ? { ui: { finding: null } } : { ui: { pick: null, text: null, finding: null }, send: { op: "choose", args: { name } }, wait: true });
  /** From name to name in the list of those found, and up from the first to what was typed. */
  const walk = (way, name) => {
    const found = foundOf(toolsOf(snapshot), ui.finding);
    const at = found.indexOf(name);
    if (ui.finding === null || !found.length) return {};
    if (way === "up" && at < 1) return { focus: "[data-field=finding]" };
    const to = way === "down" ? Math.min(at + 1, found.length - 1) : at - 1;
    return { ui: showing(ui, "tools", to), focus: `.hai-toolrow[data-arg="${found[to].replace(/["\\]/g, "\\$&")}"]` };
  };
  switch (op) {
    case "pick": return { ui: { ...kept, pick: ui.pick === Number(arg) ? null : Number(arg) } };
    case "json": return { ui: { ...kept, json: !ui.json } };
    case "choose": return choose(fields.tool);
    case "take": return choose(arg);
    case "find": return ui.finding === null ? { ui: { ...kept, finding: "" }, focus: "[data-field=finding]" } : { ui: { ...kept, finding: null } };
    case "finding": return { ui: { ...kept, finding: fields.finding, rows: { tools: 0 } }, reveal: ".hai-toolrow" };
    case "down": case "up": return walk(op, arg);
    case "example": return { ui: { text: arg }, send: { op: "call", args: { arguments: arg } }, wait: true };
    case "call": return { ui: { text: fields.arguments }, send: { op: "call", args: { arguments: fields.arguments } }, wait: true };
    case "copy": return { copy: head.wire };
    case "image": return { image: head.title };
    case "close": return ui.finding !== null ? { ui: { ...kept, finding: null }, focus: "[data-op=find]" } : { ui: { ...kept, pick: null, json: false } };
    default: return {};
  }
}

export { html };
export default { render: frame({ view, act, freshUi, keys: { Escape: "close", ArrowDown: "down", ArrowUp: "up" }, follow: () => ({ pick: null, text: null }), label: ({ head }, name) => sayer(head.language, LABELS)(name) }) };
