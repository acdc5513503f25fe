// Whether the numbers on a page are those of its JSON.
import {numberIn} from "./findings.mjs";

// {columns, rows}: what a table shows, all of its pages or the first few.
export async function readTable(page, name, mostPages = 5) {
  const table = page.locator(`[data-table="${name}"]`).first();
  const columns = await table.locator("thead th").allInnerTexts();
  const rows = [];
  for (let i = 0; i < mostPages; ++i) {
    rows.push(...await table.locator("tbody tr").evaluateAll(all => all.map(row => [...row.children].map(cell => cell.innerText.trim()))));
    const next = table.getByRole("button", {name: "Next"});
    if (!await next.isVisible() || await next.isDisabled()) break;
    await next.click();
  }
  return {columns, rows};
}

function compareTable(findings, {columns, rows}, objects, fields) {
  for (const [title, value, isExact] of fields) {
    const at = columns.indexOf(title);
    if (!findings.holds(`the table has a column "${title}"`, at >= 0, columns)) continue;
    rows.forEach((row, i) => {
      const expected = value(objects[i]);
      if (typeof expected === "string") findings.equal(`${title} of row ${i}`, row[at], expected);
      else findings.near(`${title} of row ${i}`, row[at], expected, isExact ? 0 : undefined);
    });
  }
}

const most = (value, size) => Array.from(value).length > size ? Array.from(value).slice(0, size - 1).join("") + "\u2026" : value;
const isPlain = text => /^[\x20-\x7e]+$/.test(text) && text.trim() === text && !text.includes("  ");

export async function checkNumbers(findings, page, report) {
  const total = key => page.locator(`[data-total=${key}]`).innerText();
  for (const key of ["sent", "results", "failed", "dropped"]) findings.near(`the total "${key}"`, await total(key), report[key], 0);
  const network = report.network ?? {};
  findings.near("the rate of arrival", await total("throughput"), network.arrival_rate);
  findings.near("latency p50", await total("p50"), network.latency_p50);
  findings.near("latency p99", await total("p99"), network.latency_p99);
  findings.near("the decisions", await total("decisions"), report.decisions_total ?? 0, 0);
  const more = key => page.locator(`[data-total=${key}] + .more`).innerText();
  findings.near("the predicted throughput", (await more("throughput")).replace("predicted ", ""), network.predicted_throughput);
  findings.near("the predicted latency", (await more("p99")).replace("predicted ", ""), network.predicted_latency);
  findings.near("the mean latency", (await more("p50")).replace("mean ", ""), network.latency_mean);

  const components = await readTable(page, "Components", 3);
  findings.equal("a row for each component", components.rows.length, Math.min(150, Math.max(1, report.components.length)));
  if (report.components.length) compareTable(findings, components, report.components, [
    ["Component", one => most(one.name, 80)],
    ["Cores", one => one.cores, true], ["Width", one => one.width, true], ["Invocations", one => one.invocations, true], ["Failures", one => one.failures, true],
    ["Mean", one => one.mean_seconds], ["Busy", one => one.busy ?? one.utilisation], ["No room", one => one.held_up], ["Predicted", one => one.predicted_seconds],
    ["Predicted busy", one => one.predicted_utilisation],
  ].filter(([title]) => title !== "Component" || report.components.every(one => isPlain(one.name))));

  if (report.streams?.length) compareTable(findings, await readTable(page, "Streams", 3), report.streams, [
    ["Records", one => one.records, true], ["Waiting", one => one.occupancy], ["Most waiting", one => one.peak, true], ["Writers waited", one => one.blocked_seconds], ["Size", one => one.bytes],
    ["Full", one => one.occupancy !== null && one.capacity > 0 ? Math.min(1, one.occupancy / one.capacity) : null],
  ]);

  const decisions = await page.locator(".decisions li").evaluateAll(all => all.map(one => ({
    time: one.querySelector(".time").innerText, why: one.querySelector(".why").textContent, isBack: one.querySelector(".badge") !== null,
    moves: one.querySelector(".moves").innerText, gains: [...one.querySelectorAll("dd")].map(dd => dd.innerText),
  })));
  const expected = report.decisions ?? [];
  findings.equal("an entry for each decision", decisions.length, expected.length);
  decisions.slice(0, 200).forEach((shown, i) => {
    const decision = expected[i];
    const time = numberIn(shown.time);
    findings.holds(`the time of decision ${i}`, Math.abs(time - decision.time) <= Math.max(0.01 * report.seconds, 1e-3), `${shown.time} stands for ${decision.time}`);
    if (isPlain(decision.why)) findings.equal(`the reason of decision ${i}`, shown.why, decision.why);
    findings.equal(`whether decision ${i} was taken back`, shown.isBack, decision.reverted);
    if (decision.gain_words?.predicted) findings.equal(`what decision ${i} promised, in words`, shown.gains[0], decision.gain_words.predicted);
    else findings.near(`what decision ${i} promised`, shown.gains[0], decision.from ? decision.predicted_gain : null, 0.06);
    if (decision.gain_words?.realised) findings.equal(`what decision ${i} gave, in words`, shown.gains[1], decision.gain_words.realised);
    else findings.near(`what decision ${i} gave`, shown.gains[1], decision.realised_gain, 0.06);
    for (const [name, share] of Object.entries(decision.to.components))
      if (isPlain(name) && name.length < 30 && decision.from?.components[name]?.cores !== share.cores)
        findings.holds(`decision ${i} says what ${name} gets`, shown.moves.includes(name) || shown.moves.includes("more"), shown.moves);
  });
  await checkHoveredRates(findings, page, report);
  await checkHoveredCores(findings, page, report);
}

// The middle of a chart, in pixels of the window, after it was scrolled to.
export async function chartOf(page, title) {
  const over = page.locator(`section[data-title="${title}"] .plot-area`).first();
  await over.scrollIntoViewIfNeeded();
  return over.boundingBox();
}

const sum = values => values.every(value => value === null || value === undefined) ? null : values.reduce((all, value) => all + (value ?? 0), 0);

// What a chart says where the pointer is: {seconds: the time of the point, rows: of a point, values, words: of the time}.
export async function hovered(page, title, part) {
  const box = await chartOf(page, title);
  await page.mouse.move(box.x + box.width * part, box.y + box.height * 0.5);
  const place = page.locator(`section[data-title="${title}"]`);
  const values = await place.locator(".values").first().locator("li:not(.time) .value").allInnerTexts();
  const words = await place.locator(".values .time .value").first().innerText();
  const note = await place.locator(".note").innerText();
  return {seconds: numberIn(words.split(",")[0]), rows: Number(/([\d,]+) rows of the history/.exec(note)?.[1].replace(",", "") ?? 1), values, words};
}

// What the history has at the end of the rows of a point.
async function checkHoveredRates(findings, page, report) {
  const {history} = report;
  if (!history?.time?.length || history.time.length > 2400 || !history.seconds) return;
  const all = name => history[name] ?? [];
  const rates = names => (from, to) => sum(names.map(name => sum(all(name).slice(from, to)))) / sum(history.seconds.slice(from, to));
  const mean = (name, weights = "seconds") => (from, to) => {
    const known = all(name).slice(from, to).map((value, i) => [value, all(weights)[from + i] ?? 1]).filter(([value]) => value !== null);
    return known.length ? sum(known.map(([value, weight]) => value * weight)) / sum(known.map(([, weight]) => weight)) : null;
  };
  const largest = name => (from, to) => {
    const known = all(name).slice(from, to).filter(value => value !== null);
    return known.length ? Math.max(...known) : null;
  };
  const fewest = 10;
  const p99 = (from, to) => (sum(all("followed").slice(from, to)) ?? fewest) < fewest ? null : largest("latency_p99")(from, to);
  for (const [title, of] of [["Records a second", [rates(["results", "ended"]), rates(["sent", "emitted"]), mean("predicted")]], ["Latency", [mean("latency_p50", "followed"), p99]], ["Waiting records", [largest("waiting")]]]) {
    const {seconds, rows, values, words} = await hovered(page, title, 0.41);
    const rounding = words.split(",")[0].includes(".") ? 0.0051 : 0.51;
    const shown = of.map((_, i) => numberIn((values[i] || "-").replace(/ records?/, "")));
    const isAsShown = (last, number) => of.every((expected, i) => {
      const value = expected(Math.max(0, last - number), last);
      return value === null || shown[i] === null ? value === shown[i] : Math.abs(value - shown[i]) <= 0.006 * Math.abs(value) + 1e-12;
    });
    // The point ends at one of the rows that are told by this rounded time, and has its number of rows, give or take one.
    const ends = history.time.map((at, i) => [at, i + 1]).filter(([at]) => Math.abs(at - seconds) <= rounding).map(([, end]) => end);
    findings.holds(`the values of "${title}" at ${words} are those of the history`, ends.some(end => [rows - 1, rows, rows + 1].some(number => number > 0 && isAsShown(end, number))),
      `${values}; expected ${of.map(expected => expected(ends[0] - rows, ends[0]))}`);
  }
  await page.mouse.move(1, 1);
}

function coresIn(set) {
  return String(set ?? "").split(",").filter(Boolean).flatMap(part => {
    const [from, to = from] = part.split("-").map(Number);
    return Array.from({length: to - from + 1}, (_, i) => from + i);
  });
}

// Who has a core at a time, in the chart of cores, is whom the decisions gave it: where one owner's cores end and another's
// begin.
async function checkHoveredCores(findings, page, report) {
  if (!(report.cores > 0) || !report.decisions?.length || report.decisions_total > report.decisions.length) return;
  const box = await chartOf(page, "Cores over time");
  for (const part of [0.031, 0.237, 0.443, 0.649, 0.967]) {
    const time = report.seconds * part;
    const near = Math.min(...report.decisions.map(decision => Math.abs(decision.time - time)));
    if (near * box.width / report.seconds < 8) continue;  // there the mark of a decision is told about
    const {to} = report.decisions.filter(decision => decision.time <= time).at(-1);
    const shared = coresIn(to.shared_core_set);
    const owners = Array.from({length: report.cores}, (_, core) => shared.includes(core) ? "shared group" : "no owner");
    for (const [name, share] of Object.entries(to.components)) for (const core of coresIn(share.core_set)) owners[core] = name;
    for (let core = 0; core < report.cores; ++core) {
      if (owners[core] === owners[core - 1] && owners[core] === owners[core + 1] || !isPlain(owners[core])) continue;
      await page.mouse.move(box.x + time / report.seconds * box.width, box.y + (core + 0.5) / report.cores * box.height);
      findings.equal(`who has core ${core} at ${time.toFixed(2)} s`, await page.locator("#tip strong").textContent(), most(owners[core], 120));
    }
  }
  await page.mouse.move(1, 1);
}

// The page of observations: a row for each component, and its curves at the pointer.
export async function checkModelsPage(findings, page, components) {
  const table = await readTable(page, "Components");
  findings.equal("the components", table.rows.map(row => row[0]), components.map(({name}) => name));
  for (const [i, component] of components.entries()) {
    await page.locator('[data-table="Components"] tbody th button').nth(i).click();
    const over = page.locator(".pair .plot-area").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * 0.59, box.y + box.height * 0.5);
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
    const lines = await page.locator("#tip .tip-row").evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent)));
    const x = Number((await page.locator("#tip strong").textContent()).replace("x = ", "").replaceAll(",", ""));
    for (const curve of component.curves.over_x) {
      const shown = lines.find(([label]) => label === `${curve.cores} core${curve.cores === 1 ? "" : "s"}`);
      if (!findings.holds(`the tip tells of ${curve.cores} cores`, shown, lines)) continue;
      const at = curve.x.findIndex(value => value >= x);
      const part = at > 0 ? (x - curve.x[at - 1]) / (curve.x[at] - curve.x[at - 1]) : 0;
      const mean = at > 0 ? curve.mean[at - 1] + part * (curve.mean[at] - curve.mean[at - 1]) : curve.mean[0];
      findings.near(`${component.name} at x = ${x} on ${curve.cores} cores`, shown[1].split(" (")[0], mean, 0.02);
    }
  }
}
