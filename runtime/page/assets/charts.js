// Charts over the time of the run: they share the zoom, the pointer and the marks of decisions.

function roomLeft() {
  return innerWidth < 600 ? 54 : 72;
}

// Steps of a time axis: decimal below a minute, then what people count time in.
const timeSteps = [...[-9, -8, -7, -6, -5, -4, -3, -2, -1].flatMap(power => [1, 2, 5].map(digit => Number(`${digit}e${power}`))),
  1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800];

// With the time of day below, where it is known when the run began.
function timeTicks(began, hasWords) {
  return (from, to, pixels) => {
    const step = timeSteps.find(one => one * pixels / (to - from) >= 84) ?? timeSteps.at(-1);
    return ticksBy(step, from, to, at => !hasWords ? "" : tick(at, step, to) + (isKnown(began) ? "\n" + clock(began + at, step, to - from) : ""));
  };
}

// Where the pointer is in time, in all charts over time.
const pointer = {
  time: null,
  listeners: new Set(),
  set(time) {
    this.time = time;
    for (const listener of this.listeners) listener();
  },
};

// A plot over the time of the run, which fills the width of its place. `lines` are those of makePlot; those with a label
// have their value at the pointer in the legend: value(of the column, row). Without `hasTimes` the time axis has no words,
// since it is another chart's. hoverLines(plot, time, value) are those of a tip.
function timeChart(view, {lines, columns, rangeY, ticksY, gridY, height, hasTimes = true, draw = () => {}, hoverLines = null}) {
  const place = element("div", {class: "chart"});
  const isDated = isKnown(view.report.began);
  const below = !hasTimes ? 8 : isDated ? 46 : 32;
  const labelled = lines.map((line, i) => ({...line, i})).filter(line => line.label);
  const values = labelled.map(() => element("span", {class: "value"}));
  const timeValue = element("span", {class: "value"});
  const key = element("ul", {class: "values"}, labelled.map((line, i) =>
    element("li", {}, styled(element("i", {class: line.dash ? "dashed" : null}), {"--swatch": line.colour}), line.label, values[i])), element("li", {class: "time"}, timeValue));
  const frame = element("div");
  const selected = element("div", {class: "selected", hidden: true});
  const cursor = element("div", {class: "cursor", hidden: true});
  const points = labelled.map(line => styled(element("i", {class: "cursor-point", hidden: true}), {background: line.colour}));
  place.append(frame, ...(labelled.length ? [key] : []));
  let plot = null;
  let shown = [[]];

  const options = {
    height: height + below - 32, below, left: roomLeft, lines, rangeY, ticksY, gridY, ticksX: timeTicks(view.report.began, hasTimes), rangeX: () => zoom.shown(),
    columns: () => shown = columns(),
    draw(of) {
      draw(of);
      drawDecisions(view, of);
      point();
    },
  };

  // The cursor and the values of the row that is nearest to the pointer.
  function point() {
    if (!plot) return;
    const {time} = pointer;
    const row = time === null || !shown[0].length ? -1 : plot.nearest(time);
    const at = time === null ? -1 : plot.toX(time);
    cursor.hidden = at < 0 || at > plot.over.clientWidth;
    if (!cursor.hidden) styled(cursor, {left: at + "px"});
    timeValue.textContent = row < 0 ? "" : moment(shown[0][row], zoom.shown()[1] - zoom.shown()[0]) + (isDated ? ", " + clock(view.report.began + shown[0][row], 0.1) : "");
    labelled.forEach((line, i) => {
      const value = row < 0 ? null : shown[line.i + 1][row];
      values[i].textContent = row < 0 || value === null ? "" : line.value(value, row);
      points[i].hidden = cursor.hidden || value === null;
      if (!points[i].hidden) styled(points[i], {left: plot.toX(shown[0][row]) + "px", top: plot.toY(value) + "px"});
    });
  }

  function listen() {
    const {over} = plot;
    over.append(selected, cursor, ...points);
    const xOf = event => event.clientX - over.getBoundingClientRect().left;
    let downAt = null;
    const drag = event => {
      const [a, b] = [downAt, Math.max(0, Math.min(xOf(event), over.clientWidth))].sort((x, y) => x - y);
      selected.hidden = b - a < 3;
      styled(selected, {left: a + "px", width: b - a + "px"});
      return [a, b];
    };
    over.addEventListener("pointerdown", event => {
      if (event.button !== 0) return;
      downAt = xOf(event);
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener("pointerup", event => {
      if (downAt === null) return;
      const [a, b] = drag(event);
      downAt = null;
      selected.hidden = true;
      if (b - a >= 3) return zoom.set(plot.atX(a), plot.atX(b));
      const decision = decisionNear(view, plot, a);
      if (decision !== null) view.select("decision", decision);
    });
    over.addEventListener("pointercancel", () => {
      downAt = null;
      selected.hidden = true;
    });
    over.addEventListener("dblclick", () => zoom.reset());
    over.addEventListener("pointermove", event => {
      if (downAt !== null) drag(event);
      const x = xOf(event);
      const decision = decisionNear(view, plot, x);
      over.classList.toggle("on-mark", decision !== null);
      pointer.set(plot.atX(x));
      const y = event.clientY - over.getBoundingClientRect().top;
      const lines = decision !== null ? decisionLines(view.report.decisions[decision], view.report.seconds, view.report.began) : hoverLines?.(plot, plot.atX(x), plot.atY(y));
      if (lines) showTip(lines, event.clientX, event.clientY);
      else hideTip();
    });
    over.addEventListener("pointerleave", () => {
      pointer.set(null);
      hideTip();
    });
  }

  // A plot needs its width, so it is made when its place is in the page.
  view.onWidth(place, () => {
    const width = Math.floor(place.clientWidth);
    if (width < 50) return;
    if (plot !== null) return plot.resize(width);
    plot = makePlot(frame, width, options);
    listen();
  });
  view.onZoom(() => plot?.update());
  view.onPointer(point);
  view.on("decision", () => plot?.redraw());
  view.onEnd(() => plot?.end());

  return {node: place, update() { plot?.update(); }, redraw() { plot?.redraw(); }};
}

const mostCrowded = 10;  // pixels for each decision in sight, below which lines would hide what is behind them

// The marks of decisions: a line each, with a head above the chart; of many only the heads. Those that would fall on one
// pixel are drawn once.
function drawDecisions(view, plot) {
  const decisions = view.report?.decisions ?? [];
  const {ctx, box: {left, top, width, height}} = plot;
  const pixel = devicePixelRatio || 1;
  const chosen = view.chosen.decision;
  const isInSight = x => x >= left - 0.5 && x <= left + width + 0.5;
  const isCrowded = decisions.filter(({time}) => isInSight(plot.onCanvasX(time))).length * mostCrowded * pixel > width;
  const [ink, accent] = [withAlpha(variable("mark"), 0.55), variable("accent")];
  ctx.save();
  let last = -Infinity;
  for (let i = 0; i < decisions.length; ++i) {
    const x = plot.onCanvasX(decisions[i].time);
    if (!isInSight(x) || (x - last < pixel && i !== chosen)) continue;
    last = x;
    const isChosen = i === chosen;
    ctx.strokeStyle = ctx.fillStyle = isChosen ? accent : ink;
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
function decisionNear(view, plot, x) {
  const decisions = view.report?.decisions ?? [];
  let [nearest, distance] = [null, 4.5];
  for (let i = 0; i < decisions.length; ++i) {
    const away = Math.abs(plot.toX(decisions[i].time) - x);
    if (away < distance) [nearest, distance] = [i, away];
  }
  return nearest;
}
