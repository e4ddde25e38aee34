// The packed extension in a real workbench, as a user meets it: a folder is trusted, a machine is opened, a lens is clicked, a
// mistake is typed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";

import { needed, program } from "../program.mjs";

const SERVER = fileURLToPath(new URL("node_modules/code-server/lib/vscode/out/server-main.js", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../bsym.vsix", import.meta.url));

const COUNTER = `MACHINE Counter
VARIABLES count
INVARIANT
  count : 0..3
INITIALISATION count := 0
OPERATIONS
  up = count := count + 1;
  down = PRE count > 0 THEN count := count - 1 END
END
`;

async function freePort() {
  const server = createServer();
  await new Promise((resume) => server.listen(0, "127.0.0.1", resume));
  const { port } = server.address();
  await new Promise((resume) => server.close(resume));
  return port;
}

/** Waits until something is true. */
async function until(what, fits) {
  for (let round = 0; round < 120; round++) {
    const found = await fits();
    if (found) {
      return found;
    }
    await sleep(500);
  }
  throw new Error(`it did not happen: ${what}`);
}

test("a machine in the workbench", { ...needed, timeout: 240_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "bsym-workbench-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  await mkdir(join(folder, "models"));
  await writeFile(join(folder, "models", "Counter.mch"), COUNTER);
  await mkdir(join(folder, "server/data/Machine"), { recursive: true });
  await writeFile(join(folder, "server/data/Machine/settings.json"), JSON.stringify({ "bsym.path": program }));
  const places = ["--server-data-dir", join(folder, "server"), "--extensions-dir", join(folder, "extensions")];
  const start = (args) => spawn(process.execPath, [SERVER, "--accept-server-license-terms", ...places, ...args], { stdio: "ignore" });
  const installed = start(["--install-extension", PACKAGE]);
  assert.equal(await new Promise((resume) => installed.on("exit", resume)), 0, "the package is installed");
  const port = await freePort();
  const server = start(["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"]);
  t.after(() => server.kill());
  const address = `http://127.0.0.1:${port}/`;
  await until("the workbench answers", () => fetch(address).then((answer) => answer.ok, () => false));

  const browser = await puppeteer.launch({
    args: [...chromium.args, "--no-sandbox"],
    executablePath: await chromium.executablePath(),
    headless: "shell",
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(`${address}?folder=${join(folder, "models")}`);
  const trust = await until("the question of trust", async () => {
    const buttons = await page.$$(".monaco-dialog-box .dialog-buttons a");
    const texts = await Promise.all(buttons.map((button) => button.evaluate((node) => node.textContent)));
    return buttons[texts.findIndex((text) => text.startsWith("Yes"))];
  });
  await sleep(1000);
  await trust.click();
  await sleep(2000);
  const row = await page.waitForSelector('.explorer-folders-view .monaco-list-row[aria-label^="Counter.mch"]');
  await row.click({ count: 2 });

  const lenses = () => page.$$eval(".codelens-decoration", (found) => found.map((node) => node.textContent));
  const violated = await until("the verdicts", async () => {
    const found = await lenses();
    return found.length === 3 && !found.some((text) => text.includes("checking")) && found;
  });
  assert.match(violated[0], /violated after 4 events/);
  assert.match(violated[1], /leads to a violation/);
  const colours = await page.$$eval(".view-line span[class*=mtk]", (spans) => new Set(spans.map((span) => span.className)).size);
  assert.ok(colours >= 4, `${colours} colours`);

  await page.click(".codelens-decoration a");
  const trace = await until("the page of the trace", async () => {
    const texts = page.frames().map((frame) => frame.evaluate(() => document.body?.innerText ?? "").catch(() => ""));
    return (await Promise.all(texts)).find((text) => text.includes("INITIALISATION") && text.includes("violated: count"));
  });
  assert.match(trace, /4\s+up\s+4/);

  // A mistake is underlined, and takes the verdicts away; without it they are there again.
  const line = await page.evaluateHandle(() =>
    [...document.querySelectorAll(".view-line")].find((line) => line.textContent.replaceAll("\u00a0", " ").includes("count : 0..3")),
  );
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.type(" & cuont = 1");
  await until("the mistake is underlined", () => page.$(".squiggly-error"));
  await until("no verdict is shown", async () => (await lenses()).length === 0);
  for (let count = 0; count < " & cuont = 1".length; count++) {
    await page.keyboard.press("Backspace");
  }
  await until("the verdicts are there again", async () => (await lenses())[0]?.includes("violated after 4 events"));
  assert.equal(await page.$(".squiggly-error"), null);
});
