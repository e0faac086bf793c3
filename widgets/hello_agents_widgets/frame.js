// The page's side of a widget: what is drawn is `view(snapshot, ui)`; what a click, a key or a field means is `act`.
import { caughtUp, followScrolling, reveal, rowFrom } from "./lists.js";
import { mount, patch } from "./parts.js";

const SILENT = 4000;
const SETTLE = 180;
const MOVES = 220;
const MANY_MOVES = 400;

/** The snapshot, put together from the head and the log, whatever lists it is made of. The log only grows. */
export function collect(get, known = null) {
  const head = get("head");
  const had = known && known.head.logs <= head.logs ? known : { head: { logs: 0 } };
  const whole = { ...had };
  for (let i = had.head.logs; i < head.logs; i++)
    for (const [name, items] of Object.entries(get(`log_${i}`) || {})) (whole[name] = whole[name] || []).push(...items);
  return { ...whole, head };
}

/** Puts a text on the clipboard, also where the page may not. */
export async function copyText(el, text) {
  const doc = el.ownerDocument;
  try {
    await doc.defaultView.navigator.clipboard.writeText(text);
  } catch {
    const area = doc.createElement("textarea");
    area.value = text;
    el.appendChild(area);
    area.select();
    doc.execCommand("copy");
    area.remove();
  }
}

export function saveBlob(el, name, blob) {
  const anchor = el.ownerDocument.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

export const saveText = (el, name, text) => saveBlob(el, name, new Blob([text], { type: "text/plain;charset=utf-8" }));

/** The widget as it looks now, as an SVG image that needs nothing from elsewhere. */
export function imageOf(el) {
  const doc = el.ownerDocument;
  const root = el.querySelector(".hai");
  const look = doc.defaultView.getComputedStyle(root);
  const { width, height } = root.getBoundingClientRect();
  const twin = root.cloneNode(true);
  root.querySelectorAll("input, textarea, select").forEach((field, i) => {
    const other = twin.querySelectorAll("input, textarea, select")[i];
    if (field.tagName === "TEXTAREA") other.textContent = field.value;
    else if (field.tagName === "INPUT") other.setAttribute("value", field.value);
  });
  const rules = [...doc.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].map((rule) => rule.cssText).filter((text) => text.includes(".hai"));
    } catch {
      return []; // A style sheet from elsewhere keeps its rules to itself, and holds none of ours.
    }
  });
  const values = ["--bg", "--ink", "--mono", "--sans", "--user", "--model", "--tool", "--sys", "--sum", "--warn", "--err", "--done", "--focus", "--onfocus"];
  twin.setAttribute("style", values.map((name) => `${name}:${look.getPropertyValue(name)}`).join(";") + `;width:${width}px`);
  const page = new XMLSerializer().serializeToString(twin);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}"><foreignObject width="100%" height="100%"><div xmlns="http://www.w3.org/1999/xhtml" class="${el.className}"><style>${rules.join("\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</style>${page}</div></foreignObject></svg>`;
}

/** Shows where things went: what carries the same `data-move` before and after glides from its old place. */
function moving(el, change) {
  const view = el.ownerDocument.defaultView;
  const all = () => [...el.querySelectorAll("[data-move]")];
  const calm = view.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const before = calm ? [] : all();
  if (calm || before.length > MANY_MOVES) return change();
  const places = new Map(before.map((node) => [node.dataset.move, node.getBoundingClientRect()]));
  change();
  const after = all();
  if (!places.size || after.length > MANY_MOVES) return;
  // All places are read before anything is moved, so that the page is laid out once.
  const now = after.map((node) => [node, places.get(node.dataset.move), node.getBoundingClientRect()]);
  for (const [node, was, is] of now) {
    if (!was) node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MOVES });
    else if (Math.abs(was.left - is.left) > 1 || Math.abs(was.top - is.top) > 1)
      node.animate([{ transform: `translate(${was.left - is.left}px, ${was.top - is.top}px)` }, { transform: "none" }], { duration: MOVES, easing: "ease-out" });
  }
}

const isField = (node) => /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName);

/** The values of the fields in a part of the page, by `data-field`. */
export function fieldsOf(root) {
  const values = {};
  for (const field of root.querySelectorAll("[data-field]"))
    if (field.type === "checkbox") values[field.dataset.field] = field.checked;
    else if (field.type !== "radio") values[field.dataset.field] = field.value;
    else if (field.checked) values[field.dataset.field] = field.value;
  return values;
}

/**
 * A widget's `render`.
 *
 * `view(snapshot, ui)` gives the tree. `act(snapshot, ui, op, arg, fields)` says what an operation does, and is pure:
 * `{ ui, send, wait, focus, reveal, copy, save, image }`; `ui` are changes of the reader's own view, `send` is what Python is told (one message
 * or several), `wait` that the widget is busy until Python answers, `focus` a selector, `reveal` one of what is brought in sight in its list,
 * `copy` a text, `save` a `[name, text]`, `image` a name.
 *
 * In the page, `data-op` (and `data-arg`) is what a click does; `data-live` what a field does while it changes (Python is told when it
 * has settled); `data-form` what sending a form does; `data-rows` names a long list (`lists.js`), of which `ui.rows` keeps the row at the top.
 * `keys` maps keys to operations; keys in text fields stay with them.
 * `follow(snapshot, ui)` changes `ui` when Python has set something by itself, so that what the reader moved before does not hide it.
 * `label(snapshot, name)` gives the words that are needed here: `silent`, `copied`, `saved`.
 */
export function frame({ view, act, freshUi, label, keys = {}, follow = () => ({}), gather = collect }) {
  return function render({ model, el, signal }) {
    const doc = el.ownerDocument;
    let snapshot = gather((name) => model.get(name));
    let ui = { all: {}, raw: false, copied: false, busy: false, fault: null, notice: null, said: "", ...freshUi(snapshot) };
    let tree = null;
    let silence = null;
    const settling = new Map();

    let drawing = false;
    function draw(still = false) {
      const next = view(snapshot, ui);
      drawing = true;
      if (tree && still) patch(tree, next, doc);
      else if (tree) moving(el, () => patch(tree, next, doc));
      else el.appendChild(mount(next, doc));
      drawing = false;
      tree = next;
    }
    function change(part) {
      ui = { ...ui, ...part };
      draw();
    }
    function scrolled(moved) {
      if (!moved) return;
      ui = { ...ui, rows: { ...ui.rows, ...moved } };
      draw(true);
    }
    /** Arrows, Home and End in a list whose widget has no meaning of its own for them; whether this was one of them. */
    function goAlong(event) {
      const to = event.altKey || event.ctrlKey || event.metaKey ? null : rowFrom(event.target, event.key);
      if (!to) return false;
      event.preventDefault();
      event.stopPropagation();
      if (to.list) {
        scrolled({ [to.list]: to.top });
        const found = el.querySelectorAll(`[data-list="${to.list}"] [data-place]`);
        to.row = found[to.end ? found.length - 1 : 0];
      }
      to.row.focus();
      return true;
    }
    const unanswered = () => change({ busy: false, notice: label(snapshot, "silent") });
    function tell(message, wait) {
      clearTimeout(silence);
      try {
        model.send(message);
      } catch {
        return unanswered();
      }
      silence = setTimeout(unanswered, SILENT);
      if (wait) change({ busy: true, notice: null });
    }
    function common(op, arg) {
      switch (op) {
        case "all": return { ui: { all: { ...ui.all, [arg]: !ui.all[arg] } } };
        case "raw": return { ui: { raw: !ui.raw } };
        case "dismiss": return { ui: { fault: null, notice: null }, send: snapshot.head.error ? { op: "dismiss", args: {} } : null };
        default: return null;
      }
    }
    async function perform(op, arg = "", fields = {}, settled = true) {
      let done;
      try {
        done = common(op, arg) || act(snapshot, ui, op, arg, fields) || {};
      } catch (error) {
        return change({ fault: error.message });
      }
      if (done.ui || ui.fault) change({ fault: null, ...done.ui });
      if (done.send) {
        clearTimeout(settling.get(op));
        const say = () => [done.send].flat().forEach((message) => tell(message, done.wait));
        if (settled) say();
        else settling.set(op, setTimeout(say, SETTLE));
      }
      if (done.copy !== undefined) {
        await copyText(el, done.copy);
        change({ copied: true, said: label(snapshot, "copied") });
      }
      if (done.save) saveText(el, ...done.save);
      if (done.image) saveBlob(el, `${done.image}.svg`, new Blob([imageOf(el)], { type: "image/svg+xml" }));
      if (done.save || done.image) change({ said: label(snapshot, "saved") });
      if (done.reveal) reveal(el.querySelector(done.reveal));
      const goal = done.focus && el.querySelector(done.focus);
      if (goal) goal.focus();
      scrolled(caughtUp(el));
    }

    const listen = (name, handler) => el.addEventListener(name, handler, { signal });
    listen("click", (event) => {
      const target = event.target.closest("[data-op]");
      if (target && !target.disabled) perform(target.dataset.op, target.dataset.arg, fieldsOf(el));
    });
    // A field that is taken away while it has the focus still tells that it has changed, in the midst of drawing.
    listen("input", (event) => {
      const { live } = event.target.dataset;
      if (live && !drawing) perform(live, event.target.dataset.arg, fieldsOf(el), false);
    });
    listen("change", (event) => {
      const { live } = event.target.dataset;
      if (live && !drawing) perform(live, event.target.dataset.arg, fieldsOf(el));
    });
    listen("submit", (event) => {
      event.preventDefault();
      perform(event.target.dataset.form, event.target.dataset.arg, fieldsOf(el));
    });
    followScrolling(el, signal, scrolled);
    listen("keydown", (event) => {
      const field = isField(event.target) && !["radio", "checkbox", "range"].includes(event.target.type);
      // JupyterLab would take keys for commands of its own while the reader types.
      if (isField(event.target)) event.stopPropagation();
      const op = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
      // A field to search in has one line: up and down are for what was found.
      const along = event.target.type === "search" && (event.key === "ArrowUp" || event.key === "ArrowDown");
      if (!op && !field && goAlong(event)) return;
      if (!op || (field && event.key !== "Escape" && !along) || (event.target.type === "range" && event.key.startsWith("Arrow"))) return;
      event.preventDefault();
      event.stopPropagation();
      perform(op, event.target.dataset.arg, fieldsOf(el));
    });

    const onHead = () => {
      clearTimeout(silence);
      const { turn } = snapshot.head;
      snapshot = gather((name) => model.get(name), snapshot);
      const { busy } = snapshot.head;
      const lost = doc.activeElement === doc.body;
      change({ busy: Boolean(busy), notice: null, copied: false, ...(turn === snapshot.head.turn ? {} : follow(snapshot, ui)) });
      scrolled(caughtUp(el));
      if (lost && !busy && hadFocus) (el.querySelector(".hai-primary:not([disabled])") || el.querySelector("button:not([disabled])"))?.focus();
    };
    let hadFocus = false;
    listen("focusin", ({ target }) => {
      hadFocus = true;
      const list = target.dataset.place && !drawing ? target.closest("[data-list]") : null;
      if (!list || (ui.stops || {})[list.dataset.list] === Number(target.dataset.place)) return;
      ui = { ...ui, stops: { ...ui.stops, [list.dataset.list]: Number(target.dataset.place) } };
      draw(true);
    });
    listen("focusout", (event) => (hadFocus = event.relatedTarget === null));
    const onCustom = async (message) => {
      if (!message || message.text === undefined) return;
      if (message.how === "copy") await copyText(el, message.text);
      else saveText(el, message.name, message.text);
      change({ said: label(snapshot, message.how === "copy" ? "copied" : "saved") });
    };
    const stop = () => {
      clearTimeout(silence);
      settling.forEach((timer) => clearTimeout(timer));
      model.off("change:head", onHead);
      model.off("msg:custom", onCustom);
    };
    model.on("change:head", onHead);
    model.on("msg:custom", onCustom);
    if (signal) signal.addEventListener("abort", stop);
    draw();
    return stop;
  };
}
