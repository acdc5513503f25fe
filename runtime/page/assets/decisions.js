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

// The gains that the models promised and that were measured, in the words of the report where it has some.
function promised(decision) {
  return decision.gain_words?.predicted ?? (decision.from ? gain(decision.predicted_gain) : unknown);
}
function realised(decision) {
  return decision.gain_words?.realised ?? gain(decision.realised_gain);
}

function decisionLines(decision, whole, began) {
  return [instant(decision.time, whole) + (isKnown(began) ? ", " + clock(began + decision.time, Math.min(1, whole / 1000)) : ""), movesInWords(decision, 4),
    ["promised", promised(decision)], ["realised", realised(decision)],
    ...(decision.reverted ? ["Taken back later: it gave too little."] : []), decision.why ?? ""];
}

// What the decisions come to: [sentence...].
function storyOf(report) {
  const {decisions} = report;
  const words = [];
  const moves = decisions.filter(decision => decision.from);
  const measured = moves.filter(decision => isKnown(decision.realised_gain) && isKnown(decision.predicted_gain));
  if (moves.length) {
    const back = moves.filter(decision => decision.reverted).length;
    const missed = measured.filter(decision => decision.realised_gain < 0).length;
    words.push(`${several(moves.length, "move")}${moves.length + 1 < report.decisions_total ? " of those kept" : ""}: the gain of ${count(measured.length)} was measured, ${missed ? `${count(missed)} of these lost something` : "none of them lost anything"}, ${back ? count(back) : "none"} ${back === 1 ? "was" : "were"} taken back.`);
  }
  if (measured.length) {
    const best = measured.reduce((a, b) => b.realised_gain > a.realised_gain ? b : a);
    if (best.realised_gain > 0)
      words.push(`The one that gave most, at ${instant(best.time, report.seconds)}: ${movesInWords(best, 3)}. Promised ${promised(best)}, realised ${realised(best)}.`);
    const off = measured.map(decision => Math.abs(decision.realised_gain - decision.predicted_gain)).sort((a, b) => a - b);
    if (off.length > 2) words.push(`Promised and realised differ by ${significant(off[Math.floor(off.length / 2)] * 100, 2)} percentage points in the median.`);
  }
  const asked = report.components.filter(component => isKnown(component.predicted_utilisation));
  if (asked.length) {
    const {bottleneck, bottleneck_is_shared: isShared, predicted_group_utilisation: ofGroup} = report.network;
    const named = asked.find(component => component.name === bottleneck);
    const most = named ?? asked.reduce((a, b) => b.predicted_utilisation > a.predicted_utilisation ? b : a);
    const who = named && isShared ? `the shared group, most of it ${shortened(most.name, 40)},` : shortened(most.name, 40);
    words.push(`With the cores as they ${report.ended ? "were at the end" : "are now"}, the models expect ${who} to be the bottleneck: records that enter at ${rate(report.network.arrival_rate)} need ${percent(named && isShared ? ofGroup : most.predicted_utilisation)} of its time.`);
  }
  return words;
}

function gainClass(decision) {
  return isKnown(decision.realised_gain) && decision.realised_gain < 0 ? "lost" : null;
}

function decisionsSection(view) {
  const items = element("ol", {class: "decisions", tabindex: 0, "aria-label": "Decisions"});
  const story = element("ul", {class: "story"});
  const note = element("p", {class: "note"});
  let entries = [];

  function build() {
    const {decisions, decisions_total: total} = view.report;
    entries = decisions.map((decision, i) => element("li", {"data-decision": i},
      button(instant(decision.time, view.report.seconds), () => view.select("decision", view.chosen.decision === i ? null : i), {class: "link time", "aria-pressed": "false"}),
      element("div", {class: "moved"},
        element("span", {class: "moves"}, movesInWords(decision)),
        decision.reverted ? element("span", {class: "badge"}, "taken back") : null,
        element("p", {class: "why"}, decision.why ?? "")),
      element("dl", {class: decision.gain_words?.predicted || decision.gain_words?.realised ? "gains in-words" : "gains"},
        element("div", {}, element("dt", {}, "promised"), element("dd", {}, promised(decision))),
        element("div", {}, element("dt", {}, "realised"), element("dd", {class: gainClass(decision)}, realised(decision))))));
    story.replaceChildren(...storyOf(view.report).map(words => element("li", {}, words)));
    story.hidden = !story.childElementCount;
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
    node: section("Decisions", "weir times every component, learns what it would cost on other numbers of cores, and moves cores to where that promises most. Here is what moved and why, with the gain that the models promised before and the one that was measured after: +10 % is a tenth more records a second, or a tenth less time.", story, items, note),
    update() {
      const fresh = stamp();
      if (fresh === last) return;
      last = fresh;
      build();
    },
  };
}
