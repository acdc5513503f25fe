// What the controller decided: in words, and as a list beside the marks in the charts.

// What a decision moved, in words: [sentence...].
function movesOf(from, to) {
  const [before, after] = [from?.components ?? {}, to?.components ?? {}];
  const words = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [had, has] = [before[name], after[name]];
    const called = shortened(name, 40);
    if (!from) words.push(`${called} ${several(has.cores, "core")}${has.width !== has.cores ? `, ${several(has.width, "lane")}` : ""}`);
    else if (!had?.cores && has?.cores) words.push(`${called} gets ${several(has.cores, "core")} of its own`);
    else if (had?.cores && !has?.cores) words.push(`${called} joins the shared group (had ${several(had.cores, "core")})`);
    else if (had && has) words.push(...changed(called, had, has));
  }
  const [shared, nowShared] = [from?.shared ?? 0, to?.shared ?? 0];
  if (!from) {
    if (nowShared) words.push(`shared group ${several(nowShared, "core")}`);
  } else if (shared !== nowShared) {
    words.push(`shared group ${count(shared)} \u2192 ${several(nowShared, "core")}`);
  } else if (from.shared_core_set !== to?.shared_core_set) {
    words.push(`shared group moves to core${nowShared === 1 ? "" : "s"} ${to?.shared_core_set ?? unknown}`);
  }
  const [outside, nowOutside] = [from?.outside ?? {}, to?.outside ?? {}];
  for (const [name, lanes] of Object.entries(nowOutside))
    if (outside[name] !== lanes) words.push(`${shortened(name, 40)} ${several(lanes, "lane")} outside the cores`);
  return words.length ? words : ["nothing moved"];
}

function changed(name, had, has) {
  const cores = had.cores !== has.cores ? `${count(had.cores)} \u2192 ${several(has.cores, "core")}` : null;
  const lanes = had.width !== has.width ? `${count(had.width)} \u2192 ${several(has.width, "lane")}` : null;
  if (cores || lanes) return [`${name} ${[cores, lanes].filter(Boolean).join(", ")}`];
  return had.core_set !== has.core_set ? [`${name} moves to core${has.cores === 1 ? "" : "s"} ${has.core_set ?? unknown}`] : [];
}

function movesInWords(decision, most = 6) {
  const words = movesOf(decision.from, decision.to);
  const shown = words.slice(0, most).join("; ");
  return words.length > most ? `${shown}; and ${count(words.length - most)} more` : shown;
}

function decisionLines(decision) {
  return [moment(decision.time), movesInWords(decision, 4),
    ["promised", decision.from ? gain(decision.predicted_gain) : unknown], ["realised", gain(decision.realised_gain)],
    ...(decision.reverted ? ["Taken back later: it gave too little."] : []), decision.why ?? ""];
}

function decisionsSection(view) {
  const items = element("ol", {class: "decisions", tabindex: -1});
  const note = element("p", {class: "note"});
  let entries = [];

  function build() {
    const {decisions, decisions_total: total} = view.report;
    entries = decisions.map((decision, i) => element("li", {"data-decision": i},
      button(moment(decision.time), () => view.select("decision", view.chosen.decision === i ? null : i), {class: "link time", "aria-pressed": "false"}),
      element("div", {class: "moved"},
        element("span", {class: "moves"}, movesInWords(decision)),
        decision.reverted ? element("span", {class: "badge"}, "taken back") : null,
        element("p", {class: "why"}, decision.why ?? "")),
      element("dl", {class: "gains"},
        element("div", {}, element("dt", {}, "promised"), element("dd", {}, decision.from ? gain(decision.predicted_gain) : unknown)),
        element("div", {}, element("dt", {}, "realised"), element("dd", {}, gain(decision.realised_gain))))));
    items.replaceChildren(...entries);
    const words = [];
    if (!decisions.length) words.push("No decision was taken.");
    if (total > decisions.length) words.push(`The first and the newest ${count(decisions.length - 1)} of ${count(total)} decisions are kept.`);
    note.textContent = words.join(" ");
    mark(false);
  }

  function mark(reveal) {
    entries.forEach((entry, i) => {
      const chosen = i === view.chosen.decision;
      entry.classList.toggle("chosen", chosen);
      entry.querySelector("button").setAttribute("aria-pressed", String(chosen));
      if (chosen && reveal) items.scrollTop = entry.offsetTop - items.offsetTop - 40;
    });
  }

  build();
  view.on("decision", () => mark(true));
  let last = stamp();
  function stamp() {
    return JSON.stringify(view.report.decisions.map(d => [d.time, d.realised_gain, d.reverted]));
  }
  return {
    node: section("Decisions", "What moved, what it promised and what it gave. A gain of 10 % is ten percent more records a second, or a tenth less time.", items, note),
    update() {
      const fresh = stamp();
      if (fresh === last) return;
      last = fresh;
      build();
    },
  };
}
