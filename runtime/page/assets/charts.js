// Charts over the time of the run. uPlot draws them; they share the zoom, the cursor and the marks of decisions.

const axisFont = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const mostPoints = 600;  // of a line: more would be closer than two pixels on a wide screen

function axisSize() {
  return innerWidth < 600 ? 54 : 72;
}

function axis(options) {
  return {
    font: axisFont, stroke: variable("muted"),
    grid: {stroke: variable("grid"), width: 1}, ticks: {stroke: variable("grid"), width: 1, size: 4},
    ...options,
  };
}

// Steps of a time axis: decimal below a minute, then what people count time in.
const timeSteps = [...[-9, -8, -7, -6, -5, -4, -3, -2, -1].flatMap(power => [1, 2, 5].map(digit => Number(`${digit}e${power}`))),
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800];

function timeAxis() {
  return axis({
    space: 84,
    size: 32,
    incrs: timeSteps,
    values: (u, splits, index, space, step) => splits.map(at => tick(at, step, u.scales.x.max)),
  });
}

// A chart of uPlot over the time of the run, which fills the width of its place. `draw` draws on it; `onhover` is told
// (time, value, event) where the pointer is.
function timeChart(view, {series, data, scale, valueAxis, height, draw = () => {}, hoverLines = null, onclick = null, legendShown = true}) {
  const place = element("div", {class: "chart"});
  let chart = null;
  let downAt = null;

  const options = {
    width: 600, height,
    padding: [12, 26, 0, 0],
    legend: {show: legendShown, markers: {width: 0, fill: (u, i) => series[i - 1]?.stroke ?? "transparent"}},
    cursor: {
      drag: {x: true, y: false, setScale: false},
      y: false,
      points: {show: series.length > 0, size: 7},
      sync: {key: "time", scales: ["x", null], filters: {pub: type => type === "mousemove" || type === "mouseleave"}},
      bind: {dblclick: () => () => { zoom.reset(); return null; }},
    },
    scales: {x: {time: false, range: () => zoom.shown()}, y: scale},
    axes: [timeAxis(), axis({size: axisSize(), ...valueAxis})],
    series: [{label: "Time", value: (u, at) => at === null ? "" : moment(at, u.scales.x.max - u.scales.x.min)}, ...series],
    hooks: {
      setSelect: [u => {
        if (u.select.width < 3) return;
        const [from, to] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
        u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        zoom.set(from, to);
      }],
      draw: [u => {
        draw(u);
        drawDecisions(view, u);
      }],
    },
  };

  function listen() {
    chart.over.addEventListener("pointerdown", event => { downAt = event.clientX; });
    chart.over.addEventListener("click", event => {
      if (downAt !== null && Math.abs(event.clientX - downAt) > 3) return;
      const decision = decisionNear(view, chart, event.clientX - chart.over.getBoundingClientRect().left);
      if (decision !== null) view.select("decision", decision);
      else onclick?.(chart, event);
    });
    chart.over.addEventListener("pointermove", event => {
      const box = chart.over.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const decision = decisionNear(view, chart, x);
      chart.over.classList.toggle("on-mark", decision !== null);
      const lines = decision !== null ? decisionLines(view.report.decisions[decision], view.report.seconds)
        : hoverLines?.(chart, chart.posToVal(x, "x"), chart.posToVal(y, "y"));
      if (lines) showTip(lines, event.clientX, event.clientY);
      else hideTip();
    });
    chart.over.addEventListener("pointerleave", hideTip);
  }

  // A chart needs its width, so it is made when its place is in the page.
  view.onWidth(place, () => {
    const width = Math.floor(place.clientWidth);
    if (width < 50) return;
    if (chart === null) {
      chart = new uPlot({...options, width}, data(), place);
      listen();
    } else if (chart.width !== width) {
      chart.setSize({width, height});
    }
  });
  view.onZoom(() => chart?.setData(data()));
  view.on("decision", () => chart?.redraw(false));
  view.onEnd(() => chart?.destroy());

  return {node: place, update() { chart?.setData(data()); }, redraw() { chart?.redraw(false); }};
}

// Lines over the history's points that are in sight: as many as can be told apart, and in words what one of them is.
function historyChart(view, {title, hint, lines, format, combined}) {
  const note = element("p", {class: "note"});
  let points = null;
  const data = () => {
    const [from, to] = zoom.shown();
    const {points: fresh, step, seconds} = condensed(view.report.history, from, to, mostPoints);
    points = fresh;
    note.textContent = step > 1 ? `One point is ${duration(seconds)}, ${count(step)} rows of the history: ${combined}` : "";
    return [fresh.time, ...lines.map(line => fresh[line.column])];
  };
  const show = () => { chart.node.hidden = !view.report.history.time.length; };
  const chart = timeChart(view, {
    height: 200, data,
    scale: {range: (u, least, most) => [0, isKnown(most) && most > 0 ? most * 1.1 : 1]},
    valueAxis: {values: (u, splits) => splits.map(format)},
    series: lines.map(line => ({
      label: line.label, stroke: line.colour, width: line.dash ? 1.5 : 2, dash: line.dash, spanGaps: true,
      fill: line.fill, points: {show: () => points?.time.length === 1}, value: (u, value) => value === null ? "" : line.value(value),
    })),
  });
  show();
  if (chart.node.hidden) note.textContent = "Nothing was recorded over time.";
  return {
    node: section(title, hint, chart.node, note),
    update() {
      show();
      chart.update();
    },
  };
}

function ratesSection(view) {
  return historyChart(view, {
    title: "Records a second",
    hint: "What left the network and what entered it, beside what could enter by the models.",
    combined: "the mean.",
    format: compact,
    lines: [
      {label: "Results", column: "results", colour: hue(0), value: rate},
      {label: "Sent", column: "sent", colour: hue(2), value: rate, dash: [2, 3]},
      {label: "Predicted", column: "predicted", colour: hue(5), value: rate, dash: [8, 4]},
    ],
  });
}

function latencySection(view) {
  return historyChart(view, {
    title: "Latency",
    hint: "From a record\u2019s entry until all that it causes has left: half of the records, and all but one in a hundred, were faster.",
    combined: "the mean of p50, the largest p99.",
    format: duration,
    lines: [
      {label: "p50", column: "latency_p50", colour: hue(0), value: duration},
      {label: "p99", column: "latency_p99", colour: hue(5), value: duration, dash: [8, 4]},
    ],
  });
}

function waitingSection(view) {
  const colour = hue(0);
  return historyChart(view, {
    title: "Waiting records",
    hint: "Records in the streams between components.",
    combined: "the largest.",
    format: compact,
    lines: [{label: "Waiting", column: "waiting", colour, fill: withAlpha(colour, 0.12), value: value => several(value, "record")}],
  });
}

const mostCrowded = 10;  // pixels for each decision in sight, below which lines would hide what is behind them

// The marks of decisions: a line each, with a head above the chart; of many only the heads. Those that would fall on one
// pixel are drawn once.
function drawDecisions(view, u) {
  const decisions = view.report?.decisions ?? [];
  const {ctx} = u;
  const {left, top, width, height} = u.bbox;
  const pixel = devicePixelRatio || 1;
  const chosen = view.chosen.decision;
  const inSight = decisions.map(({time}) => u.valToPos(time, "x", true)).filter(x => x >= left && x <= left + width).length;
  const isCrowded = inSight * mostCrowded * pixel > width;
  ctx.save();
  let last = -Infinity;
  for (let i = 0; i < decisions.length; ++i) {
    const x = u.valToPos(decisions[i].time, "x", true);
    if (x < left || x > left + width || (x - last < pixel && i !== chosen)) continue;
    last = x;
    const isChosen = i === chosen;
    ctx.strokeStyle = ctx.fillStyle = isChosen ? variable("accent") : withAlpha(variable("mark"), 0.55);
    ctx.lineWidth = (isChosen ? 2.5 : 1) * pixel;
    ctx.setLineDash(decisions[i].reverted ? [3 * pixel, 3 * pixel] : []);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, isCrowded && !isChosen ? top : top + height);
    ctx.stroke();
    const head = (isChosen ? 6 : 4) * pixel;
    ctx.beginPath();
    ctx.moveTo(x - head, top - head * 1.6);
    ctx.lineTo(x + head, top - head * 1.6);
    ctx.lineTo(x, top);
    ctx.fill();
  }
  ctx.restore();
}

// The decision whose mark is within four pixels of x, or null.
function decisionNear(view, u, x) {
  const decisions = view.report?.decisions ?? [];
  let [nearest, distance] = [null, 4.5];
  for (let i = 0; i < decisions.length; ++i) {
    const away = Math.abs(u.valToPos(decisions[i].time, "x") - x);
    if (away < distance) [nearest, distance] = [i, away];
  }
  return nearest;
}
