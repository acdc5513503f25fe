// Chromium, and pages in it. What is missing is said by missing(); then nothing here works.
import {existsSync} from "node:fs";
import {createRequire} from "node:module";
import {delimiter, dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
const packages = process.env.WEIR_PAGE_PACKAGES ?? join(root, "build/page-tests/node_modules");

function chromiumPath() {
  if (process.env.WEIR_CHROMIUM) return process.env.WEIR_CHROMIUM;
  for (const folder of (process.env.PATH ?? "").split(delimiter))
    for (const name of ["chromium", "chromium-browser", "google-chrome"]) if (existsSync(join(folder, name))) return join(folder, name);
  return null;
}

// What is missing, in words; or null.
export function missing() {
  if (!chromiumPath()) return "Chromium";
  if (!existsSync(join(packages, "playwright-core/package.json"))) return "playwright-core";
  return null;
}

export async function launch() {
  const {chromium} = createRequire(join(packages, "from-here.js"))("playwright-core");
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

// A page at `url`, and what happened that should not: errors of scripts, messages on the console, requests to anywhere
// but what begins with one of `allowed`.
export async function open(browser, url, {width = 1280, height = 900, dark = false, online = false, allowed = [url], timezoneId = "UTC"} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: dark ? "dark" : "light", offline: !online, timezoneId});
  const page = await context.newPage();
  page.setDefaultTimeout(6000);
  const faults = [];
  page.on("pageerror", error => faults.push(`error: ${error.message} ${(error.stack ?? "").split("\n").slice(1, 4).map(line => line.trim().replace(/file:.*html/, "")).join(" ")}`));
  page.on("console", message => ["error", "warning"].includes(message.type()) && faults.push(`console: ${message.text()}`));
  page.on("dialog", dialog => {
    faults.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on("request", request => {
    if (!allowed.some(begin => request.url().startsWith(begin))) faults.push(`request: ${request.url()}`);
  });
  await page.goto(url, {timeout: 60_000});  // large ones, on machines that do other work
  await settled(page);
  return {page, context, faults};
}

// When the charts, which wait for their width, have been drawn.
export function settled(page) {
  return page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
}
