// The drawing of a network: dagre lays it out, components are coloured by what they did, streams by how full they were.

const withoutComponent = {input: "in", output: "out", filter: "filter", sync: "synchrocell", bypass: "bypass", choice: "choice", merge: "merge"};

const nodeFont = '600 13px system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const detailFont = nodeFont.replace("600 13px", "11px");
const measure = document.createElement("canvas").getContext("2d");

function widthOf(text, font) {
  measure.font = font;
  return measure.measureText(text).width;
}

function networkDrawing(view, graph, downwards) {
  const layout = new dagre.graphlib.Graph({compound: true, multigraph: true});
  layout.setGraph({rankdir: downwards ? "TB" : "LR", nodesep: 22, ranksep: downwards ? 36 : 16, edgesep: 14, marginx: 12, marginy: 12});
  layout.setDefaultEdgeLabel(() => ({}));

  // Only groups with something in them: dagre cannot place the others.
  const inUse = new Set();
  for (const node of graph.nodes)
    for (let group = node.group; group !== null && graph.groups[group] && !inUse.has(group); group = graph.groups[group].group) inUse.add(group);
  for (const group of inUse) layout.setNode("g" + group, {});
  for (const group of inUse) {
    const around = graph.groups[group].group;
    if (around !== null && inUse.has(around) && around !== group) layout.setParent("g" + group, "g" + around);
  }
  graph.nodes.forEach((node, i) => {
    layout.setNode("n" + i, sizeOf(node));
    if (node.group !== null && inUse.has(node.group)) layout.setParent("n" + i, "g" + node.group);
  });
  graph.edges.forEach((edge, i) => {
    if (!graph.nodes[edge.from] || !graph.nodes[edge.to]) return;
    const [from, to] = edge.back ? [edge.to, edge.from] : [edge.from, edge.to];
    layout.setEdge("n" + from, "n" + to, {width: downwards ? 64 : 36, height: 18, labelpos: "c", weight: edge.back ? 0 : 1}, "e" + i);
  });
  dagre.layout(layout);

  const {width, height} = layout.graph();
  const topLabels = 18;  // of the boxes around, which dagre leaves no room for
  const svg = svgElement("svg", {viewBox: `0 ${-topLabels} ${width} ${height + topLabels}`, role: "group", "aria-label": "Network"});
  const arrow = fullness.concat([{name: "fullness-unknown"}]).map(({name}) => svgElement("marker",
    {id: "arrow-" + name, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse"},
    svgElement("path", {d: "M0 0.5 L8 4 L0 7.5 Z", fill: variable(name)})));
  svg.append(svgElement("defs", {}, arrow));

  const depth = group => graph.groups[group].group === null || !inUse.has(graph.groups[group].group) ? 0 : 1 + depth(graph.groups[group].group);
  for (const group of [...inUse].sort((a, b) => depth(a) - depth(b))) {
    const box = layout.node("g" + group);
    const {kind} = graph.groups[group];
    const label = labelOfGroup(graph.groups[group]);
    const words = kind === "named" ? label : kind === label || !label ? kind : `${kind} ${label}`;
    const room = Math.max(3, Math.floor((box.width - 12) / 6.6));
    const drawn = svgElement("g", {class: "group " + kind},
      svgElement("rect", {x: box.x - box.width / 2, y: box.y - box.height / 2 - 14, width: box.width, height: box.height + 14, rx: 8}),
      svgElement("text", {x: box.x - box.width / 2 + 8, y: box.y - box.height / 2}, shortened(words, room)));
    drawn.append(svgElement("title", {}, words));
    svg.append(drawn);
  }

  const edges = graph.edges.map((edge, i) => {
    const placed = graph.nodes[edge.from] && graph.nodes[edge.to]
      ? layout.edge({v: "n" + (edge.back ? edge.to : edge.from), w: "n" + (edge.back ? edge.from : edge.to), name: "e" + i}) : null;
    if (!placed) return null;
    const {line, at} = edge.from === edge.to ? loopBelow(layout.node("n" + edge.from))
      : {line: curveThrough(edge.back ? [...placed.points].reverse() : placed.points), at: downwards ? [placed.x + 6, placed.y + 4] : [placed.x, placed.y - 6]};
    const path = svgElement("path", {d: line, class: "edge" + (edge.back ? " back" : "")});
    const label = svgElement("text", {x: at[0], y: at[1], class: "edge-label" + (downwards && edge.from !== edge.to ? " beside" : "")});
    const wide = svgElement("path", {d: line, class: "edge-area"});
    const drawn = svgElement("g", {}, path, label, wide);
    svg.append(drawn);
    return {drawn, path, label, edge};
  });

  const nodes = graph.nodes.map((node, i) => {
    const box = layout.node("n" + i);
    const drawn = node.component !== null && node.component !== undefined ? componentNode(view, node, box) : plainNode(node, box);
    svg.append(drawn.node);
    return drawn;
  });

  let onEdges = [];
  edges.forEach((edge, i) => edge && withTip(edge.drawn, () => edgeLines(graph, edge.edge, onEdges[i])));

  return {
    svg, width, height: height + topLabels,
    paint(report) {
      onEdges = streamsOnEdges(graph, report);
      const most = Math.max(1, ...onEdges.map(on => on?.records ?? 0));
      edges.forEach((edge, i) => {
        if (!edge) return;
        const on = onEdges[i];
        const step = on && isKnown(on.full) ? fullness.find(one => on.full < one.upTo).name : "fullness-unknown";
        styled(edge.path, {stroke: `var(--${step})`, "stroke-width": on?.records ? (1.5 + 2 * Math.log1p(on.records) / Math.log1p(most)).toFixed(2) : 1.25});
        edge.path.setAttribute("marker-end", `url(#arrow-${step})`);
        edge.label.textContent = on ? (on.about ? "\u2248 " : "") + compact(on.records) : "";
      });
      for (const node of nodes) node.paint?.(report);
      this.choose();
    },
    choose() {
      for (const node of nodes) node.node.classList.toggle("chosen", node.component !== undefined && node.component === view.chosen.component);
    },
  };
}

function sizeOf(node) {
  if (node.component !== null && node.component !== undefined)
    return {width: Math.max(120, Math.min(220, widthOf(shortened(nameIn(node), 26), nodeFont) + 28)), height: 60};
  if (node.kind === "choice" || node.kind === "merge" || node.kind === "bypass") return {width: 22, height: 22};
  return {width: Math.max(44, Math.min(220, widthOf(shortened(node.label || node.kind, 32), detailFont) + 22)), height: 28};
}

// The way back from a node to itself, below it.
function loopBelow({x, y, width, height}) {
  const [bottom, reach] = [y + height / 2, Math.min(30, width / 4)];
  return {line: `M${x + reach} ${bottom} C${x + reach} ${bottom + 24}, ${x - reach} ${bottom + 24}, ${x - reach} ${bottom + 1}`, at: [x, bottom + 31]};
}

// What a node is called in its box: a component by its name, the label of a box of the network repeats its type.
function nameIn(node) {
  return node.component || node.label;
}

function componentNode(view, node, box) {
  const {width, height} = box;
  const [left, top] = [box.x - width / 2, box.y - height / 2];
  const component = () => view.report.components[view.report.byName.get(node.component)];
  const detail = svgElement("text", {x: left + 12, y: top + 36});
  const part = svgElement("text", {x: left + width - 12, y: top + 36, class: "part-busy"});
  const bar = (name, at, high) => svgElement("rect", {x: left + 12, y: top + at, height: high, rx: 1.5, width: width - 24, class: name});
  const [ground, busy, held] = [bar("idle", 43, 9), bar("busy", 43, 5), bar("held", 49, 3)];
  const choose = () => view.select("component", node.component);
  const drawn = svgElement("g", {
    class: "component", tabindex: 0, role: "button", onclick: choose,
    onkeydown: event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    },
  },
  svgElement("rect", {x: left, y: top, width, height, rx: 7, class: "body"}),
  svgElement("text", {x: left + 12, y: top + 20, class: "name"}, fittingText(nameIn(node), nodeFont, width - 24)),
  detail, part, ground, busy, held);
  withTip(drawn, () => componentLines(component(), node));
  return {
    node: drawn, component: node.component,
    paint() {
      const one = component();
      const share = one ? shareOfTime(one) : null;
      const room = width - 24;
      busy.setAttribute("width", room * (share?.busy ?? 0));
      held.setAttribute("width", room * (share?.heldUp ?? 0));
      for (const state of ["busy", "held", "idle", "unknown"]) drawn.classList.toggle("is-" + state, (one ? stateOf(one) : "unknown") === state);
      part.textContent = share ? percent(share.busy) : "";
      const left = room - widthOf(part.textContent, detailFont) - 8;
      const all = one ? [placeInShort(one), ...(one.cores > 0 ? [several(one.cores, "core")] : [])] : ["not run yet"];
      const words = all.find(text => widthOf(text, detailFont) <= left) ?? all[0];
      detail.textContent = fittingText(words, detailFont, left);
      drawn.setAttribute("aria-label", printable(`${node.component}, ${one ? placeInShort(one) : ""}${share ? ", " + shareWords(share) : ""}`));
    },
  };
}

function fittingText(text, font, width) {
  measure.font = font;
  return fitting(measure, printable(text), width) || "\u2026";
}

function placeInShort(component) {
  if (component.cores > 0) return `${several(component.cores, "core")}${component.width !== component.cores ? `, ${several(component.width, "lane")}` : ""}`;
  return /inline/.test(component.place ?? "") ? "inline" : /outside/.test(component.place ?? "") ? "outside" : "shared";
}

function componentLines(component, node) {
  if (!component) return [node.component, "It has not run yet."];
  const share = shareOfTime(component);
  return [component.name,
    ["kind", node?.kind ?? "box"],
    ["place", component.place || unknown],
    ["busy", percent(share?.busy)], ["no room behind it", percent(share?.heldUp)],
    ["invocations", count(component.invocations)],
    ["mean", duration(component.mean_seconds)],
    ["predicted for a record", duration(component.predicted_seconds)],
    ["predicted busy", percent(component.predicted_utilisation)],
    ...(component.failures ? [["failures", count(component.failures)]] : [])];
}

function plainNode(node, box) {
  const {x, y, width, height} = box;
  const words = withoutComponent[node.kind] ?? node.kind;
  const isPoint = node.kind === "choice" || node.kind === "merge" || node.kind === "bypass";
  const form = node.kind === "choice" || node.kind === "merge"
    ? svgElement("path", {d: `M${x} ${y - 11} L${x + 11} ${y} L${x} ${y + 11} L${x - 11} ${y} Z`, class: "body"})
    : svgElement("rect", {x: x - width / 2, y: y - height / 2, width, height, rx: isPoint || node.kind === "input" || node.kind === "output" ? height / 2 : 4, class: "body"});
  const label = node.label || words;
  const drawn = svgElement("g", {class: "plain " + node.kind, role: "img", "aria-label": printable(`${words} ${node.label ?? ""}`)}, form,
    isPoint ? svgElement("text", {x, y: y + 4, class: "sign"}, node.kind === "choice" ? "|" : "") : svgElement("text", {x, y: y + 4}, fittingText(label, detailFont, width - 16)));
  if (node.label && node.label !== words) withTip(drawn, () => [words, node.label]);
  else withTip(drawn, () => [words]);
  return {node: drawn};
}

function edgeLines(graph, edge, on) {
  const name = at => graph.nodes[at].component ?? (graph.nodes[at].label || graph.nodes[at].kind);
  const lines = [`${shortened(name(edge.from), 40)} \u2192 ${shortened(name(edge.to), 40)}`];
  if (!on) return [...lines, "No stream of its own: the next component ran inline."];
  lines.push(["records", (on.about ? "about " : "") + count(on.records)]);
  for (const stream of on.streams.slice(0, 4)) {
    if (on.streams.length > 1) lines.push(`${shortened(stream.from, 30)} \u2192 ${shortened(stream.to, 30)}`);
    lines.push(["full, on the average", percent(fullnessOf(stream))], ["waited on the average", significant(stream.occupancy)],
      ["most waiting", `${count(stream.peak)} of ${stream.capacity ? count(stream.capacity) : "any number"}`],
      ["held up writers for", duration(stream.blocked_seconds)]);
  }
  if (on.streams.length > 4) lines.push(`and ${on.streams.length - 4} more streams`);
  if (on.about) lines.push("From the traffic between components: there was no stream here at the end.");
  return lines;
}

// A smooth line through the points of an edge.
function curveThrough(points) {
  const at = point => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  if (points.length < 3) return "M" + points.map(at).join(" L");
  let path = "M" + at(points[0]);
  for (let i = 1; i < points.length - 1; ++i) {
    const end = i === points.length - 2 ? points[i + 1] : {x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2};
    path += ` Q${at(points[i])} ${at(end)}`;
  }
  return path;
}
