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
  report.cores = raw.cores ?? coresNamed(report.decisions);
  report.owners = ownersOf(report);
  report.byName = new Map(report.components.map((component, i) => [component.name, i]));
  return report;
}

const historyColumns = ["sent", "results", "failed", "predicted", "latency_p50", "latency_p99", "waiting"];

// The rows of a history, each with the seconds that it covers.
function historyRows(raw) {
  const time = list(raw?.time);
  const rows = {time: time.map(at => known(at) ?? 0)};
  rows.seconds = time.map((at, i) => known(list(raw.seconds)[i]) ?? (i > 0 ? at - time[i - 1] : at || null));
  for (const name of historyColumns) rows[name] = time.map((_, i) => known(list(raw[name])[i]));
  return rows;
}

// The last row is what is left of the run. A short one would be a spike in a chart of rates, so it joins the row before.
function withoutShortEnd(rows) {
  const last = rows.time.length - 1;
  if (last < 1 || !(rows.seconds[last] < rows.seconds[last - 1] / 2)) return rows;
  const joined = {time: [...rows.time.slice(0, -2), rows.time[last]]};
  for (const name of ["seconds", ...historyColumns]) {
    const [a, b] = rows[name].slice(-2);
    const isCount = ["seconds", "sent", "results", "failed"].includes(name);
    const both = a === null || b === null ? a ?? b : isCount ? a + b : name === "latency_p99" ? Math.max(a, b) : a;
    joined[name] = [...rows[name].slice(0, -2), both];
  }
  return joined;
}

// A history as at most `most` points between two times, and in words how. Rates are means, the others as `combine` says.
function condensed(history, from, to, most) {
  let first = 0;
  let last = history.time.length;
  while (first < last && history.time[first] < from) ++first;
  while (last > first && history.time[last - 1] - (history.seconds[last - 1] ?? 0) > to) --last;
  first = Math.max(0, first - 1);
  last = Math.min(history.time.length, last + 1);
  const step = Math.max(1, Math.ceil((last - first) / most));
  const points = {time: [], sent: [], results: [], failed: [], predicted: [], latency_p50: [], latency_p99: [], waiting: []};
  for (let at = first; at < last; at += step) {
    const end = Math.min(last, at + step);
    points.time.push(history.time[end - 1]);
    const seconds = sumOf(history.seconds, at, end);
    for (const name of ["sent", "results", "failed"]) {
      const records = sumOf(history[name], at, end);
      points[name].push(records === null || !seconds ? null : records / seconds);
    }
    points.predicted.push(meanOf(history.predicted, at, end));
    points.latency_p50.push(meanOf(history.latency_p50, at, end));
    points.latency_p99.push(largestOf(history.latency_p99, at, end));
    points.waiting.push(largestOf(history.waiting, at, end));
  }
  return {points, step, seconds: points.time.length > 1 ? (points.time.at(-1) - points.time[0]) / (points.time.length - 1) : null};
}

function sumOf(column, from, to) {
  let sum = null;
  for (let i = from; i < to; ++i) if (column[i] !== null) sum = (sum ?? 0) + column[i];
  return sum;
}

function meanOf(column, from, to) {
  let [sum, number] = [0, 0];
  for (let i = from; i < to; ++i)
    if (column[i] !== null) {
      sum += column[i];
      ++number;
    }
  return number ? sum / number : null;
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
