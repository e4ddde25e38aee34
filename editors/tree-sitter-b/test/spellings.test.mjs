// Every spelling of an infix operator in bsym's own table is one of the grammar.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("the grammar has all spellings of all operators", async () => {
  const table = await readFile(new URL("../../../language/src/ast/operators.rs", import.meta.url), "utf8");
  const grammar = await readFile(new URL("../grammar.js", import.meta.url), "utf8");
  const rows = [...table.matchAll(/^\s+\w+ \d+ [A-Z]+ \[((?:"(?:[^"\\]|\\.)*"\s*)*)\]/gm)];
  assert.ok(rows.length > 50, `${rows.length} rows`);
  const spellings = rows.flatMap(([, list]) => [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => quoted));
  assert.deepEqual(spellings.filter((quoted) => !grammar.includes(quoted)), []);
});
