// The page of a trace on results that are made up.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

const { page, title } = createRequire(import.meta.url)("../out/trace.js");

test("text of a model is never markup", () => {
  const step = { event: "<b>", parameters: { x: '"&' }, results: { r: "'" }, state: { v: "{1 |-> <i>}" } };
  const html = page({
    machine: "</title><script>",
    verdict: "violated",
    engine: null,
    reason: "<img>",
    violated: [{ label: "<u>", text: "v < 3", message: null }],
    constants: { c: "<hr>" },
    trace: [step],
    properties: [],
  });
  for (const tag of ["<b>", "<script", "<img", "<u>", "<hr", "<i>"]) {
    assert.ok(!html.includes(tag), tag);
  }
  assert.equal(title(step), `<b>(x = "&) → r = '`);
});

test("without a trace the verdicts are listed", () => {
  const html = page({
    machine: "M",
    verdict: "holds",
    engine: "kind",
    reason: null,
    violated: [],
    constants: {},
    trace: null,
    properties: [{ label: "inv1", text: "x : NAT", verdict: "holds" }],
  });
  assert.match(html, /inv1: x : NAT<\/code><\/td><td class="holds">holds/);
});
