// The network as a graph: its nodes, groups and edges, and which streams lie on an edge.

// {nodes, groups, edges, leftOut}: the expression where there is one, else who sends to whom.
function graphOf(report) {
  const graph = report.graph;
  if (list(graph?.nodes).length || graph?.left_out > 0)
    return {nodes: list(graph.nodes), groups: list(graph.groups), edges: list(graph.edges), leftOut: graph.left_out ?? 0, isExpression: true};
  const nodes = report.components.map(({name}) => ({kind: "box", label: name, component: name, group: null}));
  const at = new Map(nodes.map((node, i) => [node.component, i]));
  const end = (name, kind) => {
    if (!at.has(name) && name.replace(/^\(+|\)+$/g, "") === kind) {  // in parentheses: a component is called so
      at.set(name, nodes.length);
      nodes.push({kind, label: kind, component: null, group: null});
    }
    return at.get(name);
  };
  const edges = [];
  const pairs = new Set();
  for (const {from, to} of [...report.links, ...report.streams]) {
    const [a, b] = [end(from, "input"), end(to, "output")];
    if (a === undefined || b === undefined || pairs.has(`${a} ${b}`)) continue;
    pairs.add(`${a} ${b}`);
    edges.push({from: a, to: b});
  }
  return {nodes, groups: [], edges, leftOut: 0, isExpression: false};
}

// The names that streams give to what lies on an edge besides its ends: the parts of the runtime that it passes as it
// leaves groups and enters others.
function passedOn(edge, graph) {
  const around = at => {
    const groups = [];
    for (let group = graph.nodes[at].group; group !== null && graph.groups[group] && !groups.includes(group); group = graph.groups[group].group) groups.push(group);
    return groups;
  };
  const [left, entered] = [around(edge.from), around(edge.to)];
  const names = [];
  if (edge.back) names.push("feedback", "feedback again");
  for (const group of left) if (!entered.includes(group) && graph.groups[group].kind !== "named") names.push(graph.groups[group].kind);
  for (const group of entered) {
    const {kind} = graph.groups[group];
    if (left.includes(group) || kind === "named") continue;
    names.push(kind);
    if (kind === "split") names.push("split " + labelOfGroup(graph.groups[group]));
  }
  return names;
}

// Without the sign of the combinator, which its kind says in a word.
function labelOfGroup({label}) {
  return String(label ?? "").replace(/^[!*\\] /, "");
}

// How streams name a node; a node without a component is not always an end of a stream, since it may run inline.
function namesOfNode(node) {
  if (isComponent(node)) return [node.component];
  const words = {input: "input", output: "output", sync: "synchrocell", choice: "choice"}[node.kind];
  return [words, node.label].filter(Boolean);
}

function isComponent(node) {
  return node.component !== null && node.component !== undefined;
}

// For each edge the streams that lie on it, or else the traffic between the components at its ends. A stream is known by
// the names at its ends, so it lies on every edge between them that no other component interrupts.
function streamsOnEdges(graph, report) {
  const [incoming, outgoing] = [graph.nodes.map(() => []), graph.nodes.map(() => [])];
  graph.edges.forEach((edge, i) => {
    outgoing[edge.from]?.push(i);
    incoming[edge.to]?.push(i);
  });
  const passed = graph.edges.map(edge => graph.nodes[edge.from] && graph.nodes[edge.to] ? passedOn(edge, graph) : []);
  // What is met from an edge on, up to the nearest components.
  const met = (start, side, edgesAt) => {
    const names = new Set(passed[start]);
    const visited = new Set();
    const left = [graph.edges[start][side]];
    while (left.length) {
      const at = left.pop();
      const node = graph.nodes[at];
      if (visited.has(at) || !node) continue;
      visited.add(at);
      for (const name of namesOfNode(node)) names.add(name);
      if (isComponent(node)) continue;
      for (const edge of edgesAt[at]) {
        for (const name of passed[edge]) names.add(name);
        left.push(graph.edges[edge][side]);
      }
    }
    return names;
  };
  const byReader = of => {
    const table = new Map();
    for (const one of of) table.set(one.to, [...(table.get(one.to) ?? []), {...one, writers: String(one.from).split(" | ")}]);
    return table;
  };
  const [streams, links] = [byReader(report.streams), byReader(report.links)];
  return graph.edges.map((_, edge) => {
    const [before, after] = [met(edge, "from", incoming), met(edge, "to", outgoing)];
    // Of several writers there is one stream: it begins where their ways have met.
    const between = table => [...after].flatMap(name => (table.get(name) ?? []).filter(one => one.writers.every(writer => before.has(writer))));
    const here = between(streams);
    if (here.length) {
      const parts = here.map(fullnessOf).filter(isKnown);
      const first = here.filter(one => passed[edge].includes(one.to));
      return {records: sumBy(first.length ? first : here, one => one.records), full: parts.length ? Math.max(...parts) : null, streams: here};
    }
    const linked = between(links);
    return linked.length ? {records: sumBy(linked, one => one.records) * (report.sent ?? 0), full: null, streams: [], about: true} : null;
  });
}

function sumBy(of, value) {
  return of.reduce((sum, one) => sum + (value(one) ?? 0), 0);
}
