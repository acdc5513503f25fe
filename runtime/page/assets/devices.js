// Devices and resources of a run: which part of the records ran on a device, what they cost there, what was in use.

// The part of its component's records that the device did; null: there was none.
function partOnDevice(report, device) {
  const component = report.components.find(one => one.name === device.component);
  return component?.invocations > 0 ? (device.records ?? device.invocations - device.errors) / component.invocations : null;
}

// The costs of records over their size on either side, with the crossing point; null where one side is not known.
function curvesOfDevice(device, logarithmic) {
  const {inputs, crossing} = device;
  const x = list(inputs?.x);
  const xs = [...new Set(x)].filter(isKnown).sort((a, b) => a - b);
  if (xs.length < 2) return null;
  const at = name => xs.map(value => known(list(inputs[name])[x.indexOf(value)]));
  const cores = at("on_cores");
  const slot = at("on_device");
  const crossed = isKnown(crossing) ? valueAt(xs, slot, crossing) : null;
  return curveChart({
    title: `${device.component} on cores and on ${device.device}`,
    hint: "x is the predictor value of recent records. The band ends where all slots are in use. The point is where both take the same time.",
    xs, logarithmic, atText: compact, atLabel: "x",
    columns: [
      {label: "a lane of cores", colour: hue(0), mean: cores, low: cores, high: cores},
      {label: "a slot of " + device.device, colour: hue(1), mean: slot, low: slot, high: at("on_full_device")},
    ],
    dots: crossed === null ? [] : [{at: crossing, seconds: crossed, colour: variable("ink")}],
  });
}

function devicesSection(view) {
  const table = sortableTable({
    name: "Devices", rows: [],
    onpick: row => view.select("component", row.component), isPicked: row => row.component === view.chosen.component,
    columns: [
      {title: "Component", value: row => row.component, words: true},
      {title: "Device", value: row => row.device, words: true},
      {title: "Slots", value: row => known(row.slots), text: count},
      {title: "Most in use", value: row => known(row.peak), text: count, hint: "By all components of the device"},
      {title: "Busy", value: row => row.busy, cell: row => shareBar(row.busy, "busy"), hint: "Part of the slots\u2019 time that the component had"},
      {title: "Invocations", value: row => known(row.invocations), text: count},
      {title: "Records", value: row => row.part, text: percent, hint: "Part of the component\u2019s records that ran on the device"},
      {title: "Mean", value: row => known(row.mean_seconds), text: duration, hint: "Seconds of a record on the device"},
      {title: "Crossing", value: row => known(row.crossing), text: significant, hint: "Predictor value from which the device is faster"},
      {title: "Errors", value: row => known(row.errors), text: count},
    ],
  });
  const charts = element("div", {class: "pair"});
  let drawn = [];
  let last = null;
  view.onWidth(charts, () => drawn.forEach(chart => chart.draw()));
  view.onEnd(() => drawn.forEach(chart => chart.end()));
  const made = section("Devices", "Components that run on a device as well. Each record runs where it is expected to be done first.", table.node, charts);
  const fill = () => {
    const {report} = view;
    const devices = list(report.devices);
    made.hidden = !devices.length;
    table.update(devices.map(device => ({
      ...device, part: partOnDevice(report, device),
      busy: report.seconds > 0 && device.slots > 0 ? Math.min(1, (device.total_seconds ?? 0) / (report.seconds * device.slots)) : null,
    })));
    const fresh = JSON.stringify(devices.map(device => [device.inputs, device.crossing]));
    if (fresh === last) return;
    last = fresh;
    drawn.forEach(chart => chart.end());
    drawn = devices.slice(0, 8).map(device => curvesOfDevice(device, false)).filter(Boolean);
    charts.replaceChildren(...drawn.map(chart => chart.node));
    drawn.forEach(chart => chart.draw());
  };
  fill();
  return {node: made, update: fill};
}

function resourcesSection(view) {
  const table = sortableTable({
    name: "Resources", rows: [],
    columns: [
      {title: "Resource", value: row => row.name, words: true},
      {title: "Total", value: row => known(row.total), text: count},
      {title: "In use", value: row => known(row.in_use), cell: row => shareBar(row.total > 0 ? row.in_use / row.total : null, "busy"), hint: "By the invocations that run now, of all runs of the machine"},
      {title: "Most in use", value: row => known(row.peak), cell: row => shareBar(row.total > 0 ? row.peak / row.total : null, "busy")},
    ],
  });
  const waits = sortableTable({
    name: "Waits for resources", rows: [],
    onpick: row => view.select("component", row.name), isPicked: row => row.name === view.chosen.component,
    columns: [
      {title: "Component", value: row => row.name, words: true},
      {title: "Invocations that waited", value: row => known(row.resource_waits), text: count},
      {title: "Time", value: row => known(row.resource_wait_seconds), text: duration, hint: "That they waited, together"},
    ],
  });
  const made = section("Resources", "What invocations need besides cores: they begin when their part of each is free.", table.node, waits.node);
  const fill = () => {
    made.hidden = !list(view.report.resources).length;
    const waiting = view.report.components.filter(component => component.resource_waits > 0);
    waits.node.hidden = !waiting.length;
    table.update(list(view.report.resources));
    waits.update(waiting);
  };
  fill();
  return {node: made, update: fill};
}
