// The head of a run: its totals, what went wrong, and what the machine did not allow.

function stateOfRun(report, live) {
  if (report.ended === true) return "ended";
  if (report.ended === false) return live ? "running" : "was running";
  return live ? "running" : "state not recorded";
}

function totalsSection(view) {
  const tiles = element("dl", {class: "totals"});
  const line = element("p", {class: "run-line"});
  function fill() {
    const {report} = view;
    const {network} = report;
    const rows = [
      ["Sent", count(report.sent), "records", "sent"],
      ["Results", count(report.results), "records", "results"],
      ["Failed", count(report.failed), "records", "failed"],
      ["Dropped", count(report.dropped), "records", "dropped"],
      ["Entered", rate(network.arrival_rate), `predicted ${rate(network.predicted_throughput)}`, "throughput"],
      ["Latency p50", duration(network.latency_p50), `mean ${duration(network.latency_mean)}`, "p50"],
      ["Latency p99", duration(network.latency_p99), `predicted ${duration(network.predicted_latency)}`, "p99"],
      ...flowTiles(report),
      ["Decisions", count(report.decisions_total), `${count(report.decisions.filter(one => one.reverted).length)} taken back${report.decisions_total > report.decisions.length ? ` of ${count(report.decisions.length)} kept` : ""}`, "decisions"],
    ];
    tiles.replaceChildren(...rows.map(([term, value, more, key]) => element("div", {class: key === "failed" && report.failed > 0 ? "bad" : null},
      element("dt", {}, term), element("dd", {"data-total": key}, value), element("dd", {class: "more"}, more))));
    line.replaceChildren(
      element("span", {class: "state " + (report.ended ? "ended" : "running")}, stateOfRun(report, view.live)),
      ...[isKnown(report.began) ? "began " + dateAndTime(report.began) : null, duration(report.seconds), report.cores ? several(report.cores, "core") : null, several(report.components.length, "component"),
        report.policy ? "policy " + shortened(report.policy, 60) : null, report.machine ? "machine " + shortened(report.machine, 60) : null]
        .filter(Boolean).map(words => element("span", {}, words)));
  }
  fill();
  return {node: element("section", {class: "summary", "aria-label": "Totals"}, line, tiles), update: fill};
}

// Tiles of what only some runs have: closed networks, limits on what is in flight, goals.
function flowTiles(report) {
  const {in_flight: flight, goal} = report;
  const tiles = [];
  if (report.emitted > 0) tiles.push(["Emitted", count(report.emitted), "records, by sources", "emitted"]);
  if (report.records_ended > 0) tiles.push(["Ended inside", count(report.records_ended), "records", "records-ended"]);
  const of = (value, limit, words) => [isKnown(limit) && limit > 0 ? `of ${words(limit)} at most` : null, isKnown(value) ? `peak ${words(value)}` : null].filter(Boolean).join(", ");
  if (isKnown(flight?.records)) tiles.push(["In flight", count(flight.records), of(flight.peak, flight.limit, count) || "records", "in-flight"]);
  if (isKnown(flight?.bytes)) tiles.push(["Bytes in flight", bytes(flight.bytes), of(flight.bytes_peak, flight.bytes_limit, bytes), "bytes-in-flight"]);
  if (goal && isKnown(goal.seconds)) {
    const isJudged = goal.seconds > 0;
    tiles.push(["Goal met", isJudged ? percent(goal.seconds_met / goal.seconds) : unknown,
      (isJudged ? `in ${significant(goal.seconds_met)} of ${significant(goal.seconds)} s` : "no second could be judged") + (goal.words ? `: ${shortened(goal.words, 80)}` : ""), "goal"]);
  }
  return tiles;
}

const notableForeignLoad = 0.1;  // of the cores: then times and rates are off by as much

// Above everything: what the run waits for, and whether the machine was its own.
function headSection(view) {
  const place = element("ul", {class: "notices head", role: "status", "aria-label": "First of all"});
  const fill = () => {
    const {report} = view;
    const lines = report.ended ? [] : list(report.waits_for).map(words => ["warn", `No progress: ${words}`]);
    if (report.foreign_load > notableForeignLoad)
      lines.push(["warn", `Other processes had ${percent(report.foreign_load)} of the cores: times and rates of this run may be off by as much.`]);
    place.hidden = !lines.length;
    if (place.textContent !== lines.map(([, words]) => words).join("")) place.replaceChildren(...lines.map(([kind, words]) => element("li", {class: kind}, words)));
  };
  fill();
  return {node: place, update: fill};
}

// One line each: [kind, words].
function noticesOf(report) {
  const lines = [];
  const failed = Object.entries(report.failed_by ?? {}).map(([kind, number]) => `${count(number)} ${shortened(kind, 60)}`).join(", ");
  if (report.failed > 0) lines.push(["bad", `${several(report.failed, "record")} failed${failed ? `: ${failed}` : ""}. See Errors.`]);
  for (const hang of report.hanging.slice(0, 5))
    lines.push(["bad", `${shortened(hang.component, 60)} hangs at ${shortened(hang.path, 80)}: ${duration(hang.seconds)} so far, ${duration(hang.expected)} expected${isKnown(hang.x) ? `, x = ${significant(hang.x)}` : ""}.`]);
  if (report.hanging.length > 5) lines.push(["bad", `${count(report.hanging.length - 5)} more invocations hang.`]);
  if (report.hung > report.hanging.length) lines.push(["warn", `${several(report.hung, "invocation")} hung at some time.`]);
  if (report.held > 0 || report.held_at.length) {
    const where = report.held_at.slice(0, 3).map(({path, records}) => `${count(records)} at ${shortened(path, 60)}`).join(", ");
    lines.push(["warn", `Synchrocells hold ${several(report.held ?? 0, "record")}${where ? `: ${where}${report.held_at.length > 3 ? ", and more" : ""}` : ""}.`]);
  }
  if (report.unfinished > 0) lines.push(["warn", `${several(report.unfinished, "state")} of folds did not finish, since the run was stopped.`]);
  for (const threads of ownThreadsOf(report)) lines.push(["warn", threads]);
  for (const processes of processesOf(report)) lines.push(["info", processes]);
  for (const note of report.notes) lines.push(["info", note]);
  if (report.monitored === false) lines.push(["info", "Streams were not watched (option monitor), so how full they were is not known."]);
  return lines;
}

function ownThreadsOf(report) {
  const given = report.own_threads.map(one => typeof one === "string" ? one
    : `${shortened(one.component ?? one.name, 60)} computed on ${several(one.threads ?? one.own_threads ?? 0, "thread")} of its own.`);
  if (given.length) return given;
  return report.components.filter(one => one.own_threads > 0).slice(0, 5).map(one =>
    `${shortened(one.name, 60)} computed on ${several(one.own_threads, "thread")} of its own${one.cores_beyond_grant > 0 ? `, which wanted ${significant(one.cores_beyond_grant)} cores beyond its grant` : ""}.`);
}

function processesOf(report) {
  return report.components.filter(one => isKnown(one.process_overhead)).slice(0, 5).map(one =>
    `${shortened(one.name, 60)} is done by processes: start and hand-over of one take ${duration(one.process_overhead)}${one.process_peak_bytes > 0 ? `, and its largest one had ${bytes(one.process_peak_bytes)}` : ""}.`);
}

function noticesSection(view) {
  const place = element("ul", {class: "notices", "aria-label": "Notices"});
  const fill = () => {
    const lines = noticesOf(view.report);
    place.hidden = !lines.length;
    place.replaceChildren(...lines.map(([kind, words]) => element("li", {class: kind}, words)));
  };
  fill();
  return {node: place, update: fill};
}

// Tables that come with the data, for example a comparison.
function givenTables(tables) {
  return list(tables).map(given => {
    const titles = list(given.columns);
    const rows = list(given.rows).map(row => list(row));
    const isWords = titles.map((_, i) => rows.some(row => typeof row[i] === "string"));
    const table = sortableTable({
      name: given.title ?? "Table", rows, descending: false,
      columns: titles.map((title, i) => ({
        title, value: row => row[i] ?? null, words: isWords[i],
        text: value => value === null ? unknown : typeof value === "number" ? significant(value, 4) : shortened(value, 80),
      })),
    });
    return section(given.title ?? "Table", null, table.node);
  });
}
