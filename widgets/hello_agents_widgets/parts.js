// Shared by all widgets: a tree of plain objects that is text for tests and DOM in the page, and JSON as it was sent.

/** A node as a plain object. `key` names it among its siblings; children may be strings, nodes, lists or nothing. */
export function h(tag, attrs, ...children) {
  const { key, ...rest } = attrs || {};
  const kids = children.flat(Infinity).filter((kid) => kid !== null && kid !== undefined && kid !== false && kid !== "");
  return { tag, key, attrs: rest, kids: kids.map((kid) => (typeof kid === "object" ? kid : { text: String(kid) })) };
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign]);

/** The tree as HTML text, every piece of text and every attribute escaped. */
export function html(node) {
  if (node.text !== undefined) return escapeHtml(node.text);
  const attrs = Object.entries(node.attrs)
    .filter(([, value]) => value !== false && value !== null && value !== undefined)
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`))
    .join("");
  return `<${node.tag}${attrs}>${node.kids.map(html).join("")}</${node.tag}>`;
}

/** The text a reader sees, without the marks around it. */
export const textOf = (node) => (node.text !== undefined ? node.text : node.kids.map(textOf).join(""));

/** Every node of the tree that `test` likes. */
export function findAll(node, test) {
  if (node.text !== undefined) return [];
  return [...(test(node) ? [node] : []), ...node.kids.flatMap((kid) => findAll(kid, test))];
}

function setAttr(el, name, value) {
  // What a reader has ticked no longer follows the attribute.
  if (name === "checked" && "checked" in el) el.checked = Boolean(value);
  if (name === "value" && "value" in el) el.value = value;
  else if (value === false || value === null || value === undefined) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? "" : value);
}

/** Makes the DOM for a tree. Text only ever goes in as text. */
export function mount(node, doc) {
  if (node.text !== undefined) return (node.el = doc.createTextNode(node.text));
  const el = doc.createElement(node.tag);
  node.el = el;
  for (const kid of node.kids) el.appendChild(mount(kid, doc));
  for (const [name, value] of Object.entries(node.attrs)) setAttr(el, name, value);
  return el;
}

const alike = (a, b) => a.tag === b.tag && a.key === b.key && (a.text === undefined) === (b.text === undefined);

/** Changes the DOM of `old` into that of `next`, keeping the elements (and with them focus and scrolling) that stay. */
export function patch(old, next, doc) {
  if (old === next) return old.el;
  if (!alike(old, next)) {
    const el = mount(next, doc);
    old.el.replaceWith(el);
    return el;
  }
  const el = (next.el = old.el);
  if (next.text !== undefined) {
    if (old.text !== next.text) el.data = next.text;
    return el;
  }
  for (const name of Object.keys(old.attrs)) if (!(name in next.attrs)) setAttr(el, name, null);
  for (const [name, value] of Object.entries(next.attrs)) if (old.attrs[name] !== value) setAttr(el, name, value);
  const keyed = new Map(old.kids.filter((kid) => kid.key !== undefined).map((kid) => [kid.key, kid]));
  const loose = old.kids.filter((kid) => kid.key === undefined);
  const gone = new Set(old.kids);
  let place = el.firstChild;
  for (const kid of next.kids) {
    let twin;
    if (kid.key !== undefined) twin = keyed.get(kid.key);
    else if (loose.length && alike(loose[0], kid)) twin = loose.shift();
    else {
      const at = loose.findIndex((other) => alike(other, kid));
      twin = at < 0 ? undefined : loose.splice(0, at + 1)[at];
    }
    let child;
    if (twin && alike(twin, kid)) {
      gone.delete(twin);
      if (twin.el === place) place = place.nextSibling;
      child = patch(twin, kid, doc);
      if (child.nextSibling !== place) el.insertBefore(child, place);
    } else el.insertBefore(mount(kid, doc), place);
  }
  for (const kid of gone) kid.el.remove();
  return el;
}

/** Pieces `[class, text]` of JSON text laid out over lines. Numbers and strings stay letter for letter as they were. */
export function prettyJson(source) {
  const out = [];
  let depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  const push = (cls, text) => {
    const last = out[out.length - 1];
    if (last && last[0] === cls) last[1] += text;
    else out.push([cls, text]);
  };
  for (let i = 0; i < source.length; ) {
    const sign = source[i];
    if (sign === '"') {
      let end = i + 1;
      while (end < source.length && source[end] !== '"') end += source[end] === "\\" ? 2 : 1;
      push(source[end + 1] === ":" ? "k" : "s", source.slice(i, end + 1));
      i = end + 1;
    } else if (sign === "{" || sign === "[") {
      const close = sign === "{" ? "}" : "]";
      if (source[i + 1] === close) {
        push("p", sign + close);
        i += 2;
      } else {
        depth += 1;
        push("p", sign + line());
        i += 1;
      }
    } else if (sign === "}" || sign === "]") {
      depth -= 1;
      push("p", line() + sign);
      i += 1;
    } else if (sign === ",") {
      push("p", "," + line());
      i += 1;
    } else if (sign === ":") {
      push("p", ": ");
      i += 1;
    } else {
      let end = i;
      while (end < source.length && !"{}[],:\"".includes(source[end])) end += 1;
      push("n", source.slice(i, end));
      i = end;
    }
  }
  return out;
}

export const byteLength = (text) => new TextEncoder().encode(text).length;
export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** A text with its placeholders filled: `fill("{n} of {m}", {n: 1, m: 2})`. */
export const fill = (text, values = {}) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
