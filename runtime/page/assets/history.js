// Charts of how the run did: rates, latency, waiting records.

const mostPoints = 600;  // of a line: more would be closer than two pixels on a wide screen
const farOff = 3;  // a forecast or a goal this many times above all else is not in the scale

// Lines over the history's points that are in sight: as many as can be told apart, and in words what one of them is. A line
// with `isBeside` has no say in the scale where it is far off; what is above the scale is marked. goal(report) is a value or
// null. `under` is another chart, which is shown below.
function historyChart(view, {title, hint, lines, format, combined, enough = null, goal = () => null, words = () => "", under = null}) {
  const note = element("p", {class: "note"});
  let points = null;
  let top = 1;
  const rows = () => view.report.history;
  const read = () => {
    const [from, to] = zoom.shown();
    const condensing = condensed(rows(), from, to, mostPoints, enough);
    points = condensing.points;
    top = topOf(points, lines, goal(view.report), rows());
    const clipped = lines.map(line => [line, Math.max(...points[line.column].filter(isKnown))]).filter(([, most]) => most > top)
      .map(([line, most]) => `${line.label} is above this scale where the upper edge is marked, by up to ${line.value(most)}.`);
    const above = goal(view.report);
    if (isKnown(above) && above > top) clipped.push(`The goal, ${format(above)}, is above this scale.`);
    note.textContent = [condensing.rows > 1 ? `One point is ${duration(condensing.seconds)}, ${count(condensing.rows)} rows of the history: ${combined}` : "",
      ...clipped, words(points)].filter(Boolean).join(" ");
    return [points.time, ...lines.map(line => points[line.column].map(value => value === null ? null : Math.min(value, top)))];
  };
  const hasAny = () => rows().time.length > 0;
  const chart = timeChart(view, {
    height: 200, columns: read, rangeY: () => [0, top], ticksY: linearTicks(format),
    lines: lines.map(line => ({
      label: line.label, colour: line.colour, width: line.dash ? 1.5 : 2, dash: line.dash, area: line.area, gaps: line.gaps,
      value: (_, row) => line.value(points[line.column][row]),
    })),
    draw: plot => {
      drawGoal(plot, points, goal(view.report), top, format);
      for (const line of lines) drawClipped(plot, points, line, top);
    },
  });
  const show = () => {
    chart.node.hidden = !hasAny();
    if (!hasAny()) note.textContent = "Nothing was recorded over time.";
    under?.update();
  };
  show();
  return {
    node: section(title, hint, chart.node, under?.node, note),
    update() {
      show();
      chart.update();
    },
  };
}

// The largest of a scale. The first forecast is made before the models know anything and may be a thousand times too high;
// so the later ones count, as far as they differ from it.
function topOf(points, lines, goal, history) {
  const seen = lines.filter(line => !line.isBeside).flatMap(line => points[line.column]).filter(isKnown);
  const first = history.predicted.find(isKnown);
  const isLater = value => isKnown(value) && Math.abs(value - first) > 0.05 * first;
  const later = lines.some(line => line.isBeside) ? history.predicted.slice(history.predicted.length >> 1).filter(isLater) : [];
  const most = list => list.reduce((a, b) => Math.max(a, b), 0);
  const limit = Math.max(most(seen), most(later));
  const beside = [...lines.filter(line => line.isBeside).flatMap(line => points[line.column]), goal].filter(value => isKnown(value) && (!limit || value <= farOff * limit));
  return 1.1 * Math.max(most(seen), most(beside)) || 1;
}

// Marks at the upper edge, where a line is above it.
function drawClipped(plot, points, line, top) {
  const {ctx, box} = plot;
  const pixel = devicePixelRatio || 1;
  ctx.save();
  ctx.fillStyle = line.colour;
  let last = -Infinity;
  points[line.column].forEach((value, i) => {
    const x = plot.onCanvasX(points.time[i]);
    if (value === null || value <= top || x < box.left || x > box.left + box.width || x - last < 14 * pixel) return;
    last = x;
    ctx.beginPath();
    ctx.moveTo(x, box.top + pixel);
    ctx.lineTo(x + 5 * pixel, box.top + 9 * pixel);
    ctx.lineTo(x - 5 * pixel, box.top + 9 * pixel);
    ctx.fill();
  });
  ctx.restore();
}

// A line at the goal, or at the upper edge where that is lower: red where the goal was missed, even for a part of a point.
function drawGoal(plot, points, goal, top, format) {
  if (!isKnown(goal)) return;
  const {ctx, box} = plot;
  const pixel = devicePixelRatio || 1;
  const y = Math.max(plot.onCanvasY(Math.min(goal, top)), box.top + 2 * pixel);
  const [left, right] = [box.left, box.left + box.width];
  const within = x => Math.max(left, Math.min(x, right));
  ctx.save();
  ctx.lineWidth = 1.5 * pixel;
  ctx.strokeStyle = variable("goal");
  ctx.setLineDash([6 * pixel, 3 * pixel]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(right, y);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.strokeStyle = variable("bad");
  ctx.lineWidth = 3 * pixel;
  points.goal_met.forEach((met, i) => {
    if (met === null || met >= 1) return;
    const [from, to] = [within(plot.onCanvasX(points.from[i])), within(plot.onCanvasX(points.time[i]))];
    ctx.beginPath();
    ctx.moveTo(from, y);
    ctx.lineTo(Math.max(to, from + pixel), y);
    if (to > left && from < right) ctx.stroke();
  });
  ctx.font = axisFont.replace("12px", `${11 * pixel}px`);
  ctx.textAlign = "right";
  const isHigh = y - box.top < 18 * pixel;
  ctx.textBaseline = isHigh ? "top" : "bottom";
  ctx.lineWidth = 3 * pixel;
  ctx.strokeStyle = variable("ground");
  ctx.fillStyle = variable("ink");
  for (const write of ["strokeText", "fillText"]) ctx[write]("goal " + format(goal), right - 4 * pixel, y + (isHigh ? 5 : -3) * pixel);
  ctx.restore();
}

function ratesSection(view) {
  const [emits, ends] = [view.report.emitted > 0, view.report.records_ended > 0];
  return historyChart(view, {
    title: "Records a second",
    hint: emits || ends ? "In: records that were sent, and those that sources emitted. Out: results, and records that ended in the network. And what could enter by the models."
      : "What left the network and what entered it, and what could enter by the models.",
    combined: "the mean.",
    format: compact,
    enough: enoughForRates,
    goal: of => of.goal?.rate > 0 ? of.goal.rate : null,
    under: foreignChart(view),
    lines: [
      {label: ends ? "Out" : "Results", column: "out", colour: hue(0), value: rate},
      {label: emits ? "In" : "Sent", column: "in", colour: hue(2), value: rate, dash: [2, 3]},
      {label: "Predicted", column: "predicted", colour: hue(5), value: rate, dash: [8, 4], isBeside: true},
    ],
  });
}

function latencySection(view) {
  return historyChart(view, {
    title: "Latency",
    hint: "From a record\u2019s entry until all that it causes has left: half of the records, and all but one in a hundred, were faster.",
    combined: "the mean of p50, the largest p99.",
    format: duration,
    enough: enoughForLatency,
    goal: of => known(of.goal?.latency_p99),
    words: points => !points.isFew.some(Boolean) ? ""
      : points.latency_p99.some(isKnown) ? `Where a point has fewer than ${fewestForP99} records that were followed, it has no p99.`
        : `A point has fewer than ${fewestForP99} records that were followed, too few for a p99.`,
    lines: [
      {label: "p50", column: "latency_p50", colour: hue(0), value: duration},
      {label: "p99", column: "latency_p99", colour: hue(5), value: duration, dash: [8, 4], gaps: true},
    ],
  });
}

function waitingSection(view) {
  return historyChart(view, {
    title: "Waiting records",
    hint: "Records in the streams between components.",
    combined: "the largest.",
    format: compact,
    lines: [{label: "Waiting", column: "waiting", colour: hue(0), area: 0.12, value: value => several(value, "record")}],
  });
}

// What other processes had of the cores: a strip below the chart of rates.
function foreignChart(view) {
  const colour = hue(3);
  let points = null;
  const chart = timeChart(view, {
    height: 84, hasTimes: false, rangeY: () => [0, 1], ticksY: () => [{v: 0, label: "0 %"}, {v: 1, label: "100 %"}],
    columns: () => {
      points = condensed(view.report.history, ...zoom.shown(), mostPoints).points;
      return [points.time, points.foreign];
    },
    lines: [{label: "Other processes had", colour, width: 1.5, area: 0.25, gaps: true, value: part => percent(part) + " of the cores"}],
  });
  const show = () => { chart.node.hidden = !view.report.history.foreign.some(isKnown); };
  show();
  return {
    node: chart.node,
    update() {
      show();
      chart.update();
    },
  };
}
