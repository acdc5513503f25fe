// The page of results.json: for each row its status, tables with a bar a line, and what the programs said. Uses dom.js and format.js of
// the page of a run.

const results = JSON.parse(document.getElementById("weir-data").textContent);
const fewRounds = 3;  // below them a number decides nothing

const middle = values => {
  const sorted = values.filter(isKnown).sort((a, b) => a - b);
  if (!sorted.length) return null;
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const geometric = values => values.length && values.every(v => isKnown(v) && v > 0) ? Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length) : null;
const times = value => isKnown(value) ? value.toFixed(2) : unknown;
const rowOf = name => results.rows.find(row => row.row === name);
const partsOf = (name, key) => Object.entries(rowOf(name)?.results ?? {}).filter(([, part]) => part[key]);

// A bar from zero, and its least and greatest value as a line across.
function bar({value, low, high, ours, best}, most) {
  const width = 180, height = 14, at = v => Math.max(0, Math.min(width, width * v / most));
  if (!isKnown(value) || !(most > 0)) return unknown;
  return svgElement("svg", {width, height, role: "img", "aria-label": significant(value)},
    svgElement("rect", {class: "bar-of" + (ours ? " ours" : best ? " best" : ""), x: 0, y: 2, width: at(value), height: height - 4}),
    isKnown(low) && high > low ? svgElement("line", {class: "spread", x1: at(low), x2: at(high), y1: height / 2, y2: height / 2}) : null);
}

// lines: [{cells: [..], bar: {value, low, high}, ours}]; the bar comes behind the first cell. `least`: the least value is the best one.
function tableOf(name, headings, lines, least = false) {
  const most = Math.max(...lines.map(line => Math.max(line.bar?.value ?? 0, line.bar?.high ?? 0)));
  const others = lines.filter(line => !line.ours).map(line => line.bar?.value).filter(isKnown);
  const best = least ? Math.min(...others) : Math.max(...others);
  return element("div", {class: "scroll", role: "region", "aria-label": name, tabindex: 0}, element("table", {"data-table": name},
    element("thead", {}, element("tr", {}, headings.map((text, i) => element("th", {scope: "col", class: i < 2 ? "words" : null}, text)))),
    element("tbody", {}, lines.map(line => element("tr", {class: line.ours ? "ours" : null},
      element("th", {scope: "row", class: "words"}, line.cells[0]),
      element("td", {class: "words"}, line.bar ? bar({...line.bar, ours: line.ours, best: line.bar.value === best}, most) : ""),
      line.cells.slice(1).map(cell => element("td", {class: /WRONG|OTHER/.test(cell) ? "bad" : null}, cell)))))));
}

const span = (low, high) => `${significant(low)} .. ${significant(high)}`;

// Documents: `weir corpus compare`.
function documentsTable(part, name) {
  const rounds = way => part.runs.filter(run => run.way === way && !run.interrupted).length;
  const cores = coresOf(name);
  return [tableOf(name, ["way", "pages/s", "median", "min .. max", "adaptive over it", "cores at work", "of all cores", "p99", "rounds", ""],
    part.comparison.map(one => ({
      ours: one.way === "weir adaptive",
      bar: {value: one.pages_per_second.median, low: one.pages_per_second.min, high: one.pages_per_second.max},
      cells: [one.way, significant(one.pages_per_second.median), span(one.pages_per_second.min, one.pages_per_second.max), times(one.ratio_of_adaptive),
        significant(one.cores_used), percent(one.cores_used / cores), duration(one.latency_seconds.p99), String(rounds(one.way)),
        one.same_output ? "" : "OTHER OUTPUT"],
    })))];
}

// The cores that a part ran on, by its name: `programs_on_8`.
function coresOf(name) {
  return Number(/_on_(\d+)$/.exec(name)?.[1] ?? results.cores);
}

// Records a second over those of one core in the same round.
function overOneCore(program, way) {
  return way.records_per_second.map((rate, round) => rate / program.one_core[round]);
}

// Chains of real kernels.
function stagesTables(part) {
  return part.programs.map(program => [
    element("h3", {}, `${program.program} on ${several(program.cores, "core")}`),
    tableOf(program.program, ["way", "times one core", "median", "min .. max", "records/s", "adaptive over it", "moves", "rounds", ""],
      program.ways.map(way => {
        const over = overOneCore(program, way);
        const bar = {value: middle(over), low: Math.min(...over), high: Math.max(...over)};
        return {ours: way.way === "adaptive", bar, cells: [way.way, times(bar.value), `${times(bar.low)} .. ${times(bar.high)}`, significant(middle(way.records_per_second)),
          times(way.ratio_of_adaptive), count(way.moves), String(way.records_per_second.length), ""]};
      })),
    element("p", {class: "note"}, `best fixed by search: ${program.searched}, of ${program.tried} tried; alone: `
      + program.stages.map(stage => `${stage.name} ${duration(stage.alone_seconds)}`).join(", ") + (program.wrong > 0 ? `; ${program.wrong} runs gave a WRONG result` : ""))]);
}

// Errors of models that learnt on half of the cores, by kernel.
function errorsTable(kernels) {
  const names = [...new Set(kernels.flatMap(([, part]) => part.components.map(one => one.estimator)))];
  return tableOf("errors", ["kernel and estimator", "error", "median", "95 %", "largest", "on what it learnt", "rows"],
    kernels.flatMap(([kernel, part]) => names.map(name => part.components.find(one => one.estimator === name)).filter(Boolean).map(one => ({
      ours: one.estimator === "weir",
      bar: {value: one.test_error_percent?.median},
      cells: [`${kernel}, ${one.estimator}`, significant(one.test_error_percent?.median) + " %", significant(one.test_error_percent?.p95) + " %",
        significant(one.test_error_percent?.max) + " %", significant(one.fit_error_percent?.median) + " %", String(one.predictions?.length ?? unknown)],
    }))), true);
}

// What component_costs learnt: the held-out error by component and estimator.
function costsTable(part) {
  return [tableOf("costs", ["component, estimator", "error held out", "median", "95 %", "alpha", "observations"], part.rows.map(row => ({
    ours: row.estimator === "weir", bar: {value: row.held_out_error_percent.median},
    cells: [`${row.component}, ${row.estimator}`, significant(row.held_out_error_percent.median) + " %", significant(row.held_out_error_percent.p95) + " %",
      significant(row.alpha), count(row.observations)]})), true),
  element("p", {class: "note"}, `${count(part.checks.answers)} answers were checked, ${part.checks.wrong ? part.checks.wrong + " WRONG" : "none wrong"}; a core was taken away in ${count(part.disturbed)} of the runs.`)];
}

// Rows of overhead: what is sent through, a second.
function speedTables(part) {
  const configs = [...new Set(part.rows.map(row => row.config))];
  return configs.map(config => {
    const rows = part.rows.filter(row => row.config === config);
    const isLatency = rows.every(row => isKnown(row.latency_us?.p50 ?? row.latency_us));
    const value = row => isLatency ? row.latency_us.p50 ?? row.latency_us : row.records_per_second;
    const name = `${rows[0].group}, ${config}`;
    return [element("h3", {}, name), tableOf(name, ["way", isLatency ? "us, less is better" : "records/s", "median", "least", "cores at work"], rows.map(row => ({
      ours: /^weir/.test(row.impl),
      bar: {value: value(row)},
      cells: [row.impl, isLatency ? significant(value(row)) : compact(value(row)), compact(row.min),
        isKnown(row.cpu_ns_per_record) ? significant(row.cpu_ns_per_record * row.records_per_second / 1e9) : unknown],
    })), isLatency)];
  });
}

function movesTable(part) {
  const name = `between cores ${part.cores.join(" and ")}`;
  return [element("h3", {}, name), tableOf(name, ["", "us from the decision", "median", "95 %", "first", "moves"],
    part.rows.map(row => ({ours: !row.what.startsWith("oneTBB"), bar: {value: row.median_us},
      cells: [row.what, significant(row.median_us), significant(row.p95_us), significant(row.first_us), count(row.moves)]})), true)];
}

function decisionsTable(part) {
  const scale = {ns: 1e-3, us: 1, ms: 1e3, s: 1e6};
  return [element("h3", {}, "one decision: policy / components / cores"), tableOf("decisions", ["", "us", "mean", ""],
    part.benchmarks.filter(one => one.run_type !== "aggregate").map(one => {
      const us = one.real_time * scale[one.time_unit];
      return {bar: {value: us}, cells: [one.name.replace(/^run\//, ""), significant(us), one.error_occurred ? "WRONG" : ""]};
    }), true)];
}

function tablesOf(row) {
  const parts = Object.entries(row.results);
  const errors = parts.filter(([, part]) => part.components);
  return [
    parts.filter(([, part]) => part.programs).map(([, part]) => stagesTables(part)),
    parts.filter(([, part]) => part.comparison).map(([name, part]) => [element("h3", {}, `documents: ${name.replace(/_/g, " ")}, ${several(part.runs[0]?.pages ?? 0, "page")}`), documentsTable(part, name)]),
    errors.length ? errorsTable(errors) : null,
    parts.filter(([, part]) => part.rows?.[0]?.group).map(([, part]) => speedTables(part)),
    parts.filter(([, part]) => part.rows?.[0]?.what).map(([, part]) => movesTable(part)),
    parts.filter(([, part]) => part.checks).map(([, part]) => costsTable(part)),
    parts.filter(([, part]) => part.benchmarks).map(([, part]) => decisionsTable(part))];
}

// Six programs on the same cores: the geometric mean of each way's times one core, over the programs that all ways ran.
function sixPrograms(name) {
  if (!["programs", "fewer"].includes(name)) return null;
  const all = partsOf(name, "programs").flatMap(([, part]) => part.programs);
  const asWay = {"weir adaptive": "adaptive", "weir equal": "equal", "pipeline limited": "work stealing", "weir best-fixed-by-model": "best fixed by profile"};
  const over = all.map(program => ({name: program.program, rounds: Math.min(...program.ways.map(way => way.records_per_second.length)),
    by: Object.fromEntries(program.ways.map(way => [way.way, middle(overOneCore(program, way))]))}));
  for (const [, part] of partsOf(name, "comparison")) {
    const rateIn = (way, round) => part.runs.find(run => run.way === way && run.round === round)?.pages_per_second;
    const rounds = [...new Set(part.runs.map(run => run.round))].filter(round => rateIn("sequential limited", round));
    if (!rounds.length) continue;
    const by = {};
    for (const way of part.comparison) {
      const rate = middle(rounds.map(round => rateIn(way.way, round) / rateIn("sequential limited", round)));
      if (!isKnown(rate)) continue;
      if (asWay[way.way]) by[asWay[way.way]] = rate;
      if (/^weir (shared$|fixed:|best-fixed$)/.test(way.way)) by["best fixed by search"] = Math.max(by["best fixed by search"] ?? 0, rate);
    }
    over.push({name: "documents", rounds: Math.min(...part.comparison.map(way => part.runs.filter(run => run.way === way.way).length)), by});
  }
  if (!over.length) return null;
  const cores = coresOf(Object.keys(rowOf(name).results)[0]);
  const ways = ["adaptive", "best fixed by search", "work stealing", "best fixed by profile", "equal"];
  const isComplete = ways.filter(way => over.every(program => isKnown(program.by[way])));
  const weak = over.some(program => program.rounds < fewRounds);
  const means = Object.fromEntries(isComplete.map(way => [way, geometric(over.map(program => program.by[way]))]));
  return {cores, means, weak, programs: over.length, node: element("div", {},
    element("h3", {}, `${several(over.length, "program")} on ${several(cores, "core")}: geometric mean of times one core`),
    tableOf(`geometric mean on ${cores}`, ["way", "times one core", "mean", ...over.map(program => program.name)], ways.map(way => ({
      ours: way === "adaptive", bar: {value: means[way]}, cells: [way, times(means[way]), ...over.map(program => times(program.by[way]))]}))),
    element("p", {class: "note"}, `Feedback-Directed Pipelining (PACT 2010) gives 4.2 on 8 cores for cores that go to stages at run time, and 2.3 for shares by profile, with programs of its own.${weak ? " Fewer than three rounds: it decides nothing." : ""}`))};
}

// The numbers that decide most, each with what it is compared with.
function tiles() {
  const made = [];
  const add = (term, value, more) => isKnown(value) && made.push(element("div", {}, element("dt", {}, term), element("dd", {}, significant(value)), element("dd", {class: "more"}, more)));
  for (const name of ["programs", "fewer"]) {
    const six = sixPrograms(name);
    if (six) add(`times one core, on ${six.cores}`, six.means.adaptive, `adaptive, mean of ${six.programs}; fixed by search ${times(six.means["best fixed by search"])}, stealing ${times(six.means["work stealing"])}`);
  }
  for (const [name, words] of [["documents", "each third page a scan"], ["lanes", "uniform scans"], ["shipped", "mixed documents"]])
    for (const [, part] of partsOf(name, "comparison")) {
      const ours = part.comparison.find(way => way.way === "weir adaptive");
      const others = part.comparison.filter(way => !way.way.startsWith("weir"));
      const best = others.reduce((a, b) => b.pages_per_second.median > (a?.pages_per_second.median ?? 0) ? b : a, null);
      if (ours) add(`pages/s, ${words}`, ours.pages_per_second.median,
        `${percent(ours.cores_used / results.cores)} of the cores at work${best ? `; ${best.way} ${significant(best.pages_per_second.median)}` : ""}`);
    }
  for (const [, part] of partsOf("moves", "cores")) {
    const all = part.rows.find(row => row.what === "all moves, first invocation");
    if (all) add(`us a move, cores ${part.cores.join(" and ")}`, all.median_us, `95 %: ${significant(all.p95_us)}`);
  }
  return element("dl", {class: "totals"}, made);
}

function drift() {
  const {calibration} = results.machine;
  if (!calibration?.length) return null;
  const width = 420, height = 110, left = 40, top = 10, inner = height - 30;
  const last = Math.max(1, calibration[calibration.length - 1].second);
  const over = key => calibration.map(one => one[key] / middle(calibration.map(c => c[key])));
  const most = Math.max(1.2, ...over("alone_us"), ...over("all_cores_us"));
  const x = second => left + (width - left - 6) * second / last, y = v => top + inner * (1 - v / most);
  const line = (key, kind) => svgElement("polyline", {class: kind, points: over(key).map((v, i) => `${x(calibration[i].second).toFixed(1)},${y(v).toFixed(1)}`).join(" ")});
  const worst = key => percent(Math.max(...over(key)) - 1);
  return element("figure", {}, svgElement("svg", {class: "drift", width, height, role: "img", "aria-label": "drift of a fixed loop"},
    [0, 1].map(v => [svgElement("line", {x1: left, x2: width, y1: y(v), y2: y(v)}), svgElement("text", {x: left - 6, y: y(v) + 4, "text-anchor": "end"}, String(v))]),
    svgElement("text", {x: width, y: height - 4, "text-anchor": "end"}, `${last} s`), line("alone_us", "drift-alone"), line("all_cores_us", "drift-all")),
  legend([["var(--busy)", "alone", "line"], ["var(--held)", "on all cores together", "line"]], "a fixed loop, seconds over their median"),
  element("p", {class: "note"}, `At most ${worst("alone_us")} and ${worst("all_cores_us")} above the median, load ${calibration.map(one => one.load).join(", ")} before the rows. A row says nothing of differences below the drift around it.`));
}

function page() {
  const {machine} = results;
  const failed = results.rows.filter(row => /^failed/.test(row.status));
  const cut = results.rows.filter(row => row.status === "cut" || row.status === "not begun");
  const notices = [
    ...failed.map(row => ["bad", `${row.row} ${row.status}: log.txt says why.`]),
    ...(cut.length ? [["warn", `Cut short, or not begun: ${cut.map(row => row.row).join(", ")}. They show what they had.`]] : []),
    ...(results.quick ? [["warn", "Shortened, one round a row: it shows that everything runs, and decides nothing."]] : []),
    ...(Number(machine.stolen_percent) >= 1 ? [["warn", `The hypervisor stole ${machine.stolen_percent} % of the time.`]] : [])];
  const shown = row => element("section", {class: "part", id: row.row},
    element("header", {}, element("h2", {}, `${row.row}: ${row.title}`),
      element("p", {class: "status" + (/^failed/.test(row.status) ? " bad" : "")}, `${row.status} after ${row.seconds} s of ${row.seconds_allowed}`)),
    sixPrograms(row.row)?.node ?? null, tablesOf(row).flat(Infinity),
    row.text.length ? element("details", {}, element("summary", {}, "what the programs said"), element("pre", {}, row.text.map(line => document.createTextNode(printable(line) + "\n")))) : null);
  document.title = `weir on ${several(results.cores, "core")}`;
  document.getElementById("page").append(
    element("header", {class: "top"}, element("div", {}, element("h1", {}, document.title),
      element("p", {class: "writer"}, `${machine.processor}; ${machine.system}; version ${machine.folder}; ${duration(results.seconds)}`))),
    notices.length ? element("ul", {class: "notices"}, notices.map(([kind, words]) => element("li", {class: kind}, words))) : "",
    tiles(),
    ...results.rows.map(shown),
    element("section", {class: "part", id: "machine"}, element("header", {}, element("h2", {}, "The machine")), drift(),
      element("table", {class: "facts"}, Object.entries(machine).filter(([key]) => key !== "calibration")
        .map(([key, value]) => element("tr", {}, element("td", {}, key.replace(/_/g, " ")), element("td", {}, value))))),
    element("footer", {}, "Blue: weir adaptive; green: the best of the others. The line in a bar goes from the least to the greatest round."));
}

page();
