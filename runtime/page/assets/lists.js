// Everything of a run as tables: components, streams, errors.

const noRoomWords = "Part of the run\u2019s time in which a stream behind the component was full, so that what it made had to wait. What bounds the run is further on.";
const placesNeededWords = "Records that a stream should have room for, by the models at the rate of the run, so that one record in twenty at most finds it full. More capacity than that gains little, less holds up its writers. 64 stands for 64 or more.";
const sharedWords = "The shared group: cores for all components that have none of their own. Hatched over a colour, the group lies on that owner\u2019s core and runs between the owner\u2019s invocations.";

function componentsSection(view) {
  const table = sortableTable({
    name: "Components", rows: view.report.components,
    onpick: component => view.select("component", component.name),
    isPicked: component => component.name === view.chosen.component,
    columns: [
      {title: "Component", value: row => row.name, words: true},
      {title: "Place", value: row => row.place ?? null, words: true},
      {title: "Cores", value: row => known(row.cores), text: count},
      {title: "Width", value: row => known(row.width), text: count, hint: "Lanes: invocations at the same time"},
      {title: "Invocations", value: row => known(row.invocations), text: count},
      {title: "Mean", value: row => known(row.mean_seconds), text: duration, hint: "Seconds an invocation"},
      {title: "Busy", value: row => known(row.busy) ?? known(row.utilisation), cell: row => shareBar(known(row.busy) ?? known(row.utilisation), "busy"), hint: "Part of the run\u2019s time in which its lanes computed"},
      {title: "No room", value: row => known(row.held_up), cell: row => shareBar(row.held_up, "held"), hint: noRoomWords},
      {title: "Predicted", value: row => known(row.predicted_seconds), text: duration, hint: "Seconds for each record that enters, by its model"},
      {title: "Predicted busy", value: row => known(row.predicted_utilisation), text: percent},
      {title: "Failures", value: row => known(row.failures), text: count},
    ],
  });
  view.on("component", () => table.redraw());
  return {
    node: section("Components", "Choose one to see its model.", table.node),
    update() { table.update(view.report.components); },
  };
}

function streamsSection(view) {
  const table = sortableTable({
    name: "Streams", rows: view.report.streams,
    columns: [
      {title: "From", value: row => row.from, words: true},
      {title: "To", value: row => row.to, words: true},
      {title: "Records", value: row => known(row.records), text: count},
      {title: "Capacity", value: row => known(row.capacity), text: value => value === 0 ? "unbounded" : count(value)},
      {title: "Full", value: fullnessOf, text: percent, hint: "Records that waited on the average, of the capacity now in force; at most 100 %"},
      {title: "Waiting", value: row => known(row.occupancy), text: significant, hint: "Records that waited on the average"},
      {title: "Most waiting", value: row => known(row.peak), text: count},
      {title: "Places needed", value: row => row.predicted > 0 ? row.predicted : null, text: count, hint: placesNeededWords},
      {title: "Writers waited", value: row => known(row.blocked_seconds), text: duration},
      {title: "Size", value: row => known(row.bytes), text: bytes},
    ],
  });
  return {
    node: section("Streams", "Where records wait between components. What runs inline is in no stream.", table.node),
    update() { table.update(view.report.streams); },
  };
}

function errorsSection(view) {
  const note = element("p", {class: "note"});
  const table = sortableTable({
    name: "Errors", rows: view.report.failures,
    columns: [
      {title: "Component", value: row => row.entity ?? null, words: true},
      {title: "Path", value: row => row.path ?? null, words: true},
      {title: "Cause", value: row => row.cause ?? null, words: true},
      {title: "Record", value: row => row.record ?? null, words: true},
    ],
  });
  const made = section("Errors", "Records that came to their end by an error, with their way through the network.", table.node, note);
  const fill = () => {
    const {report} = view;
    made.hidden = !report.failures.length && !(report.failed > 0);
    note.textContent = report.failures_not_shown > 0 ? `${several(report.failures_not_shown, "failure")} more: older ones, and those that the program took.` : "";
    table.update(report.failures);
  };
  fill();
  return {node: made, update: fill};
}
