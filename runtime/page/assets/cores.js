// Who had which core when.

// For each core its periods, one after the other: {from, to, owner: name or null, shared: the group lies on it}.
function corePeriods(report) {
  const cores = Array.from({length: report.cores}, () => []);
  const {decisions} = report;
  const lost = report.decisions_total > decisions.length;  // then those after the first are the newest
  for (let i = 0; i < decisions.length; ++i) {
    const until = i + 1 < decisions.length ? decisions[i + 1].time : report.seconds;
    if (lost && i === 0) continue;  // it is not known how long it was in force
    const holders = holdersOf(decisions[i].to, report.cores);
    holders.forEach((holder, core) => {
      const last = cores[core].at(-1);
      if (last && last.to === decisions[i].time && last.owner === holder.owner && last.shared === holder.shared) last.to = until;
      else if (holder.owner !== null || holder.shared) cores[core].push({from: decisions[i].time, to: until, ...holder});
    });
  }
  return cores;
}

function holdersOf(allotment, cores) {
  const holders = Array.from({length: cores}, () => ({owner: null, shared: false}));
  for (const [name, share] of Object.entries(allotment?.components ?? {}))
    for (const core of coreNumbers(share.core_set)) if (holders[core]) holders[core].owner = name;
  for (const core of coreNumbers(allotment?.shared_core_set)) if (holders[core]) holders[core].shared = true;
  return holders;
}

function coresSection(view) {
  const note = element("p", {class: "note"});
  const key = element("div");
  let periods = [];
  let remarks = "";
  let chart = null;

  function read() {
    const {report} = view;
    periods = corePeriods(report);
    const owners = new Set(periods.flat().map(period => period.owner));
    const named = [...report.owners].filter(([name]) => owners.has(name));
    const most = 24;
    key.replaceChildren(legend([...named.slice(0, most).map(([name, i]) => [hue(i), name]), [null, "shared group", "hatched", sharedWords], [null, "no owner", "empty"]]));
    const words = [];
    if (!periods.some(core => core.length)) words.push("It was not recorded which cores the decisions gave.");
    if (named.length > most) words.push(`${count(named.length - most)} more owners have colours and names in the chart, but not here.`);
    if (report.decisions_total > report.decisions.length) words.push(`${count(report.decisions_total - report.decisions.length)} decisions after the first are not kept, so the time before the others is empty.`);
    remarks = note.textContent = words.join(" ");
    chart.node.hidden = key.hidden = !periods.some(core => core.length);
  }

  const lanes = Math.max(1, view.report.cores);
  const laneHeight = Math.max(3, Math.min(22, 640 / lanes));
  const fill = (ctx, period, index) => {
    if (period.owner === null) return hatch(ctx, variable("hatch"), variable("hatch-ground"));
    const colour = hue(view.report.owners.get(period.owner) ?? index);
    return period.shared ? hatch(ctx, variable("hatch"), colour) : colour;
  };

  function draw(plot) {
    const {ctx} = plot;
    const pixel = devicePixelRatio || 1;
    const {left, top, width, height} = plot.box;
    const patterns = new Map();
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = `${11 * pixel}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    const lane = height / lanes;
    const gap = lane > 6 * pixel ? pixel : 0;
    let narrow = 0;
    periods.forEach((core, number) => {
      for (const period of core) {
        const from = Math.max(left, plot.onCanvasX(period.from));
        const to = Math.min(left + width, plot.onCanvasX(period.to));
        if (to < left || from > left + width || to < from) continue;
        if (to - from < pixel) ++narrow;
        const id = `${period.shared}${period.owner}`;
        if (!patterns.has(id)) patterns.set(id, fill(ctx, period, 0));
        ctx.fillStyle = patterns.get(id);
        const y = top + number * lane;
        ctx.fillRect(from, y + gap / 2, Math.max(to - from, pixel), lane - gap);
        const above = periods[number - 1]?.some(other => other.owner === period.owner && other.shared === period.shared && other.from === period.from);
        if (!above && lane >= 12 * pixel && to - from > 40 * pixel) {
          const text = fitting(ctx, period.owner === null ? "shared" : printable(period.owner), to - from - 10 * pixel);
          const colour = period.owner === null ? variable("hatch-ground") : hue(view.report.owners.get(period.owner) ?? 0);
          if (period.owner === null || period.shared) {  // no lines behind letters
            ctx.fillStyle = colour;
            ctx.fillRect(from + 3 * pixel, y + gap, text ? ctx.measureText(text).width + 4 * pixel : 0, lane - 2 * gap);
          }
          ctx.fillStyle = period.owner === null ? variable("ink") : inkOn(colour);
          if (text) ctx.fillText(text, from + 5 * pixel, y + lane / 2);
        }
      }
    });
    ctx.restore();
    note.textContent = [remarks, narrow ? `${several(narrow, "period")} of a core in sight ${narrow === 1 ? "is" : "are"} shorter than a pixel, and drawn as one pixel. Zoom in to see them.` : ""].filter(Boolean).join(" ");
  }

  chart = timeChart(view, {
    height: Math.round(lanes * laneHeight) + 44, draw, ...lanesOf(lanes, number => "core " + number),
    hoverLines: (plot, time, at) => {
      const core = Math.floor(at);
      const period = periods[core]?.find(one => time >= one.from && time <= one.to);
      if (!period) return core >= 0 && core < lanes ? ["no owner", ["core", String(core)], ["time", momentAndClock(time, view.report.began)]] : null;
      return [period.owner ?? "shared group",
        ["core", String(core)],
        ["from", instant(period.from, view.report.seconds)], ["to", instant(period.to, view.report.seconds)], ["for", duration(period.to - period.from)],
        ...(period.owner !== null && period.shared ? ["The shared group lies on this core: it runs between this owner\u2019s invocations."] : [])];
    },
  });
  read();
  return {
    node: section("Cores over time", "One lane a core, in the colour of its owner. Drag to zoom all charts over time, double-click to see the whole run.", key, chart.node, note),
    update() {
      read();
      chart.update();
    },
  };
}

// What a chart of lanes has in the place of lines: an axis with as many names as fit.
function lanesOf(lanes, nameOf) {
  return {
    lines: [{colour: "#000000", width: 0}], columns: () => [[], []], rangeY: () => [lanes, 0], gridY: false,
    ticksY: (from, to, pixels) => {
      const each = Math.max(1, Math.ceil(14 * lanes / pixels));
      return Array.from({length: Math.ceil(lanes / each)}, (_, i) => ({v: i * each + 0.5, label: shortened(nameOf(i * each), innerWidth < 600 ? 7 : 10)}));
    },
  };
}

// The text, or its beginning, that is no wider than `width`; empty where even three letters are.
function fitting(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let letters = Array.from(text).slice(0, 40);
  while (letters.length > 2 && ctx.measureText(letters.join("") + "\u2026").width > width) letters.pop();
  return letters.length > 2 ? letters.join("") + "\u2026" : "";
}
