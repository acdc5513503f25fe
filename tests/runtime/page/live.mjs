// A live page: it follows its server, says when that goes away, and goes on when it comes back.
import {execFileSync} from "node:child_process";
import {createServer, request as ask} from "node:http";
import {join} from "node:path";
import {open, settled} from "./browser.mjs";
import {numberIn} from "./findings.mjs";
import {serveRun} from "./live_server.mjs";
import {layoutFaults} from "./layout.mjs";

const patience = 20_000;  // milliseconds for what must come in the end

// Between the page and the server, so that the latter can go away for the page alone. It asks in the server's own name.
function proxyTo(url) {
  const {hostname, port, host} = new URL(url);
  let server = null;
  let at = 0;
  const through = {
    open: () => new Promise((done, failed) => {
      server = createServer((incoming, answer) => {
        const onward = ask({hostname, port, path: incoming.url, method: incoming.method, headers: {...incoming.headers, host}}, from => {
          answer.writeHead(from.statusCode, from.headers);
          from.pipe(answer);
        });
        onward.on("error", () => answer.destroy());
        answer.on("close", () => onward.destroy());
        onward.end();
      });
      server.once("error", failed);
      server.listen(at, "127.0.0.1", () => {
        at = server.address().port;
        done(`http://127.0.0.1:${at}/`);
      });
    }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return through;
}

export async function checkLiveOfOurs({browser, findings, programs, out}) {
  const html = execFileSync(join(programs, "write_page"), ["Live", "live"], {input: JSON.stringify({format: "weir page", version: 1, writer: "weir test", title: "Live", kind: "runs", live: true, runs: []})});
  const server = await serveRun(html);
  try {
    await checkLive({browser, findings, out}, server.url, {hasTrafficEverywhere: true});
  } finally {
    server.close();
  }
}

// A number of the page lies between those that the server told before and after.
async function follows(findings, page, url, key, read) {
  const told = async () => read((await (await fetch(new URL("report.json", url))).json()).runs[0].report);
  const before = await told();
  await page.waitForTimeout(2500);  // an update comes every second, the page may be behind by two
  const shown = numberIn(await page.locator(`[data-total=${key}]`).innerText());
  const after = await told();
  findings.holds(`"${key}" follows the server`, shown >= before && shown <= after, `${before} <= ${shown} <= ${after}`);
  return shown;
}

export async function checkLive({browser, findings, out}, url, {hasTrafficEverywhere = false} = {}) {
  findings.about(`live ${url}`);
  const proxy = proxyTo(url);
  const shownAt = await proxy.open();
  const {page, context, faults} = await open(browser, shownAt, {online: true});
  const status = words => page.locator(".status").filter({hasText: words}).waitFor({timeout: patience}).then(() => true, () => false);
  try {
    findings.holds("it says that it is live", await status(/^live$/), await page.locator(".status").allInnerTexts());
    await page.locator("[data-total=sent]").waitFor({timeout: patience});
    const first = await follows(findings, page, url, "sent", report => report.sent);
    await follows(findings, page, url, "results", report => report.results);
    await follows(findings, page, url, "decisions", report => report.decisions_total);
    findings.holds("numbers grow", numberIn(await page.locator("[data-total=sent]").innerText()) > first);
    findings.none("the layout has no faults", await layoutFaults(page));
    const whole = (await (await fetch(new URL("report.json", url))).json()).runs[0].report;
    findings.holds("updates lose no stream", await page.locator('[data-table="Streams"] tbody tr').count() >= Math.min(50, whole.streams.length));
    if (hasTrafficEverywhere) {
      const labels = await page.locator(".network .edge-label").evaluateAll(all => all.filter(one => one.textContent).length);
      const strip = page.locator('section[data-title="Records a second"] .chart').nth(1);
      findings.holds("other processes have their strip and their line", await strip.isVisible() && await page.locator(".notices.head").getByText("Other processes had 25 %").count() === 1);
      findings.holds("updates lose no traffic", labels >= whole.graph.edges.filter(edge => !edge.back).length, labels);
    }
    await checkStays(findings, page);
    await page.screenshot({path: join(out, "live-light-1280.png"), fullPage: true});
    findings.none("no errors, messages or requests elsewhere", faults.splice(0));

    proxy.close();
    findings.holds("it says that the server has gone", await status(/lost|No update/), await page.locator(".status").allInnerTexts());
    const stopped = await page.locator("[data-total=sent]").innerText();
    findings.holds("what it knew remains", numberIn(stopped) > 0, stopped);
    await page.screenshot({path: join(out, "live-lost-light-1280.png")});

    await proxy.open();
    findings.holds("it is live again", await status(/^live$/), await page.locator(".status").allInnerTexts());
    await follows(findings, page, url, "sent", report => report.sent);
    // The browser itself writes of connections that failed; nothing else may be there.
    findings.none("no other errors", faults.filter(fault => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|Failed to load resource/.test(fault)));
  } finally {
    await context.close();
    proxy.close();
  }
}

// What a reader chose stays as updates come.
async function checkStays(findings, page) {
  const component = page.locator(".network .component").first();
  if (await component.count()) {
    await component.click();
    await page.getByRole("button", {name: "Zoom in"}).click();
    const range = await page.locator(".zoom-range").innerText();
    const scrolled = await page.evaluate(() => {
      scrollTo(0, 700);
      return scrollY;
    });
    await page.waitForTimeout(2500);
    await settled(page);
    findings.holds("the chosen component stays chosen", (await component.getAttribute("class")).includes("chosen"));
    findings.equal("the part of the time that is shown stays", await page.locator(".zoom-range").innerText(), range);
    findings.equal("the page does not scroll by itself", await page.evaluate(() => scrollY), scrolled);
    await page.locator("[data-zoom-reset]").click();
  }
}
