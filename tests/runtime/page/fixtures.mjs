// node fixtures.mjs FOLDER [NAME...]: writes data for pages as JSON files, one a kind of run that a page must show.
//
// Runs are simulated coarsely, so that the numbers of a page belong to each other: records come at a rate, the slowest
// component bounds it, decisions move cores to that one. All is drawn from a fixed seed.
import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

// Mulberry32: the same numbers everywhere.
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const rounded = value => Number(value.toPrecision(6));

function coreSet(cores) {
  const parts = [];
  for (let i = 0; i < cores.length; ) {
    let j = i;
    while (cores[j + 1] === cores[j] + 1) ++j;
    parts.push(i === j ? `${cores[i]}` : `${cores[i]}-${cores[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

// Cores from 0 on to each in turn, the rest to the shared group.
function allotmentOf(numbers, cores, outside = {}) {
  let next = 0;
  const components = {};
  for (const [name, {cores: size, width}] of Object.entries(numbers)) {
    if (size === 0) continue;
    components[name] = {cores: size, width, core_set: coreSet(Array.from({length: size}, (_, i) => next + i))};
    next += size;
  }
  const shared = next < cores ? Array.from({length: cores - next}, (_, i) => next + i) : [0];
  return {components, outside, shared: shared.length, shared_core_set: coreSet(shared)};
}

function curvesOf(random, sequential, alpha, seen) {
  const law = (x, p) => (0.002 + sequential * (x / 300) ** 2) * (1 - alpha + alpha / p);
  const xs = Array.from({length: 25}, (_, i) => 50 + i * 25);
  const row = (times, spread) => ({
    mean: times.map(rounded), low: times.map(t => rounded(t * (1 - spread))), high: times.map(t => rounded(t * (1 + spread))),
  });
  const most = Math.max(...seen);
  const cores = Array.from({length: most * 2}, (_, i) => i + 1);
  const points = Array.from({length: 120}, () => {
    const x = Math.round(50 + random() * 600);
    const p = seen[Math.floor(random() * seen.length)];
    return [x, p, rounded(law(x, p) * (1 + 0.12 * (random() + random() - 1)))];
  });
  return {
    over_x: seen.map(p => ({cores: p, x: xs, ...row(xs.map(x => law(x, p)), 0.1)})),
    over_cores: {x: 300, cores, ...row(cores.map(p => law(300, p)), 0.1)},
    points,
  };
}

function emptyReport() {
  return {
    format: 1, ended: true, policy: "adaptive, throughput", machine: "package:1 core:8 pu:1", cores: 8, seconds: 0,
    sent: 0, results: 0, failed: 0, dropped: 0, failed_by: {}, held: 0, held_at: [], unfinished: 0, unfolded: 0, removed: 0, monitored: true,
    network: {arrival_rate: null, predicted_throughput: null, predicted_latency: null, followed: 0, latency_mean: null, latency_p50: null, latency_p99: null},
    graph: {nodes: [], groups: [], edges: [], left_out: 0},
    began: null, foreign_load: null, goal: null, emitted: 0, records_ended: 0, waits_for: [],
    in_flight: {records: null, limit: null, peak: null, bytes: null, bytes_limit: null, bytes_peak: null},
    history: {time: [], seconds: [], sent: [], results: [], failed: [], predicted: [], latency_p50: [], latency_p99: [], waiting: []},
    links: [], components: [], streams: [], decisions: [], decisions_total: 0, failures: [], failures_not_shown: 0, hanging: [], hung: 0, notes: [], own_threads: [],
  };
}

function componentOf(name, more) {
  return {
    name, place: "shared group", cores: 0, width: 1, invocations: 0, failures: 0, observations: 0, own_threads: 0, cores_beyond_grant: 0,
    mean_seconds: null, total_seconds: 0, visits: 1, observed_visits: 1, predicted_seconds: null, predicted_utilisation: null, utilisation: null,
    alpha: 0.9, alpha_known: true, coefficients: [], contention: null, fork_join: null, scatter: 0.1, model: "", busy: null, held_up: null, curves: null, ...more,
  };
}

// Documents that are split into pages, recognised, translated in a loop, and counted; 48 cores, moves throughout.
function withMoves({seed = 1, seconds = 240, rows = 2400, name = "adaptive", cores = 48} = {}) {
  const random = generator(seed);
  const report = emptyReport();
  const stages = [["read", 0.004, 0.2], ["decode", 0.06, 0.85], ["recognise", 0.31, 0.95], ["translate", 0.12, 0.9], ["tally", 0.002, 0.1], ["store", 0.03, 0]];
  const interval = seconds / rows;
  const numbers = {decode: {cores: 8, width: 8}, recognise: {cores: 8, width: 4}, translate: {cores: 8, width: 8}};
  const capacityOf = () => Math.min(...stages.filter(([stage]) => numbers[stage]?.cores).map(([stage, sequential, alpha]) => {
    const {cores: p, width} = numbers[stage];
    return width / (sequential * (1 - alpha + alpha / (p / width)));
  }));
  const before = () => allotmentOf(numbers, cores, {store: 16});
  report.decisions.push({time: 0, from: null, to: before(), why: "the models know nothing yet: equal shares", predicted_gain: 0, realised_gain: null, reverted: false});
  const moves = [[0.06, "recognise", 8, "recognise bounds the stream: 25.8 records/s, decode could do 133"], [0.14, "recognise", 6, "recognise still bounds the stream: 51 records/s"],
    [0.3, "translate", 4, "translate bounds the stream: 66 records/s"], [0.42, "decode", 5, "decode is expected to bound the stream when pages grow"], [0.48, "decode", -5, "it gave 0.3 %, 6 % were promised"],
    [0.7, "recognise", 2, "recognise bounds the stream again since documents are longer: 70 records/s"]];
  let next = 0;
  let waiting = 0;
  const {history} = report;
  for (let i = 0; i < rows; ++i) {
    const time = (i + 1) * interval;
    while (next < moves.length && time >= moves[next][0] * seconds) {
      const [, moved, by, why] = moves[next];
      const from = before();
      const could = capacityOf();
      numbers[moved] = {cores: numbers[moved].cores + by, width: Math.max(1, numbers[moved].width + (moved === "recognise" ? Math.round(by / 2) : by))};
      const promised = Math.max(0.02, capacityOf() / could - 1);
      report.decisions.push({time: rounded(time), from, to: before(), why, predicted_gain: rounded(promised), realised_gain: next === moves.length - 1 ? null : rounded(promised * (0.7 + 0.4 * random())), reverted: next === 3});
      ++next;
    }
    const offered = 60 * (1 + 0.15 * Math.sin(time / 9));
    const could = capacityOf();
    const done = Math.min(offered + waiting / 3, could * (0.92 + 0.06 * random()));
    waiting = Math.max(0, Math.min(300, waiting + (offered - done) * interval));
    const sent = Math.round(Math.min(offered, done + (waiting < 300 ? offered : 0)) * interval * (0.9 + 0.2 * random()));
    history.time.push(rounded(time));
    history.seconds.push(rounded(interval));
    history.sent.push(sent);
    history.results.push(Math.round(done * interval * (0.9 + 0.2 * random())));
    history.failed.push(random() < 4 / rows ? 1 : 0);
    history.predicted.push(i < rows / 50 ? null : rounded(could));
    const p50 = 0.5 + waiting / Math.max(done, 1);
    history.latency_p50.push(rounded(p50 * (0.95 + 0.1 * random())));
    history.latency_p99.push(rounded(p50 * (1.6 + 0.6 * random())));
    history.waiting.push(Math.round(waiting));
  }
  const total = column => column.reduce((sum, value) => sum + value, 0);
  Object.assign(report, {seconds, cores, machine: `package:2 core:${cores / 2} pu:1`, sent: total(history.sent), results: total(history.results), failed: total(history.failed), held: 2, unfolded: 31});
  report.failed_by = report.failed ? {"std::runtime_error": report.failed} : {};
  report.held_at = [{path: ":S1:R2:sync", records: 2}];
  report.notes = ["the kernel refused to bind thread 12 to core 7: it may run anywhere"];
  report.failures = Array.from({length: report.failed}, (_, i) => ({path: `:S${i}:recognise`, entity: "recognise", record: `{page=image, <n>=${i * 317}}`, cause: "the image has no pixels"}));
  report.network = {arrival_rate: rounded(report.sent / seconds), predicted_throughput: rounded(capacityOf()), predicted_latency: 0.61, followed: 4311, latency_mean: 0.83, latency_p50: 0.71, latency_p99: 1.94};
  const share = {read: [0.03, 0.4], decode: [0.52, 0.21], recognise: [0.93, 0.01], translate: [0.71, 0.02], tally: [0.01, 0], store: [0.3, 0]};
  report.components = stages.map(([stage, sequential, alpha]) => {
    const held = numbers[stage];
    const place = stage === "store" ? "outside the cores, 16 lanes" : held?.cores ? `own cores {${before().components[stage].core_set}}, ${held.width} lanes` : stage === "tally" ? "inline" : "shared group";
    return componentOf(stage, {
      place, cores: held?.cores ?? 0, width: stage === "store" ? 16 : held?.width ?? 1, invocations: report.results, observations: Math.min(report.results, 5000),
      failures: stage === "recognise" ? report.failed : 0, mean_seconds: sequential, total_seconds: rounded(sequential * report.results), predicted_seconds: rounded(sequential * 1.02),
      predicted_utilisation: share[stage][0], utilisation: held?.cores ? share[stage][0] : null, alpha,
      model: `T(x, p) = (0.002 + ${sequential} (x / 300)^2) (${rounded(1 - alpha)} + ${alpha} / p), known from ${report.results} invocations with 1 to 4 cores; 95 % of them lie within 12 %`,
      busy: share[stage][0], held_up: share[stage][1], curves: alpha > 0.15 ? curvesOf(random, sequential, alpha, stage === "recognise" ? [1, 2, 3, 4] : [1, 2]) : null,
      own_threads: stage === "recognise" ? 3 : 0, cores_beyond_grant: stage === "recognise" ? 1.5 : 0,
    });
  });
  report.graph = {
    nodes: [
      {kind: "input", label: "input", component: null, group: null}, {kind: "source", label: "read", component: "read", group: 0},
      {kind: "box", label: "decode", component: "decode", group: 0}, {kind: "choice", label: "|", component: null, group: 0},
      {kind: "box", label: "recognise", component: "recognise", group: 1}, {kind: "filter", label: "{text} -> {text}", component: null, group: 0},
      {kind: "merge", label: "", component: null, group: 0}, {kind: "box", label: "translate", component: "translate", group: 2},
      {kind: "sync", label: "[| {text}, {language} |]", component: null, group: 2}, {kind: "fold", label: "tally", component: "tally", group: null},
      {kind: "box", label: "store", component: "store", group: null}, {kind: "output", label: "output", component: null, group: null}],
    groups: [{kind: "named", label: "documents", group: null}, {kind: "split", label: "<page>", group: 0}, {kind: "feedback", label: "{again}", group: null}],
    edges: [[0, 1], [1, 2], [2, 3], [3, 4], [3, 5], [4, 6], [5, 6], [6, 8], [8, 7], [7, 9], [9, 10], [10, 11]].map(([from, to]) => ({from, to})).concat({from: 7, to: 8, back: true}),
    left_out: 0,
  };
  const chain = ["input", "read", "decode", "recognise", "translate", "tally", "store", "output"];
  report.streams = chain.slice(1).map((to, i) => {
    const full = [0.1, 0.3, 0.88, 0.6, 0.12, 0.02, 0][i];
    return {from: chain[i], to, records: report.results - i, capacity: i === 6 ? 0 : 64, peak: Math.max(1, Math.round(64 * Math.min(1, full * 1.4))), predicted: 12, occupancy: full * 64, blocked_seconds: full > 0.5 ? rounded(seconds * (full - 0.5)) : 0, bytes: i < 3 ? report.results * 48000 : null};
  });
  report.streams.push({from: "decode", to: "translate", records: 811, capacity: 64, peak: 20, predicted: 0, occupancy: 4, blocked_seconds: 0, bytes: null});
  report.links = chain.slice(1).map((to, i) => ({from: chain[i], to, records: 1}));
  report.decisions_total = report.decisions.length;
  return report;
}

const began = 1_764_216_302.5;  // 27 Nov 2025, 04:05:02 UTC

// A run with all that only some runs have: a network that is partly closed, a goal that is missed at first, other processes,
// limits. It goes on, and waits.
function withDemands() {
  const report = withMoves({seed: 21, rows: 480});
  const {history, seconds} = report;
  const random = generator(22);
  history.emitted = history.sent.map(sent => Math.round(sent * 0.4));
  history.ended = history.results.map(results => Math.round(results * 0.25));
  history.followed = history.results.map(results => Math.ceil(results / 2));
  history.foreign = history.time.map(time => time < 3 ? null : rounded(time > 100 && time < 130 ? 0.6 + 0.1 * random() : 0.12 * random()));
  const limit = 6;
  history.goal_met = history.time.map((time, i) => time > 200 && time < 210 ? null : history.latency_p99[i] <= limit ? 1 : 0);
  const judged = history.goal_met.filter(met => met !== null).length;
  const total = column => column.reduce((sum, value) => sum + value, 0);
  Object.assign(report, {
    ended: false, began, emitted: total(history.emitted), records_ended: total(history.ended), foreign_load: 0.163,
    goal: {words: "p99 at most 6 s", latency_p99: limit, rate: null, seconds: rounded(judged * seconds / history.time.length), seconds_met: rounded(total(history.goal_met) * seconds / history.time.length)},
    waits_for: ["31 results wait to be read, and no thread has read any for 12 s", "<b>store</b> at :S5 has been running for 14.0 s"],
    in_flight: {records: 61, limit: 64, peak: 64, bytes: 3_000_000, bytes_limit: 2 ** 30, bytes_peak: 5_000_000},
  });
  report.decisions[1].gain_words = {predicted: "1.02 times the records a second", realised: "1.01 times the records a second"};
  return report;
}

// Three records a second, and a first forecast that is a thousand times too high.
function slow() {
  const report = emptyReport();
  const random = generator(31);
  const {history} = report;
  const rows = 600;
  const interval = 0.1;
  history.followed = [];
  history.ended = history.emitted = null;
  for (let i = 0; i < rows; ++i) {
    const results = random() < 0.3 ? 1 : 0;
    history.time.push(rounded((i + 1) * interval));
    history.seconds.push(interval);
    history.sent.push(results);
    history.results.push(results);
    history.failed.push(0);
    history.predicted.push(i < 4 ? null : i < 90 ? 6120 : rounded(4.2 + 0.1 * random()));
    history.followed.push(results);
    const latency = results ? rounded(0.3 + 0.05 * random()) : null;
    history.latency_p50.push(latency);
    history.latency_p99.push(latency);
    history.waiting.push(0);
  }
  const total = column => column.reduce((sum, value) => sum + value, 0);
  Object.assign(report, {seconds: rows * interval, began, sent: total(history.sent), results: total(history.results), goal: {words: "3 records a second", latency_p99: null, rate: 3, seconds: 60, seconds_met: 40}});
  report.network = {...report.network, arrival_rate: rounded(report.sent / report.seconds), predicted_throughput: 4.2, followed: report.results, latency_mean: 0.33, latency_p50: 0.32, latency_p99: 0.35};
  report.components = [componentOf("look", {invocations: report.sent, observations: report.sent, mean_seconds: 0.23, total_seconds: rounded(0.23 * report.sent), busy: 0.7, held_up: 0})];
  report.links = [{from: "input", to: "look", records: 1}, {from: "look", to: "output", records: 1}];
  return report;
}

// Two records in all.
function two() {
  const report = slow();
  const {history} = report;
  for (const name of Object.keys(history)) history[name] = history[name]?.slice(0, 20) ?? null;
  for (const name of ["sent", "results", "followed"]) history[name] = history[name].map((_, i) => i === 3 || i === 15 ? 1 : 0);
  history.latency_p50 = history.latency_p50.map((_, i) => i === 3 ? 0.2 : i === 15 ? 0.4 : null);
  history.latency_p99 = [...history.latency_p50];
  history.predicted = history.predicted.map(() => null);
  Object.assign(report, {seconds: 2, sent: 2, results: 2, goal: null});
  report.network = {...report.network, followed: 2, latency_mean: 0.3, latency_p50: 0.4, latency_p99: 0.4};
  return report;
}

// An hour with 10,000 components, three of which have cores of their own.
function large() {
  const report = withMoves({seed: 3, seconds: 3600, rows: 36000});
  const random = generator(4);
  for (let i = report.components.length; i < 10000; ++i)
    report.components.push(componentOf(`stage_${i}`, {invocations: Math.round(random() * 1e5), mean_seconds: rounded(random() * 1e-4), total_seconds: rounded(random()), busy: rounded(random() * 0.01), held_up: 0, observations: 10, model: "short"}));
  report.graph = {nodes: [], groups: [], edges: [], left_out: 20003};
  report.streams = Array.from({length: 10000}, (_, i) => ({from: i ? `stage_${i - 1}` : "input", to: `stage_${i}`, records: i, capacity: 64, peak: i % 65, predicted: 1, occupancy: (i % 640) / 10, blocked_seconds: 0, bytes: null}));
  const first = report.decisions[0];
  const many = Array.from({length: 1023}, (_, i) => {
    const one = report.decisions[1 + i % (report.decisions.length - 1)];
    return {...one, time: 300 + i * 3.2};
  });
  report.decisions = [first, ...many];
  report.decisions_total = 1734;
  return report;
}

// Names that would be markup, end the element of the data, turn the text around, or be invisible.
const hostile = [`<img src=x onerror="document.title='broken'">`, `</script><script>document.title='broken'</script>`, `"quoted" & 'quoted'`, "control\u0000\u0007\u001b[31mred",
  "\u202eright to left\u2066", "__proto__", "constructor", "a".repeat(300), "\u2028line\u2029", "<!--", "\ud83e\udd80 crab", ""];

function withHostileNames() {
  const report = withMoves({seed: 5, seconds: 20, rows: 200, cores: 24});
  const rename = new Map(report.components.map((component, i) => [component.name, hostile[i]]));
  const renamed = allotment => allotment && {...allotment, components: Object.fromEntries(Object.entries(allotment.components).map(([name, share]) => [rename.get(name), share])),
    outside: Object.fromEntries(Object.entries(allotment.outside).map(([name, lanes]) => [rename.get(name), lanes]))};
  for (const component of report.components) component.name = rename.get(component.name);
  for (const decision of report.decisions) Object.assign(decision, {from: renamed(decision.from), to: renamed(decision.to), why: hostile[1] + " why " + hostile[7]});
  for (const one of [...report.streams, ...report.links]) Object.assign(one, {from: rename.get(one.from) ?? one.from, to: rename.get(one.to) ?? one.to});
  for (const node of report.graph.nodes) if (node.component) Object.assign(node, {component: rename.get(node.component), label: rename.get(node.component)});
  report.graph.groups.forEach((group, i) => { group.label = hostile[i]; });
  for (const name of hostile.slice(report.components.length)) report.components.push(componentOf(name, {invocations: 7, model: hostile[0]}));
  report.failures.push({path: hostile[1], entity: hostile[0], record: hostile[3], cause: hostile[7]});
  report.notes.push(hostile[0], hostile[7]);
  report.hanging = [{component: hostile[1], path: hostile[7], x: null, cores: 2, seconds: 31, expected: 0.2}];
  report.failed_by = {[hostile[0]]: 1};
  report.failed = 1;
  return report;
}

function traceData(spans = 250000) {
  const random = generator(7);
  const tracks = [...Array.from({length: 16}, (_, i) => `core ${i}`), "callers"];
  const entities = ["generate", "multiply", "invert", "compare", "store", "<b>bold</b>"];
  const seconds = 120;
  const free = tracks.map(() => random() * 0.01);
  const rows = [];
  while (rows.length < spans) {
    let track = 0;
    for (let i = 1; i < tracks.length; ++i) if (free[i] < free[track]) track = i;
    const entity = Math.floor(random() ** 2 * entities.length);
    const average = seconds * tracks.length / spans;
    const length = average * 0.8 * (random() + 0.3) * (entity === 1 ? 1.4 : 0.7) * (rows.length % 5000 === 0 ? 200 : 1);
    rows.push({track, entity, start: free[track], seconds: length, x: Math.round(random() * 900), cores: 1 + entity % 3, blocked: random() < 0.03 ? 1 : 0});
    free[track] += length + random() * average * 0.3;
  }
  rows.sort((a, b) => a.start - b.start);
  const columns = {};
  for (const name of ["track", "entity", "start", "seconds", "x", "cores", "blocked"]) columns[name] = rows.map(row => name === "start" || name === "seconds" ? rounded(row[name]) : row[name]);
  const instants = [3, 20, 41, 77].flatMap(time => [{time, kind: "move", name: "multiply", detail: "multiply 4 cores x 2 lanes {0-3}"}]).concat({time: 55, kind: "error", name: "invert", detail: "the matrix is singular"});
  return {tracks, entities, dropped: 12, spans: columns, instants, cores_of: {multiply: [[0, 2], [3, 4], [20, 6], [41, 5], [77, 8]], invert: [[0, 2], [20, 1], [77, 3]]}};
}

function page(kind, title, more) {
  return {format: "weir page", version: 1, writer: "weir 0.1.0", title, kind, live: false, ...more};
}

// A run on three ranks, of which one has told nothing.
function onRanks() {
  const report = withMoves({seed: 5, seconds: 20, rows: 200, cores: 8});
  const part = (name, cores, width, invocations, busy) => ({name, place: cores ? `own cores {0-${cores - 1}}, ${width} lanes` : "shared group", cores, width, invocations, total_seconds: invocations * 0.01, busy});
  report.ranks = [
    {rank: 0, machine: "package:1 core:8 pu:1", cores: 8, latency: null, record_seconds: null, bytes_per_second: null, components: [part("decode", 3, 3, 4001, 0.8), part("tally", 0, 1, 4001, 0.1)]},
    {rank: 1, machine: "package:1 core:8 pu:1", cores: 8, latency: 1.9e-6, record_seconds: 1.5e-7, bytes_per_second: 3.1e9, components: [part("recognise", 6, 6, 2713, 0.9), part("translate", 2, 2, 2713, 0.4)]},
    {rank: 2, machine: "", cores: 0, latency: 18e-6, record_seconds: 2e-7, bytes_per_second: 1.2e9, components: []},
  ];
  report.cores = 16;
  return report;
}

// A component that runs on a device, with a crossing point, and a resource for which another one waits.
function onDevices() {
  const report = withMoves({seed: 6, seconds: 20, rows: 200, cores: 8});
  const [first, second] = report.components;
  const x = Array.from({length: 16}, (_, i) => 10 * (i + 1));
  first.invocations = 4000;
  report.devices = [
    {device: "gpu0", component: first.name, slots: 2, peak: 2, invocations: 1002, errors: 2, explored: 7, mean_seconds: 0.011, total_seconds: 11, left_alone: 0, crossing: 62.5,
      inputs: {x, on_cores: x.map(at => at * 2e-4), on_device: x.map(at => 0.01 + at * 4e-5), on_full_device: x.map(at => 0.015 + at * 6e-5)}},
    {device: "gpu1", component: second.name, slots: 1, peak: 0, invocations: 0, errors: 0, explored: 0, mean_seconds: null, total_seconds: 0, left_alone: 0, crossing: null, inputs: {x: [], on_cores: [], on_device: [], on_full_device: []}},
  ];
  Object.assign(second, {resource_waits: 31, resource_wait_seconds: 2.5});
  report.resources = [{name: "licence", total: 4, in_use: 1, peak: 4}];
  return report;
}

const fixtures = {
  moves: () => page("runs", "Pages to text", {runs: [{name: "adaptive", report: withMoves()}]}),
  ranks: () => page("runs", "Pages on several ranks", {runs: [{name: "adaptive", report: onRanks()}]}),
  devices: () => page("runs", "Pages on a device", {runs: [{name: "adaptive", report: onDevices()}]}),
  demands: () => page("runs", "A goal, limits, and other processes", {runs: [{name: "adaptive", report: withDemands()}]}),
  slow: () => page("runs", "Three records a second", {runs: [{name: "run", report: slow()}]}),
  two: () => page("runs", "Two records", {runs: [{name: "run", report: two()}]}),
  empty: () => page("runs", "A run of nothing", {runs: [{name: "run", report: emptyReport()}]}),
  sparse: () => page("runs", "What an early version wrote", {runs: [{name: "run", report: {sent: 3, results: 3, seconds: 0.5, components: [{name: "only"}], links: [{from: "input", to: "only", records: 1}]}}]}),
  hostile: () => page("runs", hostile[1], {runs: [{name: hostile[0], report: withHostileNames()}]}),
  large: () => page("runs", "An hour of ten thousand components", {runs: [{name: "run", report: large()}]}),
  several: () => page("runs", "Policies compared", {
    tables: [{title: "Policies", columns: ["Policy", "Records a second", "p99 in ms", "Moves"], rows: [["adaptive", 68.21, 1940, 6], ["equal shares", 25.8, 5210, 0], ["best fixed", 66.7, null, 0]]}],
    runs: [{name: "adaptive", report: withMoves()}, {name: "equal shares", report: {...withMoves({seed: 11, seconds: 90, rows: 300}), policy: "equal shares"}}, {name: "best fixed", report: {...withMoves({seed: 12, seconds: 60, rows: 200, cores: 32}), policy: "best fixed", ended: false}}],
  }),
  trace: () => page("trace", "Matrices on sixteen cores", {trace: traceData()}),
  observations: () => {
    const random = generator(9);
    return page("observations", "What three components cost", {components: [["multiply", 0.31, 0.97, [1, 2, 4, 8]], ["invert", 0.5, 0.8, [1, 2, 4]], ["read", 0.01, 0.1, [1]]]
      .map(([name, sequential, alpha, seen]) => ({name, model: `T(x, p) grows with x squared; ${alpha} of it runs in parallel`, curves: curvesOf(random, sequential, alpha, seen)}))});
  },
  foreign: () => ({format: "another", version: 7}),
  newer: () => ({...page("runs", "From the future", {runs: []}), version: 2}),
};

export {emptyReport, fixtures, page, withMoves};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, ...names] = process.argv.slice(2);
  if (!folder) {
    console.error("usage: node fixtures.mjs FOLDER [NAME...]");
    process.exit(2);
  }
  mkdirSync(folder, {recursive: true});
  for (const name of names.length ? names : Object.keys(fixtures)) writeFileSync(join(folder, name + ".json"), JSON.stringify(fixtures[name]()));
}
