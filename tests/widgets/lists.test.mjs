// Long lists: which rows are in the page, and when others have to be.
import assert from "node:assert/strict";
import test from "node:test";
import { caughtUp, followScrolling, longList, reveal, rowFrom, rows, rowsDrawn, showing } from "../../widgets/hello_agents_widgets/lists.js";
import { findAll, h } from "../../widgets/hello_agents_widgets/parts.js";

const ROW = 28;
const SIGHT = 620;
const inSight = (top, count) => [top, Math.min(count, top + Math.ceil(SIGHT / ROW))];
const listOf = (count, ui = {}) => rows({ ui }, "names", count, ROW, (i) => h("li", { key: String(i) }, String(i)));
const numbers = (tree) => findAll(tree, (node) => node.tag === "li" && node.key.match(/^\d+$/)).map((node) => Number(node.key));
const room = (tree) => findAll(tree, (node) => node.attrs.class === "hai-blank").reduce((sum, node) => sum + parseInt(node.attrs.style.slice(7), 10), 0);
const element = (dataset, scrollTop, clientHeight = SIGHT) => ({ dataset, scrollTop, clientHeight });

test("a short list is drawn whole, wherever it is scrolled to", () => {
  for (const count of [0, 1, 60, 120]) for (const top of [0, 10, 1000]) assert.deepEqual(rowsDrawn(count, top), [0, count]);
  assert.equal(findAll(listOf(120), (node) => "data-rows" in node.attrs).length, 0);
});

test("of a long list all rows in sight are drawn, and few others", () => {
  for (const count of [121, 1000, 5000]) {
    for (let top = 0; top < count; top += 7) {
      const [from, to] = rowsDrawn(count, top);
      const [first, last] = inSight(top, count);
      assert.ok(from <= first && to >= last, `${count} ${top}`);
      assert.ok(to - from <= 110);
    }
  }
});

test("rows that are not drawn keep their room, so that the list is as high as ever", () => {
  for (const top of [0, 55, 2500, 4999]) {
    const list = listOf(5000, { rows: { names: top } });
    assert.equal(room(list) + numbers(list).length * ROW, 5000 * ROW);
    assert.equal(list.attrs.style, `--row:${ROW}px`);
  }
});

test("each drawn row of a long list says which it is, of how many", () => {
  const list = listOf(5000, { rows: { names: 2000 } });
  for (const row of findAll(list, (node) => node.key && /^\d+$/.test(node.key))) {
    assert.equal(row.attrs["aria-posinset"], String(Number(row.key) + 1));
    assert.equal(row.attrs["aria-setsize"], "5000");
  }
});

test("a list begins where it is told to, until it is scrolled", () => {
  const begun = longList({ rows: {} }, "steps", 1000, ROW, { first: 700 });
  assert.ok(begun.from <= 700 && begun.to > 720);
  const scrolled = longList({ rows: { steps: 0 } }, "steps", 1000, ROW, { first: 700 });
  assert.equal(scrolled.from, 0);
});

test("scrolling a little draws nothing anew; scrolling far asks for the rows there", () => {
  const { scroller } = longList({ rows: { names: 1000 } }, "names", 5000, ROW);
  const dataset = { rows: scroller["data-rows"], row: scroller["data-row"], drawn: scroller["data-drawn"] };
  const told = [];
  let heard = null;
  followScrolling({ addEventListener: (name, handler) => (heard = handler) }, null, (moved) => told.push(moved));
  for (const row of [1000, 990, 1030]) heard({ target: element(dataset, row * ROW) });
  heard({ target: element({}, 9999) });
  assert.deepEqual(told, []);
  heard({ target: element(dataset, 3000 * ROW) });
  heard({ target: element(dataset, 0) });
  assert.deepEqual(told, [{ names: 3000 }, { names: 0 }]);
});

test("a reader who scrolled on before the list changed gets the rows where they are", () => {
  const page = (...lists) => ({ querySelectorAll: () => lists });
  assert.equal(caughtUp(page()), null);
  assert.equal(caughtUp(page(element({ rows: "a", row: "10", drawn: "0 110 500" }, 0))), null);
  assert.deepEqual(caughtUp(page(element({ rows: "a", row: "10", drawn: "0 110 500" }, 3000, 400), element({ rows: "b", row: "10", drawn: "0 110 110" }, 3000))), { a: 300 });
});

test("a row that is gone to is drawn, and other lists stay where they are", () => {
  const ui = { rows: { other: 5, names: 0 } };
  const next = showing(ui, "names", 4321);
  assert.equal(next.rows.other, 5);
  assert.ok(numbers(listOf(5000, next)).includes(4321));
  assert.ok(numbers(listOf(5000, showing({}, "names", 0))).includes(0));
});

test("an element is brought in sight below what sticks at the top, in its own list only", () => {
  const box = (top, height) => ({ getBoundingClientRect: () => ({ top, height, bottom: top + height }) });
  const list = { ...box(100, 300), scrollTop: 1000, querySelector: () => box(100, 30) };
  const at = (top) => ({ ...box(top, 28), closest: () => list });
  const place = (top) => top - (list.scrollTop - 1000);
  reveal(at(200));
  assert.equal(list.scrollTop, 1000);
  for (const top of [110, 2000, -500]) {
    list.scrollTop = 1000;
    reveal(at(top));
    assert.ok(place(top) >= 130 && place(top) + 28 <= 400, String(top));
  }
  reveal(null);
  reveal({ closest: () => null });
});

test("Tab comes to one row of a list, the one that had the focus last, and to one in the page when that is far away", () => {
  const list = (ui) => rows({ ui }, "names", 5000, ROW, (i) => h("li", { key: String(i) }, i % 10 ? h("button", {}, String(i)) : "a heading"));
  const stops = (ui) => findAll(list(ui), (node) => node.tag === "button" && node.attrs.tabindex === "0").map((node) => Number(node.attrs["data-place"]));
  assert.deepEqual(stops({}), [1]);
  assert.deepEqual(stops({ stops: { names: 33 } }), [33]);
  assert.deepEqual(stops({ stops: { names: 33 }, rows: { names: 2040 } }), [2001]);
  const own = rows({ ui: {} }, "names", 3, ROW, (i) => h("li", { key: String(i) }, h("button", { tabindex: "-1" })));
  assert.equal(findAll(own, (node) => "data-place" in node.attrs).length, 0);
});

test("arrows go from row to row, Home and End to the ends, also to those that are not in the page", () => {
  const list = { dataset: { list: "names", drawn: "0 110 5000" }, querySelectorAll: () => all };
  const all = ["0", "1", "2"].map((place) => ({ dataset: { place }, closest: () => list }));
  assert.equal(rowFrom(all[0], "ArrowDown").row, all[1]);
  assert.equal(rowFrom(all[1], "ArrowUp").row, all[0]);
  assert.equal(rowFrom(all[0], "ArrowUp").row, all[0]);
  assert.equal(rowFrom(all[2], "ArrowDown").row, all[2]);
  assert.deepEqual(rowFrom(all[1], "End"), { list: "names", top: 5000, end: true });
  assert.deepEqual(rowFrom(all[1], "Home"), { list: "names", top: 0, end: false });
  for (const [target, key] of [[all[0], "a"], [all[0], "Enter"], [{ dataset: {}, closest: () => list }, "ArrowDown"], [{ dataset: {}, closest: () => null }, "ArrowDown"]]) assert.equal(rowFrom(target, key), null);
});
