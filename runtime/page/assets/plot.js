// A plot: lines over x, with axes, on canvases. dygraphs lays it out and draws the lines and the grid; no other file knows
// it. Axes are drawn here: dygraphs would put their words into the page as markup.

Dygraph.PLUGINS = [Dygraph.Plugins.Grid];

const axisFont = '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const roomAbove = 12;  // pixels: for the heads of the marks of decisions
const roomRight = 30;  // for half of the last tick's words
const roomOfTick = 4;

// The multiple of 1, 2 or 5 powers of ten from which steps over `range` are `least` pixels long.
function roundStep(range, pixels, least, steps = [1, 2, 5, 10]) {
  const exact = Math.max(range * least / Math.max(pixels, 1), Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(exact));
  return (steps.find(step => step * power >= exact * (1 - 1e-9)) ?? 10) * power;
}

// [{v, label}]: multiples of `step`.
function ticksBy(step, from, to, label) {
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9 && ticks.length < 200; ++i) ticks.push({v: i * step, label: label(i * step, step)});
  return ticks;
}

function linearTicks(label, least = 34) {
  return (from, to, pixels) => ticksBy(roundStep(to - from, pixels, least), from, to, label);
}

// `lines`: [{colour, width, dash, area: alpha of what is below it, steps, band: alpha of what is around it, gaps}].
// columns(): [xs, ys of the first line, ..]; with `bands`, ys are [low, middle, high]. rangeX() and rangeY(): what is shown;
// a range from high to low is upside down. ticksX and ticksY: (from, to, pixels) -> [{v, label}]; words of ticks may have
// two lines. draw(plot) draws on top, in pixels of the canvas.
function makePlot(place, width, {height, left, below = 32, lines, bands = false, columns, rangeX, rangeY, ticksX, ticksY, gridY = true, logarithmic = false, draw}) {
  const base = element("div");
  const canvas = element("canvas", {class: "marks"});
  const over = element("div", {class: "plot-area"});
  const frame = element("div", {class: "plot"}, base, canvas, over);
  const ctx = canvas.getContext("2d");
  const [muted, grid] = [variable("muted"), variable("grid")];
  const ticks = {x: [], y: []};  // as dygraphs asked for them last
  let xs = [];
  let graph = null;
  let isDue = false;

  const labels = ["x", ...lines.map((_, i) => String(i + 1))];
  const styles = Object.fromEntries(lines.map((line, i) => [labels[i + 1], {
    color: line.colour.startsWith("#") ? withAlpha(line.colour, 1) : line.colour,  // others dygraphs asks the browser for
    strokeWidth: line.width, strokePattern: line.dash ?? null, stepPlot: !!line.steps, connectSeparatedPoints: !line.gaps,
    fillGraph: !!line.area, fillAlpha: line.area ?? line.band ?? 0, pointSize: 2.5,
  }]));

  // Rows, of which dygraphs needs one at least.
  function rows() {
    const [fresh, ...ys] = columns();
    xs = fresh;
    if (!xs.length) return [rangeX()[0], rangeX()[1]].map(x => [x, ...lines.map(() => null)]);
    return xs.map((x, row) => [x, ...ys.map(column => column[row])]);
  }

  const plot = {
    ctx, over, frame, canvas,
    get xs() { return xs; },
    get x() { return graph.xAxisRange(); },
    // The rectangle of the lines on the canvas, and where values are on it.
    get box() {
      const pixel = devicePixelRatio || 1;
      const {x, y, w, h} = graph.getArea();
      return {left: Math.round(x * pixel), top: Math.round(y * pixel), width: Math.round(w * pixel), height: Math.round(h * pixel)};
    },
    onCanvasX: value => graph.toDomXCoord(value) * (devicePixelRatio || 1),
    onCanvasY: value => graph.toDomYCoord(value, 0) * (devicePixelRatio || 1),
    // In pixels of the page, within `over`.
    toX: value => graph.toDomXCoord(value) - graph.getArea().x,
    toY: value => graph.toDomYCoord(value, 0) - graph.getArea().y,
    atX: at => graph.toDataXCoord(at + graph.getArea().x),
    atY: at => graph.toDataYCoord(at + graph.getArea().y, 0),
    nearest(x) {
      let best = -1;
      for (let i = 0; i < xs.length; ++i) if (best < 0 || Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i;
      return best;
    },
    // Once, however often it is asked for meanwhile.
    update() {
      if (isDue) return;
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        if (graph === null) return;
        const file = rows();  // before the ranges, which may depend on it
        graph.updateOptions({file, dateWindow: rangeX(), axes: {y: {valueRange: rangeY()}}});
      });
    },
    redraw() { drawMarks(graph); },
    resize(to) {
      if (to === graph.size().width) return;
      sizeFrame(to);
      graph.resize(to, height);
    },
    end() {
      graph.destroy();
      graph = null;
      frame.remove();
    },
  };

  function sizeFrame(to) {
    for (const one of [frame, base]) styled(one, {width: to + "px", height: height + "px", "aspect-ratio": `${to} / ${height}`});
  }

  function drawMarks(of) {
    graph = of;  // dygraphs draws before its constructor returns
    const pixel = devicePixelRatio || 1;
    const {width} = of.size();
    if (canvas.width === Math.floor(width * pixel) && canvas.height === Math.floor(height * pixel)) {
      ctx.clearRect(0, 0, canvas.width, canvas.height);
    } else {
      canvas.width = width * pixel;  // and it is empty
      canvas.height = height * pixel;
      styled(canvas, {width: width + "px", height: height + "px"});
    }
    const {x, y, w, h} = of.getArea();
    styled(over, {left: x + "px", top: y + "px", width: w + "px", height: h + "px"});
    drawAxes(of);
    draw?.(plot);
  }

  function drawAxes(of) {
    const {x, y, w, h} = of.getArea();
    const pixel = devicePixelRatio || 1;
    ctx.save();
    ctx.scale(pixel, pixel);
    ctx.font = axisFont;
    ctx.fillStyle = muted;
    ctx.strokeStyle = grid;
    ctx.lineWidth = 1;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const line = (fromX, fromY, toX, toY) => {
      ctx.beginPath();
      ctx.moveTo(fromX, fromY);
      ctx.lineTo(toX, toY);
      ctx.stroke();
    };
    for (const {v, label} of ticks.x) {
      const at = of.toDomXCoord(v);
      if (at < x - 0.5 || at > x + w + 0.5) continue;
      line(Math.round(at) + 0.5, y + h, Math.round(at) + 0.5, y + h + roomOfTick);
      String(label).split("\n").forEach((words, i) => ctx.fillText(words, at, y + h + roomOfTick + 4 + 14 * i));
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const {v, label} of ticks.y) {
      const at = of.toDomYCoord(v, 0);
      if (at < y - 0.5 || at > y + h + 0.5) continue;
      if (gridY) line(x - roomOfTick, Math.round(at) + 0.5, x, Math.round(at) + 0.5);
      ctx.fillText(label, x - roomOfTick - 4, at);
    }
    ctx.restore();
  }

  sizeFrame(width);
  place.replaceChildren(frame);
  const margins = {activate: () => ({layout: event => {
    event.reserveSpaceTop(roomAbove);
    event.reserveSpaceLeft(left());
    event.reserveSpaceBottom(below);
  }})};
  const first = rows();
  new Dygraph(base, first, {
    width, height, labels, series: styles, plugins: [margins], customBars: bands, logscale: logarithmic, legend: "never", interactionModel: {}, rightGap: roomRight, drawGapEdgePoints: false,
    highlightCircleSize: 0, gridLineColor: grid, gridLineWidth: 1, dateWindow: rangeX(), drawCallback: drawMarks,
    axes: {
      x: {ticker: (from, to, pixels) => ticks.x = ticksX(from, to, pixels)},
      y: {ticker: (from, to, pixels) => ticks.y = ticksY(Math.min(from, to), Math.max(from, to), pixels), valueRange: rangeY(), drawGrid: gridY},
    },
  });
  return plot;
}
