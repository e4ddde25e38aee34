// Every keyword of bsym's own reader is one of the grammar.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("the grammar has all keywords", async () => {
  const words = await readFile(new URL("../../../language/src/eventb/text/words.rs", import.meta.url), "utf8");
  const grammar = await readFile(new URL("../grammar.js", import.meta.url), "utf8");
  const [, list] = words.match(/keywords! \{([^}]*)\}/);
  // These are refused.
  const refused = ["theory", "includes", "synchronises", "records"];
  const all = [...list.matchAll(/"([a-z]+)"/g)].map(([, word]) => word).filter((word) => !refused.includes(word));
  assert.ok(all.length > 25, `${all.length} words`);
  assert.deepEqual(all.filter((word) => !grammar.includes(`word("${word}")`)), []);
});
