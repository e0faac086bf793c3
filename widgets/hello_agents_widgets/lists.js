// Long lists, the same way in every widget: only the rows around those in sight are in the page.
import { findAll, h } from "./parts.js";

const FEW = 120;
const ABOVE = 40;
const DRAWN = 110;
const NEAR = 8;
const LEAD = 6;

/** Which of `count` rows are in the page when row `top` is the uppermost in sight. */
export function rowsDrawn(count, top) {
  if (count <= FEW) return [0, count];
  const from = Math.max(0, Math.min(top - ABOVE, count - DRAWN));
  return [from, Math.min(count, from + DRAWN)];
}

/**
 * A list of `count` rows by name: which of them are in the page (`from`, `to`), and whether that is not all (`long`).
 *
 * The rows of a long one are `height` pixels high. `scroller` are the attributes of the element that scrolls, `above` and
 * `below` stand for the rows that are left out. Until the reader scrolls, row `first` is at the top.
 */
export function longList(ui, name, count, height, { first = 0, tag = "li" } = {}) {
  const top = (ui.rows || {})[name] ?? first;
  const [from, to] = rowsDrawn(count, top);
  const long = to - from < count;
  const blank = (where, left) => long && left > 0 && h(tag, { key: `${name} ${where}`, class: "hai-blank", "aria-hidden": "true", style: `height:${left * height}px` });
  return { from, to, long, scroller: long ? scrollerOf(name, height, from, to, count) : {}, above: blank("above", from), below: blank("below", count - to) };
}

/** The attributes of an element that scrolls, for `followScrolling`: rows `from` to `to` of `count` are in the page. */
export const scrollerOf = (name, height, from, to, count) => ({ "data-rows": name, "data-row": String(height), "data-drawn": `${from} ${to} ${count}` });

const isButton = (node) => node.tag === "button";

/** The first button of a row, which is what the reader comes to; of all rows Tab comes to one. */
function comeTo(item, i, stop) {
  const [target] = findAll(item, isButton);
  if (!target || "tabindex" in target.attrs) return target;
  Object.assign(target.attrs, { "data-place": String(i), tabindex: i === stop ? "0" : "-1" });
  return target;
}

/**
 * A list that scrolls by itself, of `draw(i)`, each an `li`.
 *
 * Tab comes to one of the rows with a button, that which had the focus last (`ui.stops`, kept by the frame); arrows go on from there.
 */
export function rows(c, name, count, height, draw, attrs = {}) {
  const { from, to, long, scroller, above, below } = longList(c.ui, name, count, height);
  const items = [];
  for (let i = from; i < to; i++) items.push(draw(i));
  if (long) items.forEach((item, n) => Object.assign(item.attrs, { "aria-setsize": String(count), "aria-posinset": String(from + n + 1) }));
  const usable = items.map((item, n) => [item, from + n]).filter(([item]) => findAll(item, isButton).length);
  const last = (c.ui.stops || {})[name];
  const stop = usable.some(([, i]) => i === last) ? last : (usable[0] || [])[1];
  for (const [item, i] of usable) comeTo(item, i, stop);
  return h("ol", { class: long ? "hai-list hai-longlist" : "hai-list", "data-list": name, ...(long && { style: `--row:${height}px` }), ...scroller, ...attrs }, above, items, below);
}

/** The row to go to from a row by a key, as `{ row }`, or as `{ list, top, end }` when it is not in the page; `null` for other keys. */
export function rowFrom(target, key) {
  const list = target.closest("[data-list]");
  const all = list && target.dataset.place ? [...list.querySelectorAll("[data-place]")] : [];
  const at = all.indexOf(target);
  if (at < 0 || !["ArrowDown", "ArrowUp", "Home", "End"].includes(key)) return null;
  const end = key === "End";
  if (key === "ArrowDown" || key === "ArrowUp") return { row: all[at + (key === "ArrowDown" ? 1 : -1)] || target };
  const count = list.dataset.drawn ? Number(list.dataset.drawn.split(" ")[2]) : 0;
  return { list: list.dataset.list, top: end ? count : 0, end };
}

/** The change of `ui` by which row `i` of a list is in the page; `reveal` or the focus then brings it in sight. */
export const showing = (ui, name, i) => ({ rows: { ...ui.rows, [name]: Math.max(0, i - LEAD) } });

/** Where a list is scrolled to, as a change of `ui.rows`, when rows in sight or close to it are missing; else `null`. */
function scrolledTo({ scrollTop, clientHeight, dataset }) {
  const [from, to, count] = dataset.drawn.split(" ").map(Number);
  const first = Math.floor(scrollTop / Number(dataset.row));
  const last = Math.ceil((scrollTop + clientHeight) / Number(dataset.row));
  return (from > 0 && first < from + NEAR) || (to < count && last > to - NEAR) ? { [dataset.rows]: first } : null;
}

/** Tells `change` what `ui.rows` gets whenever a list in `el` is scrolled so far that other rows are needed. */
export function followScrolling(el, signal, change) {
  // Scrolling does not bubble, hence the capture.
  el.addEventListener("scroll", ({ target }) => {
    const moved = target.dataset && target.dataset.rows ? scrolledTo(target) : null;
    if (moved) change(moved);
  }, { capture: true, signal });
}

/** What `ui.rows` gets after lists have changed below the reader, who is still where they had scrolled to; `null` when nothing. */
export function caughtUp(el) {
  const moved = [...el.querySelectorAll("[data-rows]")].map(scrolledTo).filter(Boolean);
  return moved.length ? Object.assign({}, ...moved) : null;
}

/** Scrolls the list that an element is in, and nothing else, until the element is in sight. */
export function reveal(element) {
  const list = element && element.closest("[data-list], [data-rows]");
  if (!list) return;
  const [frame, here] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  const head = list.querySelector("[data-sticky]");
  const top = frame.top + (head ? head.getBoundingClientRect().height : 0);
  if (here.top < top || here.bottom > frame.bottom) list.scrollTop += here.top - top - Math.max(0, (frame.bottom - top - here.height) / 3);
}
