// Saved pages: made of each fixture and of a real run, opened without a network.
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {open, settled} from "./browser.mjs";
import {useControls} from "./controls.mjs";
import {checkDemands, checkExplanations, checkSlow, checkTimeOfDay, checkTwo} from "./demands.mjs";
import {fixtures} from "./fixtures.mjs";
import {coloursOfCharts, layoutFaults} from "./layout.mjs";
import {checkModelsPage, checkNumbers} from "./numbers.mjs";

const sizes = [[1280, 900], [400, 800]];
const mostEmptyPage = 500_000;  // bytes: so that a page can be sent by mail
const secondsOfRun = 4;

// {file, data}: the page and what must be in it.
export function pageOf(programs, folder, name, data, ...options) {
  const file = join(folder, name + ".html");
  writeFileSync(file, execFileSync(join(programs, "write_page"), [data.title ?? "weir", ...options], {input: JSON.stringify(data), maxBuffer: 1 << 28}));
  return {name, file, data};
}

function pageOfRun(programs, folder) {
  const prefix = join(folder, "run");
  execFileSync(join(programs, "write_run"), [prefix, String(secondsOfRun)]);
  const report = JSON.parse(readFileSync(prefix + ".json", "utf8"));
  return {name: "run", file: prefix + ".html", report};
}

async function dataIn(page) {
  return JSON.parse(await page.evaluate(() => document.getElementById("weir-data").textContent));
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "weir-page-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, {recursive: true});
  }
}

export function checkSmoke({browser, findings, programs, only}) {
  return inFolder(async folder => {
    for (const name of ["moves", "hostile", "ranks", "devices", "demands", "slow", "two"]) {
      if (only && name !== only) continue;
      const made = pageOf(programs, folder, name, fixtures[name]());
      findings.about(name);
      const {page, context, faults} = await open(browser, pathToFileURL(made.file).href);
      await checkContent(findings, page, made);
      findings.none("the layout has no faults", await layoutFaults(page));
      findings.none("no errors, messages or requests", faults);
      await context.close();
    }
  });
}

// One thing that cannot be done is a finding; the rest is still checked.
async function attempt(findings, work) {
  try {
    await work();
  } catch (error) {
    findings.holds("it can be checked", false, error.stack.split("\n").filter(line => !line.includes("node:internal")).slice(0, 5).join(" "));
  }
}

export function checkSaved({browser, findings, programs, out, only}) {
  return inFolder(async folder => {
    const isChecked = name => !only || name === only;
    const pages = Object.entries(fixtures).filter(([name]) => isChecked(name)).map(([name, make]) => pageOf(programs, folder, name, make()));
    if (isChecked("run")) pages.push(pageOfRun(programs, folder));
    for (const made of pages) {
      const begin = performance.now();
      for (const [width, height] of sizes)
        for (const dark of [false, true]) await attempt(findings, () => checkView({browser, findings, out}, made, {width, height, dark}));
      await attempt(findings, () => checkUse({browser, findings, out}, made));
      console.log(`${made.name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    }
    const empty = pageOf(programs, folder, "nothing", {});
    findings.about("nothing");
    findings.holds("a page without data is small", statSync(empty.file).size < mostEmptyPage, statSync(empty.file).size);
  });
}

// How a page looks in one size and theme.
async function checkView({browser, findings, out}, made, {width, height, dark}) {
  findings.about(`${made.name} ${dark ? "dark" : "light"} ${width}`);
  const {page, context, faults} = await open(browser, pathToFileURL(made.file).href, {width, height, dark});
  findings.none("the layout has no faults", await layoutFaults(page));
  for (const chart of await coloursOfCharts(page)) findings.holds(`the chart of "${chart.title}" is drawn`, chart.colours > 2, chart.colours);
  await page.screenshot({path: join(out, `${made.name}-${dark ? "dark" : "light"}-${width}.png`), fullPage: true});
  findings.none("no errors, messages or requests", faults);
  await context.close();
}

// What a page says, and what happens when one uses it.
async function checkUse({browser, findings, out}, made) {
  findings.about(made.name);
  const begin = performance.now();
  const {page, context, faults} = await open(browser, pathToFileURL(made.file).href);
  findings.holds("the page is there within seconds", performance.now() - begin < 15_000, `${performance.now() - begin} ms`);
  await checkContent(findings, page, made);
  await useControls(findings, page, made);
  findings.none("no errors, messages or requests", faults);
  if (made.name === "slow") await checkTimeOfDay(findings, browser, pathToFileURL(made.file).href, made.data.runs[0].report);
  await checkPrint(findings, page, made, out);
  findings.none("no errors, messages or requests when printed", faults);
  await context.close();
}

async function checkContent(findings, page, made) {
  const held = await dataIn(page);
  if (made.report) findings.equal("the report is in the page as it was", held.runs[0].report, made.report);
  else findings.equal("the data is in the page as it was", held, JSON.parse(JSON.stringify(made.data)));
  const words = await page.evaluate(() => document.getElementById("page").innerText);
  for (const bad of ["NaN", "undefined", "[object", "Infinity", "null"]) findings.holds(`the page does not say ${bad}`, !words.includes(bad), words.slice(Math.max(0, words.indexOf(bad) - 60), words.indexOf(bad) + 60));

  if (made.name === "foreign" || made.name === "newer") {
    findings.equal("one alert says what was given", await page.locator("[role=alert]").count(), 1);
    findings.holds("and what is read", /"weir page"|version 1/.test(words), words);
    return;
  }
  if (held.kind === "runs") await checkNumbers(findings, page, held.runs[0].report);
  if (held.kind === "observations") await checkModelsPage(findings, page, held.components);
  if (made.name === "hostile") await checkNothingRan(findings, page, held);
  if (made.name === "large") {
    findings.holds("it says how many nodes are not drawn", words.includes("20,003 nodes, too many for a drawing"));
    findings.holds("it says of how many components those are that it shows", words.includes("12 components of 10,000"));
    findings.holds("it says what a point of a chart is", words.includes("60 rows of the history"));
    findings.holds("it says which decisions are not kept", words.includes("710 decisions after the first are not kept"));
  }
  if (made.name === "ranks") await checkRanks(findings, page, held.runs[0].report);
  else findings.equal("without ranks there is no part for them", await page.locator("section[data-title=Ranks]:visible").count(), 0);
  if (made.name === "devices") await checkDevices(findings, page, held.runs[0].report);
  else findings.equal("without devices and resources there is no part for them", await page.locator("section[data-title=Devices]:visible, section[data-title=Resources]:visible").count(), 0);
  if (made.name === "demands") await checkDemands(findings, page, held.runs[0].report);
  if (made.name === "slow") await checkSlow(findings, page, held.runs[0].report);
  if (made.name === "two") await checkTwo(findings, page);
  if (made.name === "moves") await checkExplanations(findings, page);
  if (made.name === "moves") findings.holds("it says what the machine did not allow", words.includes("the kernel refused to bind thread 12"));
}

// Each rank has a bar of its cores and a row, and each component that it ran a row with that rank.
async function checkRanks(findings, page, report) {
  const part = page.locator("section[data-title=Ranks]");
  findings.equal("there is a bar for each rank", await part.locator(".rank").count(), report.ranks.length);
  findings.equal("a bar has the owners, and one piece for the cores that are left", await part.locator(".rank").first().locator(".rank-cores span").allInnerTexts(), ["decode", "shared by tally"]);
  const words = await part.innerText();
  for (const said of ["has told nothing", "18 \u00b5s", "recognise", "2,713"]) findings.holds(`it says ${said}`, words.includes(said), words);
  const rows = report.ranks.reduce((sum, rank) => sum + rank.components.length, 0);
  findings.equal("there is a row for each component of each rank", await part.locator("table").last().locator("tbody tr").count(), rows);
}

// Each component on a device has a row, with its part of the records and its crossing point, and a chart where both sides are known.
async function checkDevices(findings, page, report) {
  const part = page.locator("section[data-title=Devices]");
  findings.equal("there is a row for each component on a device", await part.locator("tbody tr").count(), report.devices.length);
  findings.equal("there is a chart where both sides are known", await part.locator("figure").count(), 1);
  const words = await part.innerText();
  for (const said of ["gpu0", "25 %", "62.5", "a lane of cores"]) findings.holds(`it says ${said}`, words.includes(said), words);
  const needs = await page.locator("section[data-title=Resources]").innerText();
  for (const said of ["licence", "100 %", "31"]) findings.holds(`it says ${said}`, needs.includes(said), needs);
}

// Names that are markup are shown as they are.
async function checkNothingRan(findings, page, held) {
  const title = await page.title();
  findings.equal("the title is the one that was given", title, held.title);
  findings.equal("no name became an element", await page.locator("#page img, #page script, #page b").count(), 0);
  const shown = await page.locator('[data-table="Components"] tbody th').allInnerTexts();
  const names = held.runs[0].report.components.map(({name}) => name);
  findings.equal("every component has its row", shown.length, names.length);
  findings.holds("markup is shown as text", shown.includes(names[0]), shown);
}

// Paper is white, whatever the page's theme is, and has all that is drawn: that must be there when the event is over.
async function checkPaper(findings, page) {
  await page.emulateMedia({colorScheme: "dark"});
  await settled(page);
  const drawn = () => page.evaluate(() => [".chart canvas", ".network svg"].map(what => document.querySelectorAll(what).length));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = [await drawn(), await ground()];
  const during = await page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    return [[".chart canvas", ".network svg"].map(what => document.querySelectorAll(what).length), getComputedStyle(document.body).backgroundColor];
  });
  findings.equal("what is drawn is printed, on white", during, [before[0], "rgb(255, 255, 255)"]);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await settled(page);
  findings.equal("the page is as it was before it was printed", [await drawn(), await ground()], before);
}

async function checkPrint(findings, page, made, out) {
  if (await page.locator(".theme").count()) await checkPaper(findings, page);
  await page.emulateMedia({media: "print"});
  await settled(page);
  const hidden = await page.evaluate(() => [...document.querySelectorAll(".bar, .buttons, .theme")].filter(one => one.checkVisibility()).length);
  findings.equal("no control is printed", hidden, 0);
  const cut = await page.evaluate(() => [...document.querySelectorAll(".scroll, .decisions, .network")].filter(one => one.clientHeight && one.scrollHeight > one.clientHeight + 2).map(one => one.className));
  findings.none("lists are printed to their end", cut);
  const printed = await page.pdf({path: join(out, made.name + ".pdf"), format: "A4", margin: {top: "12mm", bottom: "12mm", left: "12mm", right: "12mm"}, printBackground: true});
  findings.holds("it prints", printed.length > 4000, printed.length);
  await page.setViewportSize({width: 704, height: 1000});  // of A4 within these margins
  await settled(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  findings.holds("it is no wider than the paper", wide <= 704, wide);
}
