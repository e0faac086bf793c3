// What several widgets draw: cards, texts that may be long, JSON as it was sent, token bars, tables of names and numbers.
import { byteLength, fill, grouped, h, prettyJson } from "./parts.js";

const SHORT = 2400;
const LINES = 10;
const MANY = 40000;
const BLOCK = 4000;
const MOST_JSON = 12000;

/** A function that says a label in a language, with its placeholders filled; later tables go before earlier ones. */
export function sayer(language, ...tables) {
  const words = Object.assign({}, ...tables.map((table) => table[language] || table.en));
  return (name, values) => fill(words[name] === undefined ? name : words[name], values);
}

export const button = (op, label, key, extra = {}) =>
  h("button", { type: "button", "data-op": op, ...extra }, label, key && h("kbd", { "aria-hidden": "true" }, key));

export const mark = (kind) => h("i", { class: `hai-mark hai-${kind}`, "aria-hidden": "true" });

export const muted = (text) => text && h("span", { class: "hai-muted" }, text);

export const pill = (text, kind = "") => h("span", { class: `hai-pill${kind && ` hai-p-${kind}`}` }, text);

export const heading = (text, extra = {}) => h("div", { class: "hai-h", role: "heading", "aria-level": "4", ...extra }, text);

/** Long names break behind an underscore rather than inside a word. */
export const breakable = (words) => words.split(/(?<=_)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));

export function card(kind, key, title, ...body) {
  return h("article", { key, class: `hai-card hai-c-${kind}` }, h("header", {}, title), body);
}

export function link(op, arg, label, extra = {}) {
  return h("button", { type: "button", class: "hai-link", "data-op": op, "data-arg": arg, ...extra }, label);
}

/** Rows of a name and a value. */
export const pairs = (rows) =>
  h("dl", { class: "hai-kv" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", {}, name), h("dd", {}, value))));

/** The beginning of a text that is long or has many lines. One line more than fits is not worth a button. */
export function shortened(text) {
  let end = 0;
  for (let lines = 0; lines < LINES; lines++) {
    const next = text.indexOf("\n", end);
    if (next < 0) return text.slice(0, text.length <= SHORT + 200 ? text.length : SHORT);
    end = next + 1;
  }
  if (end > SHORT) return text.slice(0, SHORT);
  return text.indexOf("\n", end) < 0 && text.length - end < 200 ? text : text.slice(0, end);
}

/** A very long text in blocks of whole lines, of which the page lays out only those in sight. */
export function blocksOf(text) {
  const blocks = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start + BLOCK);
    const stop = end < 0 ? text.length : end + 1;
    blocks.push(text.slice(start, stop));
    start = stop;
  }
  return blocks;
}

/** Text in full when it is short; else its beginning, and a button for the rest (`ui.all`). */
export function pre(c, key, text, cls = "hai-pre") {
  const short = shortened(text);
  const whole = short.length === text.length || c.ui.all[key];
  return [
    whole && text.length > MANY ? h("div", { key: `big ${key}`, class: `${cls} hai-big`, tabindex: "0" }, blocksOf(text).map((block, i) => h("div", { key: String(i), class: "hai-block" }, block)))
      : h("pre", { key: `pre ${key}`, class: cls, tabindex: text.length > 600 || (whole && short.length < text.length) ? "0" : null }, whole ? text : short.replace(/\n$/, "")),
    short.length < text.length && h("div", { key: `more ${key}`, class: "hai-more" }, h("span", { class: "hai-muted" }, whole ? "" : "… "), link("all", key, whole ? c.say("less") : c.say("more", { n: grouped(text.length) }))),
  ];
}

/** JSON as text, laid out or as it was sent (`ui.raw`), with its size in bytes and a button that copies it (`ui.copied`). */
export function jsonBlock(c, source, key = "json") {
  const { ui, say } = c;
  const whole = source.length <= MOST_JSON || ui.all[key];
  const text = whole ? source : source.slice(0, MOST_JSON);
  const pieces = ui.raw ? [["", text]] : prettyJson(text);
  return h("div", { key, class: "hai-json" },
    h("div", { class: "hai-jsonbar" }, muted(say("bytes", { n: grouped(byteLength(source)) })), h("span", { class: "hai-gap" }),
      link("raw", "", ui.raw ? say("pretty") : say("raw")), link("copy", key, ui.copied ? say("copied") : say("copy"))),
    h("pre", { class: ui.raw ? "hai-pre hai-raw" : "hai-pre", tabindex: "0", "aria-label": say("json") }, pieces.map(([cls, piece]) => (cls === "p" || !cls ? piece : h("span", { class: `hai-j${cls}` }, piece))), whole ? "" : " …"),
    !whole && h("div", { class: "hai-more" }, link("all", key, say("more", { n: grouped(source.length) }))));
}

/** A call as code: `name(a=1, b="x")`, from arguments in JSON. */
export function callText(call) {
  let values;
  try {
    values = JSON.parse(call.arguments);
  } catch {
    return [call.name, "(", call.arguments, ")"];
  }
  const pieces = [h("span", { class: "hai-fn" }, call.name), "("];
  Object.entries(values).forEach(([name, value], i) => {
    const shown = JSON.stringify(value);
    pieces.push(i ? ", " : "", h("span", { class: "hai-jk" }, name), "=", h("span", { class: typeof value === "string" ? "hai-js" : "hai-jn" }, shown.length > 1200 ? shown.slice(0, 1200) + " …" : shown));
  });
  return [...pieces, ")"];
}

export const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** Parts of a whole as one bar: `[[class, name, amount], …]`; empty parts are left out. */
export const stack = (parts, extra = {}) =>
  h("div", { class: "hai-stack", role: "img", "aria-label": parts.map(([, name, amount]) => `${name} ${amount}`).join(", "), ...extra },
    parts.map(([cls, name, amount]) => amount > 0 && h("i", { key: name, class: cls, style: `flex-grow:${amount}`, title: `${name}: ${grouped(amount)}` })));

/** What the colours of a `stack` mean, with the amounts. */
export const legend = (parts) =>
  h("dl", { class: "hai-legend" }, parts.map(([cls, name, amount]) => h("div", { key: name }, h("dt", {}, h("i", { class: cls, "aria-hidden": "true" }), name), h("dd", {}, grouped(amount)))));

/** A score as its parts `[[class, name, amount], …]` on a line that stands for `most`: what is missing stays empty. */
export const scoreBar = (parts, most = 1) =>
  h("span", { class: "hai-score", role: "img", "aria-label": parts.map(([, name, amount]) => `${name} ${amount.toFixed(2)}`).join(", ") },
    parts.map(([cls, name, amount]) => h("i", { key: name, class: cls, style: `width:${((100 * Math.max(0, amount)) / most).toFixed(2)}%` })));

/** How full something is: a line with a mark on it, and words below. */
export const filled = (amount, most, at, ...words) => {
  const share = (number) => `${Math.min(100, (100 * number) / most).toFixed(2)}%`;
  return h("div", { class: "hai-gauge" },
    most && h("div", { class: "hai-fill", "aria-hidden": "true" }, amount > 0 && h("i", { style: `width:${share(amount)}` }), at && h("b", { style: `left:${share(at)}` })),
    h("p", {}, words));
};

/** What went wrong and what is worth knowing, above the widget's body. */
export function notices({ head, ui, say }) {
  const error = ui.fault || head.error;
  return [
    error && h("div", { key: "error", class: "hai-alert hai-err", role: "alert" }, mark("err"), h("span", {}, error), button("dismiss", say("close"), null, { class: "hai-link" })),
    ui.notice && h("div", { key: "notice", class: "hai-alert", role: "status" }, mark("warn"), h("span", {}, ui.notice), button("dismiss", say("close"), null, { class: "hai-link" })),
  ];
}
