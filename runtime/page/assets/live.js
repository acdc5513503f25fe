// A page that is fed by its server: the whole object every ten seconds, what changed every second.

const wholeEvery = 10000;    // milliseconds
const silentAfter = 5000;    // an update comes every second: then something is wrong
const mostFineRows = 20000;  // half an hour of updates at ten rows a second

// What an update of a run changes in what is known of it. Both are reports as they are written; so is the result.
function withUpdate(known, update, fine) {
  const fresh = new Map(list(update.components).map(component => [component.name, component]));
  const components = list(known.components).map(component => {
    const now = fresh.get(component.name);
    fresh.delete(component.name);
    return now ? {...component, ...now, curves: now.curves ?? component.curves} : component;
  });
  appendRows(fine, update.history);
  return {
    ...known, ...update, graph: known.graph,
    links: list(update.links).length ? update.links : known.links,
    streams: mergedStreams(list(known.streams), list(update.streams)),
    components: [...components, ...fresh.values()],
    decisions: mergedDecisions(list(known.decisions), list(update.decisions)),
    history: joinedHistory(known.history, fine),
  };
}

// The newest rows of a history, as updates bring them. They stay this fine while the server's own grow coarser.
function emptyFine() {
  const rows = {time: [], seconds: []};
  for (const name of historyColumns) rows[name] = [];
  return rows;
}

function appendRows(fine, raw) {
  const rows = historyRows(raw);
  const interval = rows.seconds.at(-1) ?? 0;
  const next = rows.time.findIndex(time => time > (fine.time.at(-1) ?? -Infinity));
  if (next < 0) return;
  const gap = fine.time.length && rows.time[next] - fine.time.at(-1) > 3 * interval;
  if (gap || fine.time.length > mostFineRows) {
    const keep = gap ? 0 : mostFineRows / 2;
    for (const name of ["time", "seconds", ...historyColumns]) fine[name] = keep ? fine[name].slice(-keep) : [];
  }
  for (let i = next; i < rows.time.length; ++i) {
    fine.seconds.push(rows.seconds[i]);
    fine.time.push(rows.time[i]);
    for (const name of historyColumns) fine[name].push(rows[name][i]);
  }
}

// The server's rows, in the place of some of them the fine ones.
function joinedHistory(raw, fine) {
  if (!fine.time.length) return raw;
  const base = historyRows(raw);
  const [first, last] = [fine.time[0] - (fine.seconds[0] ?? 0), fine.time.at(-1)];
  const before = base.time.findIndex(time => time > first + 1e-9);
  const after = base.time.findIndex(time => time > last + 1e-9);
  const joined = {};
  for (const name of ["time", "seconds", ...historyColumns])
    joined[name] = [...base[name].slice(0, before < 0 ? base.time.length : before), ...fine[name], ...(after < 0 ? [] : base[name].slice(after))];
  return joined;
}

// An update has the streams with the most records; the others stay as they were. Streams of the same ends are told apart
// by their order.
function mergedStreams(known, fresh) {
  const keyed = streams => {
    const met = new Map();
    return streams.map(stream => {
      const ends = JSON.stringify([stream.from, stream.to]);
      met.set(ends, (met.get(ends) ?? 0) + 1);
      return [ends + met.get(ends), stream];
    });
  };
  if (fresh.length >= known.length) return fresh;
  const now = new Map(keyed(fresh));
  return keyed(known).map(([key, stream]) => now.get(key) ?? stream);
}

function mergedDecisions(known, fresh) {
  const all = new Map(known.map(decision => [decision.time, decision]));
  for (const decision of fresh) all.set(decision.time, decision);
  return [...all.values()].sort((a, b) => a.time - b.time);
}

// `page` has data, take(data) and say(state, words).
function followLive(page) {
  const fineOf = new Map();
  const fine = name => fineOf.get(name) ?? fineOf.set(name, emptyFine()).get(name);
  let heard = 0;
  let events = null;
  let fetching = false;

  async function fetchWhole() {
    if (fetching) return;
    fetching = true;
    try {
      const answer = await fetch("/report.json", {cache: "no-store"});
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const {data, problem} = checkedData(await answer.json());
      if (problem) return page.say("lost", problem);
      for (const run of list(data.runs)) run.report = {...run.report, history: joinedHistory(run.report.history, fine(run.name))};
      page.take(data);
      if (events?.readyState === EventSource.OPEN) page.say("live", "live");
    } catch (error) {
      page.say("lost", "Connection lost, trying again");
    } finally {
      fetching = false;
    }
  }

  function update(text) {
    heard = Date.now();
    let data;
    try {
      data = JSON.parse(text);
    } catch (error) {
      return page.say("lost", "The server sent an update that cannot be read: " + error.message);
    }
    if (checkedData(data).problem) return page.say("lost", checkedData(data).problem);
    page.say("live", "live");
    const known = new Map(list(page.data.runs).map(run => [run.name, run.report]));
    const isNew = list(data.runs).some(run => !known.has(run.name));
    for (const name of fineOf.keys()) if (!list(data.runs).some(run => run.name === name)) fineOf.delete(name);
    page.take({...page.data, ...data, tables: data.tables ?? page.data.tables,
      runs: list(data.runs).map(({name, report}) => ({name, report: withUpdate(known.get(name) ?? {}, report, fine(name))}))});
    if (isNew) fetchWhole();
  }

  function listen() {
    events = new EventSource("/events");
    events.addEventListener("update", event => update(event.data));
    events.onopen = () => {
      heard = Date.now();
      fetchWhole();  // what happened while nobody listened
    };
    events.onerror = () => {
      page.say("lost", "Connection lost, trying again");
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);  // otherwise the browser tries again itself
    };
  }

  listen();
  fetchWhole();
  setInterval(fetchWhole, wholeEvery);
  setInterval(() => {
    if (heard && Date.now() - heard > silentAfter) page.say("lost", `No update for ${duration(Math.round((Date.now() - heard) / 1000))}, trying again`);
  }, 1000);
}
