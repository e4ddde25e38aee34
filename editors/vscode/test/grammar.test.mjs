// The grammar for colours, in the engine that VS Code itself uses.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

async function grammar(scope) {
  const wasm = await readFile(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const files = { "source.b": "b", "text.xml.rodin": "rodin", "source.eventb": "eventb" };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => {
      if (!(name in files)) {
        return null;
      }
      const path = new URL(`../syntaxes/${files[name]}.tmLanguage.json`, import.meta.url);
      return textmate.parseRawGrammar(await readFile(path, "utf8"), path.pathname);
    },
  });
  return registry.loadGrammar(scope);
}

// The innermost scope of each piece of a text.
function scopes(loaded, text) {
  let state = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = loaded.tokenizeLine(line, state);
    state = ruleStack;
    for (const token of tokens) {
      found.push([line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
    }
  }
  return found;
}

test("classical B is coloured", async () => {
  const text = `MACHINE Lift /* a
  comment */ SETS D = {open}
DEFINITIONS twice(x) == 2 * x
INVARIANT f : 0..9 --> NAT1 & "text \\" more" /= s // end
OPERATIONS
  r <-- go(by) = PRE by : dom(f) THEN f(1) := 0x1F END
END`;
  const found = scopes(await grammar("source.b"), text);
  const check = (word, scope) =>
    assert.ok(found.some(([piece, of]) => piece === word && of === scope), `${word}: ${JSON.stringify(found)}`);
  check("MACHINE", "keyword.other.section.b");
  check("Lift", "entity.name.type.machine.b");
  check("  comment ", "comment.block.b");
  check("twice", "entity.name.function.definition.b");
  check("-->", "keyword.operator.relation.b");
  check("NAT1", "support.type.b");
  check("go", "entity.name.function.operation.b");
  check("PRE", "keyword.control.b");
  check("dom", "support.function.b");
  check("0x1F", "constant.numeric.hex.b");
  check("\\\"", "constant.character.escape.b");
  check("// end", "comment.line.double-slash.b");
});

test("Event-B as text is coloured", async () => {
  const text = "machine M // a machine\n  event go where @grd1 x ∈ ℕ then @act1 x ≔ x + 12 end\nEND";
  const found = scopes(await grammar("source.eventb"), text);
  const check = (word, scope) =>
    assert.ok(found.some(([piece, of]) => piece === word && of === scope), `${word}: ${JSON.stringify(found)}`);
  check("machine", "keyword.control.eventb");
  check("// a machine", "comment.line.double-slash.eventb");
  check("go", "entity.name.type.eventb");
  check("@grd1", "entity.name.function.label.eventb");
  check("∈", "keyword.operator.comparison.b");
  check("12", "constant.numeric.b");
  check("END", "keyword.control.eventb");
});

test("formulas in the files of Rodin are coloured", async () => {
  const text = `<org.eventb.core.invariant name="a" org.eventb.core.label="inv1" org.eventb.core.predicate="x ∈ ℕ &amp;"/>`;
  const found = scopes(await grammar("text.xml.rodin"), text);
  const check = (word, scope) =>
    assert.ok(found.some(([piece, of]) => piece === word && of === scope), `${word}: ${JSON.stringify(found)}`);
  check("org.eventb.core.invariant", "entity.name.tag.xml");
  check('"inv1"', "entity.name.function.label.rodin");
  check("∈", "keyword.operator.comparison.b");
  check("ℕ", "support.type.b");
  check("&amp;", "constant.character.entity.xml");
});

test("the grammar knows every keyword of the lexer", async () => {
  const lexer = await readFile(new URL("../../../language/src/classical/lexer.rs", import.meta.url), "utf8");
  const words = [...lexer.matchAll(/#\[token\("([A-Z_]{2,}[0-9]?)"/g)].map(([, word]) => word);
  assert.ok(words.length > 60, `${words.length} words`);
  const loaded = await grammar("source.b");
  const missing = words.filter((word) => {
    const [[piece, scope]] = scopes(loaded, word);
    return piece !== word || scope === "source.b";
  });
  assert.deepEqual(missing, []);
});

test("the grammar of Event-B knows every keyword of its reader", async () => {
  const words = await readFile(new URL("../../../language/src/eventb/text/words.rs", import.meta.url), "utf8");
  const [, list] = words.match(/keywords! \{([^}]*)\}/);
  // These are refused.
  const refused = ["theory", "includes", "synchronises", "records"];
  const all = [...list.matchAll(/"([a-z]+)"/g)].map(([, word]) => word).filter((word) => !refused.includes(word));
  assert.ok(all.length > 25, `${all.length} words`);
  const loaded = await grammar("source.eventb");
  const missing = [...all, ...all.map((word) => word.toUpperCase())].filter((word) => {
    const [[piece, scope]] = scopes(loaded, word);
    return piece !== word || scope !== "keyword.control.eventb";
  });
  assert.deepEqual(missing, []);
});
