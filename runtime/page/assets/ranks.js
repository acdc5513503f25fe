// A run on several ranks: what each has done, on which cores, and how far it is from rank 0.

// The parts of a bar of a rank's cores: the owners with their cores, then what is left to those that own none.
function coresOfRank(rank) {
  const parts = list(rank.components).filter(part => part.cores > 0).map(part => ({name: part.name, cores: part.cores}));
  const left = Math.max(0, (rank.cores ?? 0) - parts.reduce((sum, part) => sum + part.cores, 0));
  const sharing = list(rank.components).filter(part => !(part.cores > 0));
  if (left > 0) parts.push({name: sharing.length ? "shared by " + sharing.map(part => part.name).join(", ") : "idle", cores: left, isRest: true});
  return parts;
}

function rankBar(owners, rank, mostCores) {
  return element("div", {class: "rank", "data-rank": rank.rank},
    element("span", {class: "rank-name"}, `rank ${rank.rank}`),
    styled(element("div", {class: "rank-cores", role: "img", "aria-label": `Rank ${rank.rank}: ` + coresOfRank(rank).map(part => `${several(part.cores, "core")} ${part.name}`).join(", ")},
      coresOfRank(rank).map(part => {
        const colour = part.isRest ? null : hue(owners.get(part.name) ?? 0);
        const made = styled(element("span", {class: part.isRest ? "rest" : null}, shortened(part.name, 40)), {flex: String(part.cores)});
        if (colour) styled(made, {background: colour, color: inkOn(colour)});
        return withTip(made, () => [part.name, ["Cores", `${part.cores} of ${rank.cores}`]]);
      })), {width: 100 * Math.max(rank.cores ?? 0, 1) / mostCores + "%"}));
}

function ranksSection(view) {
  const bars = element("div", {class: "ranks"});
  const machines = sortableTable({
    name: "Ranks", rows: [],
    columns: [
      {title: "Rank", value: row => row.rank, text: count},
      {title: "Machine", value: row => row.machine || "has told nothing", words: true},
      {title: "Cores", value: row => known(row.cores), text: count},
      {title: "Invocations", value: row => list(row.components).reduce((sum, part) => sum + (part.invocations ?? 0), 0), text: count},
      {title: "Latency", value: row => known(row.latency), text: duration, hint: "One way from rank 0, measured by plain MPI at the start"},
      {title: "Small message", value: row => known(row.record_seconds), text: duration, hint: "Each of many"},
      {title: "Bandwidth", value: row => known(row.bytes_per_second), text: value => isKnown(value) ? bytes(value) + "/s" : unknown},
    ],
  });
  const parts = sortableTable({
    name: "Components by rank", rows: [],
    onpick: row => view.select("component", row.name), isPicked: row => row.name === view.chosen.component,
    columns: [
      {title: "Component", value: row => row.name, words: true},
      {title: "Rank", value: row => row.rank, text: count},
      {title: "Place", value: row => row.place ?? null, words: true},
      {title: "Cores", value: row => known(row.cores), text: count},
      {title: "Invocations", value: row => known(row.invocations), text: count},
      {title: "Time", value: row => known(row.total_seconds), text: duration, hint: "Of the invocations that were timed"},
      {title: "Busy", value: row => known(row.busy), cell: row => shareBar(known(row.busy), "busy"), hint: "Part of the run\u2019s time in which its lanes computed"},
    ],
  });
  view.on("component", () => parts.redraw());
  const made = section("Ranks", "Processes that run this network together. Charts of cores and decisions are those of rank 0.", bars, machines.node, parts.node);
  const fill = () => {
    const ranks = list(view.report.ranks);
    made.hidden = ranks.length < 2;
    const mostCores = Math.max(1, ...ranks.map(rank => rank.cores ?? 0));
    bars.replaceChildren(...ranks.slice(0, 64).map(rank => rankBar(ownersOf(view.report), rank, mostCores)));
    machines.update(ranks);
    parts.update(ranks.flatMap(rank => list(rank.components).map(part => ({...part, rank: rank.rank}))));
  };
  fill();
  return {node: made, update: fill};
}
