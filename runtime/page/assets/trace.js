// A trace: spans on the tracks of cores. There may be hundreds of thousands, so those under a pixel are drawn together.

// The spans by track, in order of start, with the longest in each track: what encloses a time is found by looking back
// no further than that.
function tracksOf(trace) {
  const {spans} = trace;
  const tracks = list(trace.tracks).map(name => ({name, spans: [], longest: 0}));
  for (let i = 0; i < list(spans?.start).length; ++i) {
    const track = tracks[spans.track[i]];
    if (!track) continue;
    track.spans.push(i);
    track.longest = Math.max(track.longest, spans.seconds[i]);
  }
  return tracks;
}

// The first of the track's spans that starts at `time` or later.
function firstFrom(track, start, time) {
  let [low, high] = [0, track.spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[track.spans[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function traceSections(view, trace) {
  const tracks = tracksOf(trace);
  const entities = list(trace.entities);
  const spans = {track: [], entity: [], start: [], seconds: [], x: [], cores: [], blocked: [], ...trace.spans};
  let end = 0;
  for (let i = 0; i < spans.start.length; ++i) end = Math.max(end, spans.start[i] + spans.seconds[i]);
  const instants = list(trace.instants);
  for (const {time} of instants) end = Math.max(end, time);
  zoom.whole = [0, end || 1];

  const summary = summaryOf(spans, entities);
  const colourOf = new Map([...summary].sort((a, b) => b.total - a.total).map((row, i) => [row.index, i]));
  const sections = [traceSummary(view, trace, spans, instants, end)];
  sections.push(lanesSection(view, {tracks, entities, spans, instants, colourOf, end}));
  const cores = coresOfSection(view, trace, colourOf, entities, end);
  if (cores) sections.push(cores);
  sections.push(entitiesSection(view, summary));
  if (instants.length) sections.push(instantsSection(instants));
  return sections;
}

function traceSummary(view, trace, spans, instants, end) {
  const tiles = [["Spans", count(spans.start.length), "spans"], ["Components", count(list(trace.entities).length), "entities"], ["Tracks", count(list(trace.tracks).length), "tracks"],
    ["Events", count(instants.length), "instants"], ["Time", duration(end), "time"], ["Not kept", count(trace.dropped ?? 0), "dropped"]];
  return {node: element("section", {class: "summary", "aria-label": "Totals"}, element("dl", {class: "totals"},
    tiles.map(([term, value, key]) => element("div", {}, element("dt", {}, term), element("dd", {"data-total": key}, value))))), update() {}};
}

function lanesSection(view, {tracks, entities, spans, instants, colourOf, end}) {
  const lanes = Math.max(1, tracks.length);
  const laneHeight = Math.max(4, Math.min(24, 720 / lanes));
  const note = element("p", {class: "note"});
  const colours = entities.map((_, i) => hue(colourOf.get(i) ?? i));

  function draw(plot) {
    const {ctx} = plot;
    const pixel = devicePixelRatio || 1;
    const {left, top, width, height} = plot.box;
    const lane = height / lanes;
    const gap = lane > 6 * pixel ? pixel : 0;
    const [from, to] = plot.x;
    const scale = width / (to - from);
    const chosen = entities.indexOf(view.chosen.component);
    const dimmed = colours.map((colour, i) => chosen < 0 || i === chosen ? colour : mixed(colour, variable("ground"), 0.78));
    const waiting = new Map();
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    let together = 0;
    tracks.forEach((track, number) => {
      const y = top + number * lane + gap / 2;
      const tall = lane - gap;
      let column = -1;  // the pixel column that is being collected, with the time of each entity in it
      let times = new Map();
      const drawColumn = () => {
        if (column < 0 || !times.size) return;
        let [most, whole, best] = [-1, 0, 0];
        for (const [entity, seconds] of times) {
          whole += seconds;
          if (seconds > most) [most, best] = [seconds, entity];
        }
        ctx.globalAlpha = Math.max(0.25, Math.min(1, whole * scale));
        ctx.fillStyle = dimmed[best] ?? variable("muted");
        ctx.fillRect(left + column, y, 1, tall);
        ctx.globalAlpha = 1;
        times = new Map();
      };
      for (let at = firstFrom(track, spans.start, from - track.longest); at < track.spans.length; ++at) {
        const i = track.spans[at];
        const start = spans.start[i];
        if (start > to) break;
        const finish = start + spans.seconds[i];
        if (finish < from) continue;
        const [x, wide] = [(start - from) * scale, spans.seconds[i] * scale];
        if (wide < 1) {
          const here = Math.max(0, Math.floor(x));
          if (here !== column) {
            drawColumn();
            column = here;
          }
          times.set(spans.entity[i], (times.get(spans.entity[i]) ?? 0) + spans.seconds[i]);
          ++together;
          continue;
        }
        const [first, last] = [Math.max(0, x), Math.min(width, x + wide)];
        const colour = dimmed[spans.entity[i]] ?? variable("muted");
        if (spans.blocked[i]) {
          if (!waiting.has(colour)) waiting.set(colour, hatch(ctx, colour, variable("ground")));
          ctx.fillStyle = waiting.get(colour);
        } else {
          ctx.fillStyle = colour;
        }
        ctx.fillRect(left + first, y, Math.max(pixel, last - first - (wide > 4 * pixel ? pixel : 0)), tall);
        if (lane >= 12 * pixel && last - first > 44 * pixel && !spans.blocked[i]) {
          ctx.fillStyle = inkOn(colour);
          const text = fitting(ctx, printable(entities[spans.entity[i]]), last - first - 10 * pixel);
          if (text) ctx.fillText(text, left + first + 5 * pixel, y + tall / 2);
        }
      }
      drawColumn();
    });
    drawInstants(plot, instants);
    ctx.restore();
    note.textContent = together ? `${count(together)} of the spans in sight are shorter than a pixel: each pixel has the colour of the component with the most time in it, paler where less of it was worked. Zoom in to see them.` : "";
  }

  const shownColours = [...colourOf].slice(0, 24);
  const chart = timeChart(view, {
    height: Math.round(lanes * laneHeight) + 44, draw, ...lanesOf(lanes, number => tracks[number]?.name ?? ""),
    hoverLines: (plot, time, at) => {
      const track = tracks[Math.floor(at)];
      if (!track) return null;
      const range = plot.x[1] - plot.x[0];
      const slack = range / Math.max(plot.over.clientWidth, 1);
      for (let i = firstFrom(track, spans.start, time + slack) - 1; i >= 0; --i) {
        const span = track.spans[i];
        if (spans.start[span] < time - track.longest - slack) break;
        if (spans.start[span] + Math.max(spans.seconds[span], slack) >= time) return spanLines(track, entities, spans, span);
      }
      return [track.name, "idle", ["time", moment(time, range)]];
    },
  });
  view.on("component", () => chart.redraw());
  return {
    node: section("Trace", "One lane a track, spans in the colour of their component. Drag to zoom, double-click to see everything.",
      legend([...shownColours.map(([entity, i]) => [hue(i), entities[entity]]), [null, "waiting", "hatched", "An invocation that waited: what is behind it had no room for what it made."]]),
      entities.length > 24 ? element("p", {class: "note"}, `${count(entities.length - 24)} more components have colours and names in the chart, but not here.`) : null,
      chart.node, note),
    update() {},
  };
}

function spanLines(track, entities, spans, i) {
  return [entities[spans.entity[i]] ?? unknown,
    ["on", track.name], ["start", moment(spans.start[i], 0.01)], ["for", duration(spans.seconds[i])],
    ["x", significant(spans.x[i])], ["cores", count(spans.cores[i])],
    ...(spans.blocked[i] ? ["It waited: what is behind it had no room."] : [])];
}

function drawInstants(plot, instants) {
  const {ctx, box} = plot;
  const pixel = devicePixelRatio || 1;
  let last = -Infinity;
  for (const instant of instants) {
    const isError = instant.kind === "error";
    if (!isError && instant.kind !== "move") continue;
    const x = plot.onCanvasX(instant.time);
    if (x - last < pixel && !isError) continue;
    last = x;
    ctx.strokeStyle = isError ? variable("bad") : variable("mark");
    ctx.lineWidth = pixel;
    ctx.beginPath();
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.top + box.height);
    ctx.stroke();
  }
}

function coresOfSection(view, trace, colourOf, entities, end) {
  const named = Object.entries(trace.cores_of ?? {}).filter(([, steps]) => list(steps).length);
  if (!named.length) return null;
  const most = 12;
  const shown = named.sort((a, b) => b[1].length - a[1].length).slice(0, most);
  const times = [...new Set([0, end, ...shown.flatMap(([, steps]) => steps.map(step => step[0]))])].sort((a, b) => a - b);
  const columns = shown.map(([, steps]) => {
    let at = -1;
    return times.map(time => {
      while (at + 1 < steps.length && steps[at + 1][0] <= time) ++at;
      return at < 0 ? null : steps[at][1];
    });
  });
  const largest = Math.max(1, ...columns.flat().filter(isKnown));
  const chart = timeChart(view, {
    height: 180, columns: () => [times, ...columns], rangeY: () => [0, largest * 1.1],
    ticksY: linearTicks(at => Number.isInteger(at) ? count(at) : ""),
    lines: shown.map(([name], i) => ({label: shortened(name, 24), colour: hue(colourOf.get(entities.indexOf(name)) ?? i), width: 2, steps: true, value: count})),
  });
  return {node: section("Cores of each component", named.length > most ? `The ${most} of ${count(named.length)} components that moved most often.` : null, chart.node), update() {}};
}

// For each entity how often it ran, and for how long.
function summaryOf(spans, entities) {
  const rows = entities.map((name, index) => ({name, index, number: 0, total: 0, longest: 0, blocked: 0, seconds: []}));
  for (let i = 0; i < spans.start.length; ++i) {
    const row = rows[spans.entity[i]];
    if (!row) continue;
    if (spans.blocked[i]) {
      row.blocked += spans.seconds[i];
      continue;
    }
    ++row.number;
    row.total += spans.seconds[i];
    row.seconds.push(spans.seconds[i]);
    row.longest = Math.max(row.longest, spans.seconds[i]);
  }
  for (const row of rows) {
    const sorted = Float64Array.from(row.seconds).sort();
    row.p50 = sorted.length ? sorted[Math.floor((sorted.length - 1) * 0.5)] : null;
    row.p99 = sorted.length ? sorted[Math.floor((sorted.length - 1) * 0.99)] : null;
    delete row.seconds;
  }
  return rows;
}

function entitiesSection(view, summary) {
  const table = sortableTable({
    name: "Components", rows: summary, sortedBy: 2,
    onpick: row => view.select("component", view.chosen.component === row.name ? null : row.name),
    isPicked: row => row.name === view.chosen.component,
    columns: [
      {title: "Component", value: row => row.name, words: true},
      {title: "Invocations", value: row => row.number, text: count},
      {title: "Time", value: row => row.total, text: duration},
      {title: "Mean", value: row => row.number ? row.total / row.number : null, text: duration},
      {title: "p50", value: row => row.p50, text: duration},
      {title: "p99", value: row => row.p99, text: duration},
      {title: "Longest", value: row => row.number ? row.longest : null, text: duration},
      {title: "Waited", value: row => row.blocked, text: duration},
    ],
  });
  view.on("component", () => table.redraw());
  return {node: section("Components", "Choose one to see its spans alone in colour.", table.node), update() {}};
}

function instantsSection(instants) {
  const table = sortableTable({
    name: "Events", rows: instants,
    columns: [
      {title: "Time", value: row => known(row.time), text: at => moment(at, 0.01)},
      {title: "Kind", value: row => row.kind ?? null, words: true},
      {title: "Component", value: row => row.name ?? null, words: true},
      {title: "Detail", value: row => row.detail ?? null, words: true},
    ],
  });
  return {node: section("Events", "Moves of cores, errors, and parts of the network that came and went.", table.node), update() {}};
}
