"use strict";
// Returns whether a step is among some, written as "0-3 7".
const isAmong = (steps, step) =>
  steps.split(" ").some((range) => {
    const [from, to = from] = range.split("-").map(Number);
    return from <= step && step <= to;
  });
// Steps through traces: the buttons, and the arrow keys, Home and End on the table.
for (const trace of document.querySelectorAll("[data-trace]")) {
  const rows = [...trace.querySelectorAll(".steps tbody tr")];
  if (rows.length === 0) continue;
  const [first, back, next, last] = trace.querySelectorAll(".stepper button");
  const place = trace.querySelector("output");
  const drawn = [...trace.querySelectorAll("[data-steps]")];
  const name = trace.querySelector("[data-step-name]");
  const visb = trace.querySelector("[data-visb]");
  const plan = visb ? JSON.parse(visb.dataset.visb) : { targets: [], steps: [] };
  let at = rows.length - 1;
  const show = (to) => {
    at = Math.max(0, Math.min(rows.length - 1, to));
    rows.forEach((row, i) => row.classList.toggle("selected", i === at));
    const changed = [...rows[at].querySelectorAll("td.changed")].map((cell) => cell.dataset.change);
    const what = changed.length ? `: ${changed.join("; ")}` : "";
    place.textContent = `Step ${rows[at].dataset.number} of ${rows.at(-1).dataset.number}, ${rows[at].dataset.event}${at ? what : ""}`;
    for (const part of drawn) part.toggleAttribute("data-off", !isAmong(part.dataset.steps, at));
    plan.targets.forEach(([id, attribute], i) => {
      const element = document.getElementById(id);
      const value = plan.steps[at]?.[i];
      if (!element || value === undefined) return;
      if (attribute === "text") element.textContent = value ?? "";
      else if (value === null) element.removeAttribute(attribute);
      else element.setAttribute(attribute, value);
    });
    if (name) name.textContent = `step ${rows[at].dataset.number}, ${rows[at].dataset.event}`;
    first.disabled = back.disabled = at === 0;
    last.disabled = next.disabled = at === rows.length - 1;
  };
  const go = (to) => {
    show(to);
    rows[at].scrollIntoView({ block: "nearest" });
  };
  first.addEventListener("click", () => go(0));
  back.addEventListener("click", () => go(at - 1));
  next.addEventListener("click", () => go(at + 1));
  last.addEventListener("click", () => go(rows.length - 1));
  rows.forEach((row, i) => row.addEventListener("click", () => go(i)));
  const keys = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  trace.querySelector(".steps").addEventListener("keydown", (event) => {
    if (event.key in keys) {
      event.preventDefault();
      go(at + keys[event.key]);
    }
  });
  trace.querySelector(".stepper").hidden = false;
  show(at);
}
// Filters of tables: words in any cell, and the verdicts that are ticked.
for (const table of document.querySelectorAll("[data-filtered]")) {
  const filters = table.querySelector(".filters");
  const rows = [...table.querySelectorAll("tbody tr")];
  const words = filters.querySelector("input[type=search]");
  const boxes = [...filters.querySelectorAll("input[type=checkbox]")];
  const count = filters.querySelector("output");
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const is_shown = verdicts.has(row.dataset.verdict) && wanted.every((word) => text.includes(word));
      row.hidden = !is_shown;
      shown += is_shown;
    }
    count.textContent = `${shown} of ${rows.length}`;
  };
  filters.addEventListener("input", apply);
  filters.hidden = false;
  apply();
}
