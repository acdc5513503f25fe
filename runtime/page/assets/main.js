// Puts the page together, and together anew when another run or theme is chosen.

// A part of the page with a heading. It is named by its title in the list of parts.
function section(title, hint, ...children) {
  return element("section", {class: "part", "data-title": title, "aria-label": title},
    element("header", {}, element("h2", {}, title), hint ? element("p", {}, hint) : null), ...children);
}

const shortTitles = {"Cores over time": "Cores", "Records a second": "Rates", "Waiting records": "Waiting", "Models of components": "Models"};

// What the sections of one run share: its report, what is chosen, and whom to tell.
function makeView(report, live, chosen) {
  const listeners = [];
  const ends = [];
  const drawings = [];
  return {
    report, live, chosen,
    on(kind, listener) { listeners.push([kind, listener]); },
    select(kind, value) {
      this.chosen[kind] = value;
      for (const [of, listener] of listeners) if (of === kind) listener(value);
    },
    onZoom(listener) {
      zoom.listeners.add(listener);
      ends.push(() => zoom.listeners.delete(listener));
    },
    onPointer(listener) {
      pointer.listeners.add(listener);
      ends.push(() => pointer.listeners.delete(listener));
    },
    onEnd(listener) { ends.push(listener); },
    // Draws what needs a width: when the page is put together, and again when its place has another.
    onWidth(place, listener) {
      const watch = new ResizeObserver(listener);
      watch.observe(place);
      drawings.push(listener);
      ends.push(() => watch.disconnect());
    },
    draw() { for (const drawing of drawings) drawing(); },
    end() { for (const listener of ends) listener(); },
  };
}

const page = {
  data: null,
  run: null,  // the name of the run that is shown
  chosen: {decision: null, component: null},
  view: null,
  sections: [],
  status: element("span", {class: "status", role: "status"}),

  runs() {
    return list(this.data.runs);
  },

  shownRun() {
    return this.runs().find(run => run.name === this.run) ?? this.runs()[0] ?? null;
  },

  build() {
    this.view?.end();
    zoom.listeners.clear();
    pointer.time = null;
    hideTip();
    const {data} = this;
    const root = document.getElementById("page");
    document.title = data.title ? printable(data.title) : "weir";
    if (data.kind === "runs") this.buildRun();
    else this.buildOther();
    const named = this.sections.filter(one => one.node.dataset?.title && !one.node.hidden);
    named.forEach((one, i) => { one.node.id = "part-" + i; });
    const hasTime = data.kind === "trace" || data.kind === "runs" && this.shownRun();
    root.replaceChildren(
      element("header", {class: "top"},
        element("div", {}, element("h1", {}, data.title || "weir"), element("p", {class: "writer"}, `${data.writer ?? "weir"}`)),
        this.themeButton()),
      element("nav", {class: "bar", "aria-label": "Parts of the page"},
        data.live ? this.status : null,
        this.runs().length > 1 ? selector("Run", this.runs().map(run => run.name), this.runs().indexOf(this.shownRun()), i => this.showRun(this.runs()[i].name)) : null,
        element("ul", {class: "parts"}, named.map((one, i) => element("li", {}, element("a", {href: "#part-" + i}, shortTitles[one.node.dataset.title] ?? one.node.dataset.title)))),
        hasTime ? zoom.controls() : null),
      element("main", {}, this.sections.map(one => one.node)),
      element("footer", {}, element("p", {}, `${data.live ? "Fed by the program that it shows." : "One file, without a server: it can be kept and sent as it is."} Drawn with dygraphs and dagre, whose licences are inside.`)));
    this.view?.draw();  // not when the browser says how wide it is: a page that is printed has no time for that
  },

  buildRun() {
    const run = this.shownRun();
    if (!run) {
      this.view = null;
      this.sections = [...givenTables(this.data.tables).map(node => ({node, update() {}})),
        {node: element("p", {class: "note"}, this.data.live ? "No run is under way." : "This page holds no run."), update() {}}];
      return;
    }
    this.run = run.name;
    const report = completed(run.report ?? {});
    zoom.whole = [0, report.seconds || 1];
    const view = this.view = makeView(report, this.data.live === true, this.chosen);
    this.sections = [
      headSection(view), totalsSection(view), noticesSection(view),
      ...givenTables(this.data.tables).map(node => ({node, update() {}})),
      networkSection(view), coresSection(view), ratesSection(view), latencySection(view), waitingSection(view),
      ranksSection(view), devicesSection(view), resourcesSection(view), decisionsSection(view), modelsSection(view, () => modelsOf(view.report)),
      componentsSection(view), streamsSection(view), errorsSection(view),
    ];
  },

  buildOther() {
    this.view = makeView(completed({}), false, this.chosen);
    const tables = givenTables(this.data.tables).map(node => ({node, update() {}}));
    this.sections = [...tables, ...(this.data.kind === "trace"
      ? traceSections(this.view, this.data.trace ?? {}) : observationsSections(this.view, list(this.data.components)))];
  },

  showRun(name) {
    this.run = name;
    this.chosen = {decision: null, component: null};
    zoom.range = null;
    this.build();
  },

  // New data of a live page. What is chosen and the zoom stay. The run that is shown stays as well when it has gone.
  take(data) {
    const shown = this.shownRun();
    const remains = shown && list(data.runs).some(run => run.name === shown.name);
    const names = JSON.stringify(list(data.runs).map(run => run.name));
    const sameRuns = remains && names === JSON.stringify(this.runs().map(run => run.name));
    if (shown && !remains) data = {...data, runs: [...list(data.runs), {name: shown.name, report: {...shown.report, ended: shown.report.ended ?? true}}]};
    const sameNetwork = sameRuns && JSON.stringify(shown.report.graph) === JSON.stringify(this.shownIn(data).report.graph);
    const linesOf = report => JSON.stringify(["emitted", "records_ended", "began"].map(name => report?.[name] > 0));  // what lines and axes are called by
    const sameLines = sameRuns && linesOf(shown.report) === linesOf(this.shownIn(data).report);
    this.data = data;
    if (!sameNetwork || !sameLines) return this.build();
    this.view.report = completed(this.shownRun().report);
    zoom.whole = [0, this.view.report.seconds || 1];
    zoom.tell();
    for (const one of this.sections) one.update();
  },

  shownIn(data) {
    return list(data.runs).find(run => run.name === this.run);
  },

  say(state, words) {
    this.status.className = "status " + state;
    if (this.status.textContent !== words) this.status.textContent = words;
  },

  themeButton() {
    return button(isDark() ? "Light" : "Dark", () => this.setTheme(isDark() ? "light" : "dark"), {class: "theme", "aria-label": isDark() ? "Show in light colours" : "Show in dark colours"});
  },

  setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    if (this.data) this.build();
  },
};

function observationsSections(view, models) {
  const table = sortableTable({
    name: "Components", rows: models, onpick: model => view.select("component", model.name), isPicked: model => model.name === view.chosen.component,
    columns: [
      {title: "Component", value: model => model.name, words: true},
      {title: "Observations shown", value: model => list(model.curves?.points).length, text: count},
      {title: "Cores seen", value: model => list(model.curves?.over_x).length || null, cell: model => list(model.curves?.over_x).map(curve => curve.cores).join(", ") || unknown},
      {title: "Model", value: model => model.model ?? null, words: true},
    ],
  });
  view.on("component", () => table.redraw());
  return [
    modelsSection(view, () => models),
    {node: section("Components", "Choose one to see its curves.", table.node), update() {}},
  ];
}

function start() {
  const {data, problem} = readData(document.getElementById("weir-data").textContent);
  if (problem) {
    document.getElementById("page").replaceChildren(element("main", {}, element("p", {class: "problem", role: "alert"}, problem)));
    return;
  }
  page.data = data;
  page.build();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (!document.documentElement.dataset.theme) page.build(); });
  // Paper is white: charts are drawn anew in light colours for it.
  let before = null;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme ?? null;
    if (isDark()) page.setTheme("light");
  });
  addEventListener("afterprint", () => {
    if ((document.documentElement.dataset.theme ?? null) !== before) page.setTheme(before);
  });
  addEventListener("keydown", event => { if (event.key === "Escape") hideTip(); });
  if (data.live === true) followLive(page);
}

start();
