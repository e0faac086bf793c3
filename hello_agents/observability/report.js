"use strict";
(() => {
  const root = document.documentElement;
  const find = (selector) => [...document.querySelectorAll(selector)];
  const rows = find("main details");
  const chips = find(".chip");
  const search = document.querySelector("input");
  const output = document.querySelector("output");
  let texts = null;
  root.classList.add("scripted");

  const filter = () => {
    const shown = new Set(chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.kind));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    // Reading all texts takes a while on a long page, and is not needed until somebody searches.
    if (words.length) texts ??= rows.map((row) => row.textContent.toLowerCase());
    rows.forEach((row, at) => {
      // A call that failed is an error as well as a call.
      const kind = shown.has(row.dataset.kind) || (row.classList.contains("failed") && shown.has("error"));
      row.hidden = !(kind && words.every((word) => texts[at].includes(word)));
      count += row.hidden ? 0 : 1;
    });
    find("main h2").forEach((title) => {
      let next = title.nextElementSibling;
      while (next && next.tagName !== "H2" && next.hidden) next = next.nextElementSibling;
      title.hidden = !next || next.tagName === "H2";
    });
    output.textContent = count === rows.length ? "" : count ? `${count} / ${rows.length}` : output.dataset.none;
  };

  const failed = () => {
    const row = rows.find((one) => one.classList.contains("failed"));
    if (!row) return;
    if (row.hidden) {
      search.value = "";
      chips.forEach((chip) => (chip.ariaPressed = "true"));
      filter();
    }
    row.open = true;
    find(".found").forEach((one) => one.classList.remove("found"));
    row.classList.add("found");
    row.scrollIntoView({ block: "center" });
    row.querySelector("summary").focus({ preventScroll: true });
  };

  chips.forEach((chip) =>
    chip.addEventListener("click", () => {
      chip.ariaPressed = String(chip.ariaPressed !== "true");
      filter();
    }),
  );
  search.addEventListener("input", filter);
  document.querySelector('[data-do="error"]').addEventListener("click", failed);
  document.querySelector('[data-do="fold"]').addEventListener("click", (event) => {
    const button = event.currentTarget;
    const open = !button.dataset.open;
    rows.forEach((row) => (row.open = open));
    [button.textContent, button.dataset.other] = [button.dataset.other, button.textContent];
    button.dataset.open = open ? "1" : "";
  });
  document.querySelector('[data-do="theme"]').addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
})();
