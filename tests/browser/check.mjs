// Opens pages in Chromium, light and dark: no request leaves the page, nothing is logged, axe-core finds no fault, and the
// page is used by keyboard. Usage: node check.mjs CHROMIUM SCREENSHOTS PAGE...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [chromium, screenshots, ...pages] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
const faults = [];
for (const file of pages) {
  for (const scheme of ["light", "dark"]) {
    const name = `${path.basename(file, ".html")} ${scheme}`;
    const fault = (what) => faults.push(`${name}: ${what}`);
    const page = await browser.newPage();
    await page.setViewport({ width: 1200, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    page.on("console", (message) => fault(`it logs: ${message.text()}`));
    page.on("pageerror", (error) => fault(`its script fails: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) fault(`it asks for ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href, { waitUntil: "load" });
    if (screenshots !== "-") {
      await page.screenshot({ path: path.join(screenshots, `${name.replace(" ", "-")}.png`), fullPage: true });
    }
    // The page forbids scripts of others: the checker is brought in by the debugger.
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
    for (const rule of found.violations) {
      fault(`${rule.id}: ${rule.help}: ${rule.nodes.map((node) => node.html.slice(0, 120)).join(" | ").slice(0, 400)}`);
    }
    await use(page, fault);
    await page.close();
  }
}
await browser.close();
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

/** Uses a page by keyboard alone. */
async function use(page, fault) {
  if (await page.$("[data-trace]")) {
    const read = () => page.$eval("[data-trace] output", (place) => place.textContent);
    const selected = () =>
      page.$eval("[data-trace] .steps tbody", (body) => [...body.rows].findIndex((row) => row.classList.contains("selected")));
    const last = await page.$eval("[data-trace] .steps tbody", (body) => body.rows.length - 1);
    if ((await selected()) !== last) fault("the last step is not selected at first");
    await page.focus("[data-trace] .steps");
    await page.keyboard.press("Home");
    if ((await selected()) !== 0) fault("Home does not lead to the first step");
    await page.keyboard.press("ArrowDown");
    if ((await selected()) !== Math.min(1, last)) fault("the arrow does not lead to the next step");
    if (!(await read()).startsWith("Step")) fault("the step is not told");
    // So does the drawing of the model.
    if (await page.$("[data-trace] [data-visb]")) {
      const drawing = () => page.$eval("[data-trace] [data-visb]", (place) => place.innerHTML);
      await page.keyboard.press("End");
      const end = await drawing();
      await page.keyboard.press("Home");
      if ((await drawing()) === end && !page.url().includes("hostile")) fault("the drawing does not change");
      await page.keyboard.press("End");
      if ((await drawing()) !== end) fault("the drawing does not come back");
    }
    // The picture is that of the selected step.
    if (await page.$("[data-trace] [data-steps]")) {
      const shown = () =>
        page.$eval("[data-trace]", (trace) => {
          const parts = [...trace.querySelectorAll("[data-steps]")];
          return parts.map((part) => getComputedStyle(part).display !== "none").join();
        });
      await page.keyboard.press("Home");
      const first = await shown();
      const at = await page.$eval("[data-trace]", (trace) =>
        [...trace.querySelectorAll("[data-steps]")].map((part) => /(^| )0(-| |$)/.test(part.dataset.steps)).join());
      if (first !== at) fault("the picture is not that of the first step");
      await page.keyboard.press("End");
      if ((await shown()) === first) fault("the picture does not change");
    }
    await page.keyboard.press("End");
    const back = await page.$$("[data-trace] .stepper button");
    if (last > 0) {
      await back[1].focus();
      await page.keyboard.press("Enter");
      if ((await selected()) !== last - 1) fault("the button does not lead one step back");
    }
  }
  if (await page.$("[data-filtered]")) {
    const shown = () => page.$$eval("[data-filtered] tbody tr", (rows) => rows.filter((row) => !row.hidden).length);
    const all = await shown();
    await page.focus("[data-filtered] input[type=search]");
    await page.keyboard.type("no row has this");
    if ((await shown()) !== 0) fault("words filter nothing");
    for (let i = 0; i < 15; i++) await page.keyboard.press("Backspace");
    if ((await shown()) !== all) fault("rows do not come back");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    const fewer = await shown();
    if (fewer >= all) fault("a verdict that is not ticked is shown");
  }
}
