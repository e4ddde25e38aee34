// The texts of this repository have trees without errors.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const has = spawnSync("tree-sitter", ["--version"]).status === 0;

test("the texts of the repository are read", { skip: !has && "there is no tree-sitter" }, () => {
  const patterns = ["*.eventb", "*.bumx", "*.bucx"];
  const listed = execFileSync("git", ["ls-files", "--", ...patterns], { cwd: root, encoding: "utf8" });
  const texts = listed.split("\n").filter((path) => path && !readFileSync(root + path, "utf8").startsWith("package("));
  assert.ok(texts.length >= 3, `${texts.length} texts`);
  const paths = texts.map((path) => root + path);
  const run = spawnSync("tree-sitter", ["parse", "-p", here, "--quiet", ...paths], { cwd: here, encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
});
