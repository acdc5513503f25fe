// The data of the page: read, checked, and brought into the shape that the sections draw.

const readableVersion = 1;

// {data} or {problem: a sentence}.
function readData(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return {problem: "This page holds no data that can be read: " + error.message + "."};
  }
  return checkedData(data);
}

function checkedData(data) {
  if (data === null || typeof data !== "object" || data.format !== "weir page")
    return {problem: `This file is not a page of weir: its data is in the format "${data?.format ?? "unknown"}", and "weir page" is read.`};
  if (data.version !== readableVersion)
    return {problem: `This page's data has version ${data.version} of its format, written by ${data.writer ?? "an unknown program"}; version ${readableVersion} is read.`};
  if (!["runs", "trace", "observations"].includes(data.kind))
    return {problem: `This page's data is of the kind "${data.kind}"; "runs", "trace" and "observations" are shown.`};
  return {data};
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function known(value) {
  return isKnown(value) ? value : null;
}

// A report with everything in place that the sections read, whatever the writer left out.
function completed(raw) {
  const report = {...raw};
  for (const key of ["components", "links", "streams", "failures", "hanging", "held_at", "notes", "decisions"])
    report[key] = list(raw[key]);
  report.network = raw.network ?? {};
  report.own_threads = list(raw.own_threads);
  report.history = withoutShortEnd(historyRows(raw.history));
  report.decisions_total = raw.decisions_total ?? report.decisions.length;
  report.seconds = Math.max(raw.seconds ?? 0, report.history.time.at(-1) ?? 0, report.decisions.at(-1)?.time ?? 0);
  report.began = isKnown(raw.began) && Math.abs(raw.began) < 8e12 ? raw.began : null;  // what a date can be
  report.cores = raw.cores ?? coresNamed(report.decisions);
  report.owners = ownersOf(report);
  report.byName = new Map(report.components.map((component, i) => [component.name, i]));
  return report;
}

const countColumns = ["sent", "results", "failed", "emitted", "ended", "followed"];  // of records in the row
const historyColumns = [...countColumns, "predicted", "latency_p50", "latency_p99", "waiting", "foreign", "goal_met"];

// The rows of a history, each with the seconds that it covers.
function historyRows(raw) {
  const time = list(raw?.time);
  const rows = {time: time.map(at => known(at) ?? 0)};
  const seconds = list(raw?.seconds);
  rows.seconds = time.map((at, i) => known(seconds[i]) ?? (i > 0 ? at - time[i - 1] : at || null));
  for (const name of historyColumns) {
    const column = list(raw?.[name]);
    rows[name] = column.length ? time.map((_, i) => known(column[i])) : Array(time.length).fill(null);
  }
  return rows;
}

// The last row is what is left of the run. A short one would be a spike in a chart of rates, so it joins the row before.
function withoutShortEnd(rows) {
  const last = rows.time.length - 1;
  if (last < 1 || !(rows.seconds[last] < rows.seconds[last - 1] / 2)) return rows;
  rows.time.splice(-2, 1);
  for (const name of ["seconds", ...historyColumns]) {
    const [a, b] = rows[name].splice(-2);
    rows[name].push(a === null || b === null ? a ?? b : name === "seconds" || countColumns.includes(name) ? a + b : name === "latency_p99" ? Math.max(a, b) : a);
  }
  return rows;
}

// What a point of a chart should hold on the average, and the columns that are counted for it: of a closed network records
// enter by `emitted` and leave by `ended`. The rate of ten records is within a third, more often than not.
const enoughForRates = {records: 10, columns: [["sent", "emitted"], ["results", "ended"]]};
const enoughForLatency = {records: 20, columns: [["followed"]]};
const fewestForP99 = 10;  // of fewer, p99 is the largest latency and says nothing of one record in a hundred

// The seconds that a point covers at least. Rows of a slow stream hold no record or one, which as rates would be a comb. But
// ten points are shown at least, unless they were shorter than a second.
function leastSeconds(history, first, last, enough) {
  const seconds = sumOf(history.seconds, first, last);
  const records = Math.max(...enough.columns.map(names => names.reduce((sum, name) => sum + (sumOf(history[name], first, last) ?? 0), 0)));
  if (!seconds || !records) return 0;
  const wanted = enough.records * seconds / records;
  return Math.max(Math.min(wanted, 1), Math.min(wanted, seconds / 10));
}

// A history as at most `most` points between two times, which hold `enough`: {points, rows: of a point, seconds: of a point}.
// Rates are means, the others as the charts say. `from` is when a point begins, `time` when it ends.
function condensed(history, from, to, most, enough = null) {
  const {time} = history;
  const inSight = [time.findIndex(at => at >= from), time.findIndex((at, i) => at - (history.seconds[i] ?? 0) > to)].map(at => at < 0 ? time.length : at);
  const least = Math.max((sumOf(history.seconds, ...inSight) ?? 0) / most, enough ? leastSeconds(history, ...inSight, enough) : 0) * (1 - 1e-6);
  let [first, last] = inSight;
  while (first > 0 && time[first - 1] >= from - least - 1e-9) --first;  // a line goes on beyond what is in sight
  first = Math.max(0, first - 1);
  while (last < time.length && time[last] <= to + least) ++last;
  last = Math.min(time.length, last + 1);

  const ends = [];
  for (let at = first, seconds = 0; at < last; ++at) {
    seconds += history.seconds[at] ?? 0;
    if (seconds < least) continue;
    ends.push(at + 1);
    seconds = 0;
  }
  if (last > (ends.at(-1) ?? first)) {
    if (ends.length && sumOf(history.seconds, ends.at(-1), last) < least / 2) ends.pop();  // what is left would be a spike
    ends.push(last);
  }
  const points = {from: [], time: [], isFew: [], in: [], out: []};
  for (const name of historyColumns) points[name] = [];
  ends.forEach((end, i) => addPoint(points, history, i ? ends[i - 1] : first, end));
  const number = ends.length || 1;
  return {points, rows: Math.round((last - first) / number), seconds: (sumOf(history.seconds, first, last) ?? 0) / number};
}

function addPoint(points, history, at, end) {
  const seconds = sumOf(history.seconds, at, end);
  points.from.push(history.time[at] - (history.seconds[at] ?? 0));
  points.time.push(history.time[end - 1]);
  for (const name of countColumns) {
    const records = sumOf(history[name], at, end);
    points[name].push(records === null ? null : name === "followed" ? records : seconds ? records / seconds : null);
  }
  const both = (a, b) => a === null ? b : a + (b ?? 0);
  points.in.push(both(points.sent.at(-1), points.emitted.at(-1)));
  points.out.push(both(points.results.at(-1), points.ended.at(-1)));
  for (const name of ["predicted", "foreign", "goal_met"]) points[name].push(meanOf(history[name], at, end, history.seconds));
  points.latency_p50.push(meanOf(history.latency_p50, at, end, history.followed));
  const followed = points.followed.at(-1);
  points.isFew.push(followed !== null && followed < fewestForP99 && points.latency_p50.at(-1) !== null);
  points.latency_p99.push(points.isFew.at(-1) ? null : largestOf(history.latency_p99, at, end));
  points.waiting.push(largestOf(history.waiting, at, end));
}

function sumOf(column, from, to) {
  let sum = null;
  for (let i = from; i < to; ++i) if (column[i] !== null) sum = (sum ?? 0) + column[i];
  return sum;
}

// Rows whose weight is unknown count like any other.
function meanOf(column, from, to, weights) {
  let [sum, whole] = [0, 0];
  for (let i = from; i < to; ++i)
    if (column[i] !== null) {
      const weight = weights[i] ?? 1;
      sum += weight * column[i];
      whole += weight;
    }
  return whole ? sum / whole : null;
}

function largestOf(column, from, to) {
  let largest = null;
  for (let i = from; i < to; ++i) if (column[i] !== null && (largest === null || column[i] > largest)) largest = column[i];
  return largest;
}

// "0-1,5" as [0, 1, 5]. A machine has fewer than 65,536 cores; anything else in a damaged file is left out.
function coreNumbers(text) {
  const cores = [];
  for (const part of String(text ?? "").split(",")) {
    const range = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part);
    if (range) for (let core = Number(range[1]); core <= Number(range[2] ?? range[1]); ++core) cores.push(core);
  }
  return cores;
}

function coresNamed(decisions) {
  let most = -1;
  for (const {to} of decisions)
    for (const set of [to?.shared_core_set, ...Object.values(to?.components ?? {}).map(share => share.core_set)])
      for (const core of coreNumbers(set)) most = Math.max(most, core);
  return most + 1;
}

// The components that ever had cores of their own, each with the number of its colour, in the order of the report.
function ownersOf(report) {
  const named = new Set();
  for (const {from, to} of report.decisions)
    for (const allotment of [from, to])
      for (const [name, share] of Object.entries(allotment?.components ?? {})) if (share.cores > 0) named.add(name);
  for (const component of report.components) if (component.cores > 0) named.add(component.name);
  const place = new Map(report.components.map((component, i) => [component.name, i]));
  return new Map([...named].sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity)).map((name, i) => [name, i]));
}

// Shares of the run's time, or null: `busy`, in which the component's lanes computed, and `heldUp`, in which a stream
// behind it was full. Both may be so at once, when it computes what then has no room.
function shareOfTime(component) {
  const busy = known(component.busy) ?? known(component.utilisation);
  const within = value => Math.max(0, Math.min(1, value));
  return busy === null ? null : {busy: within(busy), heldUp: within(known(component.held_up) ?? 0)};
}

function stateOf(component) {
  const share = shareOfTime(component);
  if (!share) return "unknown";
  if (share.heldUp > Math.max(share.busy, 0.1)) return "held";
  return share.busy >= 0.1 ? "busy" : "idle";
}

// How full a stream was on the average. Its capacity is the one now in force; before, more may have waited than that.
function fullnessOf(stream) {
  return isKnown(stream.occupancy) && stream.capacity > 0 ? Math.min(1, stream.occupancy / stream.capacity) : null;
}

// The time that a component worked, in core seconds; for choosing whom to show.
function workOf(component) {
  return known(component.total_seconds) ?? (known(component.mean_seconds) ?? 0) * (component.invocations ?? 0) * Math.max(1, (component.cores || 1) / (component.width || 1));
}
