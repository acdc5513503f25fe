// What a page shows of goals, other processes, closed networks, limits, slow streams and the time of day.
import {open, settled} from "./browser.mjs";
import {numberIn} from "./findings.mjs";
import {chartOf, hovered} from "./numbers.mjs";

const part = (page, title) => page.locator(`section[data-title="${title}"]`);
const total = (page, key) => page.locator(`[data-total=${key}]`).innerText();
const more = (page, key) => page.locator(`[data-total=${key}] + .more`).innerText();

// Whether the marks on a chart have a colour in the pixel column at a part of its width, among the rows from `top` to `bottom`.
function hasColour(page, title, variable, at, top = 0, bottom = 1) {
  return page.evaluate(([title, variable, at, top, bottom]) => {
    const plot = document.querySelector(`section[data-title="${title}"] .plot`);
    const [canvas, area] = [plot.querySelector(".marks"), plot.querySelector(".plot-area")];
    const pixel = canvas.width / canvas.clientWidth;
    const colour = variable.startsWith("--") ? getComputedStyle(document.documentElement).getPropertyValue(variable).trim() : variable;
    const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
    const [x, y] = [(area.offsetLeft + at * area.offsetWidth) * pixel, (area.offsetTop + top * area.offsetHeight) * pixel];
    const [width, height] = [3, Math.max(1, Math.round((bottom - top) * area.offsetHeight * pixel))];
    const copy = Object.assign(document.createElement("canvas"), {width, height}).getContext("2d");
    copy.drawImage(canvas, Math.round(x) - 1, Math.round(y), width, height, 0, 0, width, height);
    const {data} = copy.getImageData(0, 0, width, height);
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12) return true;
    return false;
  }, [title, variable, at, top, bottom]);
}

// The largest value of a chart's scale, from where the pointer's mark on its first line is.
async function topOfScale(page, title, at) {
  const {values} = await hovered(page, title, at);
  const height = await page.evaluate(title => {
    const area = document.querySelector(`section[data-title="${title}"] .plot-area`);
    return 1 - parseFloat(area.querySelector(".cursor-point").style.top) / area.clientHeight;
  }, title);
  return numberIn(values[0]) / height;
}

export async function checkDemands(findings, page, report) {
  const {goal, in_flight: flight, history} = report;
  const head = await page.locator(".notices.head li").allInnerTexts();
  findings.equal("the first lines of a run that waits and is not alone", head,
    [...report.waits_for.map(words => "No progress: " + words), "Other processes had 16 % of the cores: times and rates of this run may be off by as much."]);
  findings.holds("they are above the totals", await page.evaluate(() => document.querySelector(".notices.head").getBoundingClientRect().bottom <= document.querySelector(".totals").getBoundingClientRect().top));
  for (const [key, value] of [["emitted", report.emitted], ["records-ended", report.records_ended], ["in-flight", flight.records], ["bytes-in-flight", flight.bytes], ["goal", goal.seconds_met / goal.seconds]])
    findings.near(`the total "${key}"`, await total(page, key), value);
  findings.equal("the limit of what is in flight", await more(page, "in-flight"), "of 64 at most, peak 64");
  findings.equal("the limit of bytes in flight", await more(page, "bytes-in-flight"), "of 1 GiB at most, peak 4.77 MiB");
  findings.equal("the seconds of the goal, and its words", await more(page, "goal"), `in ${Math.round(goal.seconds_met)} of ${Math.round(goal.seconds)} s: ${goal.words}`);
  findings.equal("rates are called by what they hold", await part(page, "Records a second").locator(".values").first().locator("li:not(.time)").evaluateAll(all => all.map(one => one.childNodes[1].data)), ["Out", "In", "Predicted"]);

  // The goal is red where it was missed, and only there.
  await chartOf(page, "Latency");
  for (const at of [0.02, 0.031, 0.32, 0.5, 0.71, 0.95]) {
    const row = Math.floor(at * history.time.length);
    const near = history.goal_met.slice(Math.max(0, row - 8), row + 8);
    if (near.some(met => met !== near[0])) continue;
    findings.equal(`the goal is red at ${history.time[row]} s`, await hasColour(page, "Latency", "--bad", at), near[0] === 0);
  }
  findings.holds("the goal is missed somewhere, and met somewhere", history.goal_met.slice(0, 16).includes(0) && history.goal_met.slice(-100).includes(1));

  const strip = page.locator('section[data-title="Records a second"] .chart').nth(1);
  findings.holds("other processes have a strip", await strip.isVisible());
  const box = await strip.locator(".plot-area").boundingBox();
  await page.mouse.move(box.x + box.width * 0.49, box.y + box.height / 2);
  const [others, time] = await strip.locator(".value").allInnerTexts();
  const row = history.time.findIndex(at => at >= numberIn(time.split(",")[0]) - 1e-6);
  findings.near("what other processes had", others.replace(" of the cores", ""), history.foreign[row], 0.02);
  await page.mouse.move(1, 1);
}

export async function checkSlow(findings, page, report) {
  const {history} = report;
  const most = Math.max(...history.results.map((_, i) => i < 10 ? 0 : history.results.slice(i - 10, i).reduce((a, b) => a + b, 0)));
  const seen = [];
  for (let at = 0.05; at < 1; at += 0.03) seen.push(await hovered(page, "Records a second", at));
  const note = await part(page, "Records a second").locator(".note").innerText();
  findings.holds("a point of three records a second is longer than a second", numberIn(/One point is ([\d.]+ s)/.exec(note)?.[1] ?? "0 s") >= 1, note);
  const rates = seen.map(({values}) => numberIn(values[0]));
  findings.holds("such a stream is no comb", rates.every(value => value > 0.5 && value < 8), rates);
  findings.holds("its points hold ten records on the average", seen.every(({rows}) => rows >= 25), seen.map(({rows}) => rows));

  const top = await topOfScale(page, "Records a second", 0.6);
  findings.holds("the first forecast does not set the scale", top >= 4 && top <= 1.3 * Math.max(most, 4.4), `${top}, ${most} records in a second at most`);
  const predicted = "#d55e00";
  await chartOf(page, "Records a second");
  const edge = async at => (await Promise.all(Array.from({length: 40}, (_, i) => hasColour(page, "Records a second", predicted, at + i * 0.001, 0, 0.06)))).some(Boolean);
  findings.holds("the forecast that is above the scale is marked", await edge(0.06));
  findings.holds("later ones are not", !await edge(0.5));
  findings.holds("it is said how far above it is", note.includes("Predicted is above this scale where the upper edge is marked, by up to 6,120 /s."), note);
  findings.near("the pointer tells the forecast as it is", (await hovered(page, "Records a second", 0.08)).values[2], 6120);
  findings.holds("a goal for the rate has its line", await hasColour(page, "Records a second", "--goal", 0.5) || await hasColour(page, "Records a second", "--goal", 0.503));
  await page.mouse.move(1, 1);
}

export async function checkTwo(findings, page) {
  const {values} = await hovered(page, "Latency", 0.7);
  findings.near("of two records there is one latency", values[0], 0.3, 0.4);
  findings.equal("and no p99", values[1], "");
  const note = await part(page, "Latency").locator(".note").innerText();
  findings.holds("which is said", note.includes("A point has fewer than 10 records that were followed, too few for a p99."), note);
  await page.mouse.move(1, 1);
}

// The time of day, where the reader is: on axes, at the pointer, and of the start.
export async function checkTimeOfDay(findings, browser, url, report) {
  const timezoneId = "Asia/Kolkata";
  const {page, context, faults} = await open(browser, "about:blank", {timezoneId, allowed: ["about:blank", url]});
  await page.addInitScript(() => {
    window.drawnTexts = [];
    const {fillText} = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      window.drawnTexts.push(text);
      return fillText.call(this, text, ...rest);
    };
  });
  await page.goto(url);
  await settled(page);
  const clock = at => new Date(at * 1000).toLocaleTimeString("en-GB", {timeZone: timezoneId});
  const head = await page.locator(".run-line").innerText();
  findings.holds("when it began", head.includes("27 Nov 2025, 09:35:02 ") && /GMT\+5:30|IST/.test(head), head);
  const texts = await page.evaluate(() => window.drawnTexts);
  for (const at of [20, 40]) findings.holds(`the axis has the time of day at ${at} s`, texts.includes(clock(report.began + at)), texts.slice(0, 40));
  const {seconds, words} = await hovered(page, "Records a second", 0.5);
  findings.holds("the pointer tells the time of day", words.includes(clock(report.began + seconds).slice(0, 7)), words);
  findings.none("no errors, messages or requests", faults);
  await context.close();
}

// Terms that need one have an explanation, for the pointer, the keyboard and those who listen.
export async function checkExplanations(findings, page) {
  for (const [term, of, words] of [["no room behind it", "Network", "stream behind the component was full"], ["shared group", "Cores over time", "runs between the owner"], ["Places needed", "Streams", "one record in twenty"]]) {
    const made = part(page, of).locator(".explained").filter({hasText: term}).first();
    if (!findings.holds(`"${term}" is there`, await made.count() === 1)) continue;
    findings.holds(`"${term}" is explained to those who listen`, (await made.getAttribute("aria-label")).includes(words));
    await made.hover();
    findings.holds(`"${term}" is explained at the pointer`, (await page.locator("#tip").innerText()).includes(words));
    await page.mouse.move(1, 1);
    await made.evaluate(one => {
      one.focus();
      one.blur();
    });
    await page.keyboard.press("Tab");
    await made.focus();
    findings.holds(`"${term}" is explained at the keyboard`, await page.locator("#tip").isVisible() && (await page.locator("#tip").innerText()).includes(words));
    await made.blur();
  }
}
