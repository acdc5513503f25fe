// The section of a run's network: its drawing, or a table where there are too many nodes.

const mostNodes = 400;  // more than that is no drawing that one can read, and takes seconds to lay out

function networkSection(view) {
  const graph = graphOf(view.report);
  if (graph.leftOut > 0 || graph.nodes.length > mostNodes) return networkTable(view, graph);
  if (!graph.nodes.length) return {node: section("Network", null, element("p", {class: "note"}, "The report names no component.")), update() {}};

  const place = element("div", {class: "network", tabindex: 0, role: "region", "aria-label": "Drawing of the network"});
  const note = element("p", {class: "note"}, graph.isExpression ? "" : "The expression is not in this report, so this shows which component sends to which.");
  let drawing = null;
  let narrow = null;
  let size = 1;

  function lay() {
    narrow = place.clientWidth > 0 ? place.clientWidth < 600 : innerWidth < 700;
    try {
      drawing = networkDrawing(view, graph, narrow);
    } catch (error) {  // a layout is worth less than the rest of the page
      note.textContent = "The network could not be laid out: " + error.message;
      return;
    }
    place.replaceChildren(drawing.svg);
    fit();
    drawing.paint(view.report);
  }

  // As large as the page is wide, but not so small that names cannot be read: then it scrolls.
  function fit() {
    if (!drawing) return;
    const scale = Math.max(0.78, Math.min(1, (place.clientWidth - 2) / drawing.width)) * size;
    styled(drawing.svg, {width: drawing.width * scale + "px", height: drawing.height * scale + "px"});
    styled(place, {"max-height": Math.max(240, Math.min(drawing.height * scale + 24, 720)) + "px"});
  }

  view.onWidth(place, () => {
    if (!place.clientWidth) return;
    if (drawing === null || narrow !== place.clientWidth < 600) lay();
    else fit();
  });
  view.on("component", () => drawing?.choose());

  const resize = factor => () => {
    size = factor === 0 ? 1 : Math.max(0.3, Math.min(4, size * factor));
    fit();
  };
  return {
    node: section("Network", "Components with their cores, and the streams between them. Choose a component to see its model.",
      element("div", {class: "controls"},
        legend([[variable("busy"), "busy, share of the time"], [variable("held"), "no room behind it", null, noRoomWords], [variable("idle"), "neither"]]),
        legend([...fullness.map(step => [variable(step.name), step.words, "line"]), [variable("fullness-unknown"), "not known", "line"]], "Streams"),
        element("div", {class: "buttons", role: "group", "aria-label": "Size of the drawing"},
          button("+", resize(1.25), {"aria-label": "Larger", title: "Larger"}), button("\u2212", resize(0.8), {"aria-label": "Smaller", title: "Smaller"}), button("Fit", resize(0)))),
      place, note),
    update() { drawing?.paint(view.report); },
  };
}

// The components with the most time, where there are too many nodes for a drawing.
function networkTable(view, graph) {
  const total = graph.leftOut > 0 ? graph.leftOut + graph.nodes.length : graph.nodes.length;
  const most = 12;
  const chosen = () => [...view.report.components].sort((a, b) => workOf(b) - workOf(a)).slice(0, most);
  const table = sortableTable({
    name: "Components with the most time", rows: chosen(), onpick: component => view.select("component", component.name),
    columns: [
      {title: "Component", value: row => row.name, words: true},
      {title: "Cores", value: row => row.cores, text: count},
      {title: "Busy", value: row => shareOfTime(row)?.busy ?? null, cell: row => shareBar(shareOfTime(row)?.busy, "busy")},
      {title: "Invocations", value: row => row.invocations, text: count},
      {title: "Mean", value: row => known(row.mean_seconds), text: duration},
    ],
  });
  return {
    node: section("Network", `The network has ${count(total)} nodes, too many for a drawing. These ${several(Math.min(most, view.report.components.length), "component")} of ${count(view.report.components.length)} took the most time.`, table.node),
    update() { table.update(chosen()); },
  };
}

// A share of the time as a bar, with the number beside it.
function shareBar(part, kind) {
  if (!isKnown(part)) return unknown;
  return element("span", {class: "share-cell"},
    element("span", {class: "share", "aria-hidden": "true"}, styled(element("i", {class: kind}), {width: Math.max(0, Math.min(1, part)) * 100 + "%"})),
    element("span", {}, percent(part)));
}

function shareWords(share) {
  return `busy ${percent(share.busy)}, without room behind it ${percent(share.heldUp)} of the time`;
}
