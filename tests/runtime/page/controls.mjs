// Uses every control of a page as people do, and looks at what each is for.
import {settled} from "./browser.mjs";
import {numberIn} from "./findings.mjs";
import {chartOf, hovered, readTable} from "./numbers.mjs";

const patience = 15_000;  // milliseconds that a step may take on a page of any size

export async function useControls(findings, page, made) {
  const data = made.data ?? {kind: "runs", runs: [{report: made.report}]};
  if (made.name === "foreign" || made.name === "newer") return;
  const step = async (words, work) => {
    const begin = performance.now();
    try {
      await work();
    } catch (error) {
      findings.holds(words, false, error.message);
    }
    findings.holds(`"${words}" does not take long`, performance.now() - begin < patience, `${performance.now() - begin} ms`);
  };
  const report = data.runs?.[0]?.report;
  await step("the theme changes and changes back", () => changeTheme(findings, page));
  if (report || data.kind === "trace") {
    await step("buttons zoom and move", () => zoomByButtons(findings, page));
    await step("dragging zooms all charts", () => zoomByDragging(findings, page, data.kind === "trace" ? "Trace" : "Latency", report ?? {history: {time: [1]}}));
  }
  await step("tables sort", () => sortTables(findings, page));
  if ((report?.components.length ?? 0) > 8) await step("a table is narrowed by text", () => filterTable(findings, page, report));
  if (report?.graph?.nodes.length) await step("a component of the drawing is chosen", () => chooseComponent(findings, page));
  if (report?.decisions?.length) await step("a decision is chosen", () => chooseDecision(findings, page));
  if (data.runs?.length > 1) await step("another run is shown", () => chooseRun(findings, page, data.runs));
  await step("models are chosen and drawn logarithmically", () => chooseModels(findings, page));
  await step("parts are reached by their names", () => followLinks(findings, page));
  await step("charts tell what is under the pointer", () => hoverCharts(findings, page));
  await clickEverything(findings, page);
}

async function changeTheme(findings, page) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.locator(".theme").click();
  findings.holds("the other theme has another ground", await ground() !== before);
  await page.locator(".theme").click();
  findings.equal("the theme is back", await ground(), before);
  await settled(page);
}

const range = page => page.locator(".zoom-range").innerText();

async function zoomByButtons(findings, page) {
  const whole = await range(page);
  await page.getByRole("button", {name: "Zoom in"}).click();
  const half = await range(page);
  findings.holds("it shows less", half !== whole, half);
  await page.getByRole("button", {name: "Later"}).click();
  findings.holds("it shows a later part", await range(page) !== half, half);
  await page.getByRole("button", {name: "Earlier"}).click();
  await page.getByRole("button", {name: "Zoom out"}).click();
  await page.locator("[data-zoom-reset]").click();
  findings.equal("it shows everything again", await range(page), whole);
}

async function zoomByDragging(findings, page, title, report) {
  if (!report.history?.time?.length) return;
  const whole = await range(page);
  const box = await chartOf(page, title);
  const [from, to, y] = [box.x + box.width * 0.25, box.x + box.width * 0.5, box.y + box.height / 2];
  await page.mouse.move(from, y);
  await page.mouse.down();
  await page.mouse.move((from + to) / 2, y, {steps: 3});
  await page.mouse.move(to, y, {steps: 3});
  await page.mouse.up();
  await settled(page);
  const [shownFrom, shownTo] = (await range(page)).split(" to ").map(numberIn);
  const end = numberIn(whole.split(" to ")[1]);
  findings.holds("a quarter is shown", Math.abs((shownTo - shownFrom) / end - 0.25) < 0.03, `${shownFrom} to ${shownTo} of ${end}`);
  if (report.history.sent) {  // another chart shows the same quarter, and where the pointer is
    const {seconds, rows} = await hovered(page, "Records a second", 0.5);
    const point = rows * report.seconds / report.history.time.length;
    findings.holds("other charts show that quarter", Math.abs(seconds - (shownFrom + shownTo) / 2) <= (shownTo - shownFrom) * 0.05 + point, `${seconds} of ${shownFrom} to ${shownTo}`);
    findings.holds("the pointer is in all charts", (await page.locator(`section[data-title="${title}"] .values .time .value`).innerText()) !== "");
  }
  const again = await chartOf(page, title);
  await page.mouse.dblclick(again.x + again.width * 0.25, again.y + again.height / 2);
  findings.equal("a double click shows everything", await range(page), whole);
}

async function sortTables(findings, page) {
  for (const name of await page.locator("[data-table]:visible").evaluateAll(all => all.map(one => one.dataset.table))) {
    const table = page.locator(`[data-table="${name}"]`).first();
    await table.locator("thead button").first().click();
    for (let i = 0; i < await table.locator("thead th").count(); ++i) {
      for (const order of ["first", "second"]) {
        const [direction, values] = await table.evaluate((one, at) => {
          const heading = one.querySelectorAll("thead th")[at];
          heading.querySelector("button").click();
          return [heading.getAttribute("aria-sort"), [...one.querySelectorAll("tbody tr")].map(row => row.children[at]?.innerText.trim() ?? "")];
        }, i);
        const numbers = values.map(numberIn).filter(value => value !== null);
        if (numbers.length < 2 || numbers.some(Number.isNaN)) continue;
        const sorted = numbers.every((value, at) => at === 0 || (direction === "ascending" ? value >= numbers[at - 1] * (1 - 0.006) : value <= numbers[at - 1] * (1 + 0.006)));
        findings.holds(`"${name}" is ${direction} by its column ${i} at the ${order} click`, sorted, numbers.slice(0, 20));
        findings.holds("unknown ones are last", !values.slice(0, numbers.length).includes("-"), values.slice(0, 20));
      }
    }
  }
}

async function filterTable(findings, page, report) {
  const table = page.locator('[data-table="Components"]').first();
  const field = table.locator("input[type=search]");
  const name = report.components.at(-3).name;
  await field.fill(name);
  const {rows} = await readTable(page, "Components", 3);
  findings.holds("what is left has the text", rows.length >= 1 && rows.length < report.components.length && rows.every(row => row.join(" ").includes(name.slice(0, 20))), rows.length);
  await field.fill("no component is called that");
  findings.equal("nothing is left", await table.locator("tbody tr").count(), 1);
  await field.fill("");
}

async function chooseComponent(findings, page) {
  const node = page.locator(".network .component").nth(1);
  await node.hover();
  findings.holds("its details are shown", await page.locator("#tip").isVisible());
  await page.keyboard.press("Escape");
  findings.holds("Escape hides them", !await page.locator("#tip").isVisible());
  await node.click();
  findings.holds("it is marked", (await node.getAttribute("class")).includes("chosen"));
  findings.equal("its row is marked", await page.locator('[data-table="Components"] tr.picked').count(), 1);
  await page.locator(".network .component").first().focus();
  await page.keyboard.press("Enter");
  findings.holds("another is chosen by the keyboard", (await page.locator(".network .component").first().getAttribute("class")).includes("chosen"));
  for (const size of ["Larger", "Smaller"]) await page.getByRole("button", {name: size}).click();
  await page.getByRole("button", {name: "Fit"}).click();
  await page.mouse.move(1, 1);
}

async function chooseDecision(findings, page) {
  const entry = page.locator(".decisions li").last();
  await entry.locator("button").click();
  findings.holds("it is marked", (await entry.getAttribute("class"))?.includes("chosen"));
  await entry.locator("button").click();
  findings.holds("it is no longer marked", !(await entry.getAttribute("class"))?.includes("chosen"));
}

async function chooseRun(findings, page, runs) {
  const choice = page.getByLabel("Run", {exact: true});
  for (let i = runs.length - 1; i >= 0; --i) {
    await choice.selectOption({index: i});
    findings.near(`the run "${runs[i].name}" is shown`, await page.locator("[data-total=sent]").innerText(), runs[i].report.sent, 0);
    findings.equal("it stays chosen", await choice.evaluate(one => one.selectedIndex), i);
  }
  await settled(page);
}

async function chooseModels(findings, page) {
  const part = page.locator('section[data-title="Models of components"]');
  if (!await part.count() || !await part.locator("select").count()) return;
  const names = await part.locator("option").allInnerTexts();
  for (let i = 0; i < Math.min(names.length, 8); ++i) {
    await part.locator("select").selectOption({index: i});
    findings.equal("the model stays chosen", await part.locator("select").evaluate(one => one.selectedIndex), i);
    await settled(page);
  }
  await part.locator("select").selectOption({index: 0});
  await part.getByLabel("Logarithmic seconds").check();
  await settled(page);
  findings.holds("it stays logarithmic", await part.getByLabel("Logarithmic seconds").isChecked());
}

async function followLinks(findings, page) {
  const links = page.locator(".parts a");
  for (let i = 0; i < await links.count(); ++i) {
    await links.nth(i).click();
    const isThere = await page.evaluate(() => {
      const part = document.querySelector(location.hash);
      const box = part?.getBoundingClientRect();
      return box && box.top < innerHeight && box.bottom > 0;
    });
    findings.holds(`${await links.nth(i).innerText()} is in sight`, isThere);
  }
}

async function hoverCharts(findings, page) {
  const overs = page.locator(".plot-area");
  for (let i = 0; i < await overs.count(); ++i) {
    await overs.nth(i).scrollIntoViewIfNeeded();
    const box = await overs.nth(i).boundingBox();
    for (const [x, y] of [[0.02, 0.1], [0.37, 0.5], [0.66, 0.9], [0.99, 0.5]]) await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
    const tip = await page.locator("#tip").evaluate(one => {
      const box = one.getBoundingClientRect();
      return one.hidden || (box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight);
    });
    findings.holds("what the pointer tells is within the window", tip);
  }
  await page.mouse.move(1, 1);
}

// Whatever can be clicked is clicked once: nothing may throw.
async function clickEverything(findings, page) {
  const controls = page.locator("#page button:visible, #page .component, #page input[type=checkbox], #page .edge-area");
  const number = Math.min(await controls.count(), 120);
  for (let i = 0; i < number; ++i)  // some are gone when others were clicked
    await page.evaluate(at => [...document.querySelectorAll("#page button, #page .component, #page input[type=checkbox], #page .edge-area")].filter(one => one.checkVisibility())[at]
      ?.dispatchEvent(new MouseEvent("click", {bubbles: true})), i);
  findings.holds("the page is still there", await page.locator("h1").count() === 1);
  await settled(page);
}
