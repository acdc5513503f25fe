// What a component costs, as its model has learnt it: over the size of its input, and over cores.

const mostCurves = 6;

// models: [{name, model: words, curves}], which `of()` gives anew after an update.
function modelsSection(view, of) {
  const choice = element("div", {class: "controls"});
  const place = element("div");
  let models = of();
  let logarithmic = false;
  let charts = [];

  function chosenIndex() {
    const named = models.findIndex(model => model.name === view.chosen.component);
    return named >= 0 ? named : Math.max(0, models.findIndex(model => model.curves));
  }

  function build() {
    for (const chart of charts) chart.end();
    charts = [];
    if (!models.length) {
      choice.replaceChildren();
      place.replaceChildren(element("p", {class: "note"}, "No component has a model yet."));
      return;
    }
    const model = models[chosenIndex()];
    choice.replaceChildren(
      selector("Component", models.map(one => one.curves ? one.name : one.name + " (no curves)"), chosenIndex(), i => view.select("component", models[i].name)),
      checkbox("Logarithmic seconds", logarithmic, on => { logarithmic = on; build(); }));
    const words = element("p", {class: "model-words"}, model.model || "Nothing is known of it yet.");
    if (!model.curves) {
      place.replaceChildren(words, element("p", {class: "note"}, "Its curves are not in this page: they are kept of the components with the most time."));
      return;
    }
    charts = [curvesOverX(model.curves, logarithmic), curveOverCores(model.curves, logarithmic)].filter(Boolean);
    place.replaceChildren(words, element("div", {class: "pair"}, charts.map(chart => chart.node)));
  }

  build();
  view.on("component", name => {
    build();
    if (name !== null) place.closest("section")?.scrollIntoView({block: "nearest"});
  });
  view.onWidth(place, () => charts.forEach(chart => chart.draw()));
  view.onEnd(() => charts.forEach(chart => chart.end()));
  let last = JSON.stringify(models);
  return {
    node: section("Models of components", "What an invocation is expected to take: the mean by the component\u2019s model, two standard deviations to either side, and recent invocations as points. Tseq(x) is its time on one core for an input of size x; alpha is the part of it that more cores share.", choice, place),
    update() {
      models = of();
      const fresh = JSON.stringify(models);
      if (fresh === last) return;
      last = fresh;
      build();
    },
  };
}

function modelsOf(report) {
  const known = report.components.filter(component => component.curves || (component.model && component.observations > 0));
  const most = 500;
  return [...known].sort((a, b) => !!b.curves - !!a.curves || workOf(b) - workOf(a)).slice(0, most)
    .map(({name, model, curves}) => ({name, model, curves}));
}

// The value of a curve at x, straight between its points; null beyond them.
function valueAt(xs, ys, x) {
  let high = xs.findIndex(at => at >= x);
  if (high < 0 || x < xs[0]) return null;
  if (xs[high] === x) return known(ys[high]);
  const [a, b] = [ys[high - 1], ys[high]];
  return isKnown(a) && isKnown(b) ? a + (b - a) * (x - xs[high - 1]) / (xs[high] - xs[high - 1]) : null;
}

// At most `most` of them, the first and the last included.
function spread(values, most) {
  if (values.length <= most) return values;
  return Array.from({length: most}, (_, i) => values[Math.round(i * (values.length - 1) / (most - 1))]);
}

function curvesOverX(curves, logarithmic) {
  const seen = list(curves.over_x).filter(curve => list(curve.x).length);
  const shown = spread(seen, mostCurves);
  const points = list(curves.points).filter(([x, , seconds]) => isKnown(x) && isKnown(seconds));
  if (!shown.length && !points.length) return null;
  const first = points[0]?.[0] ?? shown[0].x[0];
  if (shown.every(curve => curve.x.every(x => x === first)) && points.every(([x]) => x === first)) return null;  // nothing to predict by
  const xs = [...new Set([...shown.flatMap(curve => curve.x), ...points.map(point => point[0])])].sort((a, b) => a - b);
  const columns = shown.map((curve, i) => ({
    label: several(curve.cores, "core"), colour: hue(i),
    mean: xs.map(x => valueAt(curve.x, curve.mean, x)),
    low: xs.map(x => valueAt(curve.x, curve.low, x)),
    high: xs.map(x => valueAt(curve.x, curve.high, x)),
  }));
  const colourOf = new Map(shown.map((curve, i) => [curve.cores, hue(i)]));
  const dots = points.map(([x, cores, seconds]) => ({at: x, seconds, colour: colourOf.get(cores) ?? variable("muted")}));
  const title = "Seconds over x";
  const fewer = shown.length < seen.length ? ` ${shown.length} of ${seen.length} numbers of cores are drawn.` : "";
  return curveChart({title, hint: "x is what the component is predicted by, for example the size of its input." + fewer, xs, columns, dots, logarithmic, atText: compact, atLabel: "x"});
}

function curveOverCores(curves, logarithmic) {
  const curve = curves.over_cores;
  if (!curve || !list(curve.cores).length) return null;
  const near = Math.abs(curve.x) * 0.1;
  const dots = list(curves.points).filter(([x, cores, seconds]) => isKnown(seconds) && isKnown(cores) && Math.abs(x - curve.x) <= near)
    .map(([, cores, seconds]) => ({at: cores, seconds, colour: variable("muted")}));
  const xs = [...new Set([...curve.cores, ...dots.map(dot => dot.at)])].sort((a, b) => a - b);
  const column = {label: `x = ${significant(curve.x)}`, colour: hue(0)};
  for (const name of ["mean", "low", "high"]) column[name] = xs.map(at => valueAt(curve.cores, curve[name], at));
  return curveChart({
    title: "Seconds over cores", hint: dots.length ? `For x = ${significant(curve.x)}; the points are invocations with x within a tenth of it.` : `For x = ${significant(curve.x)}; no recent invocation had an x within a tenth of it.`,
    xs, columns: [column], dots, logarithmic, atText: at => Number.isInteger(at) ? count(at) : "", atLabel: "cores",
  });
}

// The ticks of a logarithmic axis: 1, 2 and 5 of each power of ten, or the powers alone where they are many.
function logarithmicTicks(least, most) {
  const powers = Math.log10(most / least);
  const ticks = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power)
    for (const digit of powers > 3 ? [1] : [1, 2, 5]) ticks.push(digit * 10 ** power);
  return ticks.filter(at => at >= least && at <= most);
}

function curveChart({title, hint, xs, columns, dots, logarithmic, atText, atLabel}) {
  const place = element("div", {class: "chart"});
  const all = [...columns.flatMap(column => [...column.mean, ...column.high, ...(logarithmic ? column.low : [])]), ...dots.map(dot => dot.seconds)]
    .filter(value => isKnown(value) && (!logarithmic || value > 0));
  const top = Math.max(...all, 0) || 1;
  const bottom = logarithmic ? Math.max(Math.min(...all, top), top * 1e-6) : 0;
  const positive = value => logarithmic && value !== null ? Math.max(value, bottom / 2) : value;
  const from = xs[0];
  const to = xs.at(-1);
  const margin = (to - from) * 0.04 || Math.abs(from) * 0.1 || 1;
  const edges = column => column.low.map((value, i) => value === null ? null : [positive(Math.max(value, 0)), positive(column.mean[i]), positive(column.high[i])]);
  const alone = (column, of) => column.map(value => value === null ? null : Array(3).fill(positive(of(value))));
  const data = [xs, ...columns.flatMap(column => [edges(column), alone(column.low, value => Math.max(value, 0)), alone(column.high, value => value)])];
  const lines = columns.flatMap(({colour}) => [{colour, width: 2, band: 0.14, gaps: true}, ...[0, 1].map(() => ({colour: withAlpha(colour, 0.35), width: 1, gaps: true}))]);
  if (!columns.length) [data[1], lines[0]] = [xs.map(() => null), {colour: variable("muted"), width: 0}];
  let chart = null;
  const height = 260;
  const options = {
    height, left: roomLeft, lines, bands: true, logarithmic, columns: () => data,
    rangeX: () => [from - margin, to + margin], rangeY: () => logarithmic ? [bottom * 0.8, top * 1.25] : [0, top * 1.08],
    ticksX: linearTicks(atText, 56), ticksY: logarithmic ? (least, most) => logarithmicTicks(least, most).map(v => ({v, label: duration(v)})) : linearTicks(duration),
    draw(plot) {
      const {ctx, box} = plot;
      const pixel = devicePixelRatio || 1;
      ctx.save();
      ctx.rect(box.left, box.top, box.width, box.height);
      ctx.clip();
      for (const dot of dots) {
        if (logarithmic && dot.seconds <= 0) continue;
        ctx.fillStyle = withAlpha(dot.colour, 0.6);
        ctx.beginPath();
        ctx.arc(plot.onCanvasX(dot.at), plot.onCanvasY(dot.seconds), 2.5 * pixel, 0, 2 * Math.PI);
        ctx.fill();
      }
      ctx.restore();
    },
  };
  const draw = () => {
    const width = Math.floor(place.clientWidth);
    if (width < 50) return;
    if (chart) return chart.resize(width);
    chart = makePlot(place, width, options);
    chart.over.addEventListener("pointermove", event => {
      const index = chart.nearest(chart.atX(event.clientX - chart.over.getBoundingClientRect().left));
      showTip([`${atLabel} = ${significant(xs[index])}`, ...columns.filter(column => column.mean[index] !== null).map(column =>
        [column.label, `${duration(column.mean[index])} (${duration(Math.max(0, column.low[index]))} to ${duration(column.high[index])})`])], event.clientX, event.clientY);
    });
    chart.over.addEventListener("pointerleave", hideTip);
  };
  const watch = new ResizeObserver(draw);
  watch.observe(place);
  return {
    node: element("figure", {}, element("figcaption", {}, element("strong", {}, title), element("span", {}, hint)), legend(columns.map(column => [column.colour, column.label])), place),
    draw,
    end() {
      watch.disconnect();
      chart?.end();
    },
  };
}
