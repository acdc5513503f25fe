// A server that speaks as a live page's does (runtime/page/README.md, "Live"), of a run that never ends: records come
// at a steady rate, and now and then cores move.
import {createServer} from "node:http";
import {withMoves} from "./fixtures.mjs";

const updateEvery = 250;  // milliseconds: more often than the real one, so that tests are short
const mostRows = 8;
const mostStreams = 5;

// A run whose history grows with the clock.
class GrowingRun {
  #whole = withMoves({seconds: 60, rows: 1200});
  #begin = Date.now() - 20_000;

  constructor() {
    this.#whole.history.foreign = this.#whole.history.time.map(() => 0.25);
    this.#whole.began = this.#begin / 1000;
    this.#whole.foreign_load = 0.25;
  }

  report(isUpdate) {
    const now = (Date.now() - this.#begin) / 1000;
    const rows = Math.min(this.#whole.history.time.length, Math.floor(now / 0.05));
    const from = isUpdate ? Math.max(0, rows - mostRows) : 0;
    const report = {...this.#whole, seconds: now, ended: false, history: {}};
    for (const [name, column] of Object.entries(this.#whole.history)) report.history[name] = column.slice(from, rows);
    for (const name of ["sent", "results", "failed"]) report[name] = this.#whole.history[name].slice(0, rows).reduce((sum, value) => sum + value, 0);
    report.streams = this.#whole.streams.filter(({from}) => from !== "tally");  // what is behind it has links alone
    report.failed_by = {"box threw": report.failed};
    report.failures = this.#whole.failures.slice(0, report.failed);
    report.decisions = this.#whole.decisions.filter(({time}) => time <= now);
    report.decisions_total = report.decisions.length;
    if (!isUpdate) return report;
    report.decisions = report.decisions.slice(-mostRows);
    delete report.graph;
    report.links = [];
    report.streams = report.streams.slice(0, mostStreams);
    report.components = report.components.map(({curves, ...rest}) => rest);
    return report;
  }
}

// {port, close()}; `html` is what write_page makes with `live`.
export function serveRun(html) {
  const run = new GrowingRun();
  const data = isUpdate => JSON.stringify({format: "weir page", version: 1, writer: "weir test", title: "Live", kind: "runs", live: true, tables: [], runs: [{name: "run", report: run.report(isUpdate)}]});
  const server = createServer((request, answer) => {
    if (request.url === "/") {
      answer.writeHead(200, {"Content-Type": "text/html; charset=utf-8"}).end(html);
    } else if (request.url === "/report.json") {
      answer.writeHead(200, {"Content-Type": "application/json"}).end(data(false));
    } else if (request.url === "/events") {
      answer.writeHead(200, {"Content-Type": "text/event-stream"});
      const timer = setInterval(() => answer.write(`event: update\ndata: ${data(true)}\n\n`), updateEvery);
      answer.on("close", () => clearInterval(timer));
    } else {
      answer.writeHead(404).end();
    }
  });
  return new Promise(done => server.listen(0, "127.0.0.1", () => done({
    url: `http://127.0.0.1:${server.address().port}/`,
    data: () => JSON.parse(data(false)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  })));
}
