// The part of the time that all charts over time show. One for the page.

const zoom = {
  range: null,  // [from, to] in seconds, or null: everything
  whole: [0, 1],
  listeners: new Set(),

  shown() {
    return this.range ?? this.whole;
  },

  set(from, to) {
    const [first, last] = this.whole;
    const least = Math.max((last - first) * 1e-7, 1e-9);
    from = Math.max(first, Math.min(from, last - least));
    to = Math.min(last, Math.max(to, from + least));
    this.range = from <= first && to >= last ? null : [from, to];
    this.tell();
  },

  reset() {
    this.range = null;
    this.tell();
  },

  // Makes the range `factor` times as long, about its middle.
  scale(factor) {
    const [from, to] = this.shown();
    const half = (to - from) / 2 * factor;
    this.set((from + to) / 2 - half, (from + to) / 2 + half);
  },

  // Moves by a part of the range, keeping its length.
  move(part) {
    const [from, to] = this.shown();
    const length = to - from;
    const start = Math.max(this.whole[0], Math.min(from + part * length, this.whole[1] - length));
    this.set(start, start + length);
  },

  tell() {
    for (const listener of this.listeners) listener();
  },

  controls() {
    const words = element("output", {class: "zoom-range"});
    const show = () => {
      const [from, to] = this.shown();
      words.textContent = this.range ? `${moment(from, to - from)} to ${moment(to, to - from)}` : `0 s to ${duration(to)}`;
    };
    this.listeners.add(show);
    show();
    return element("div", {class: "zoom", role: "group", "aria-label": "Time shown"},
      words,
      button("\u2190", () => this.move(-0.5), {"aria-label": "Earlier", title: "Earlier"}),
      button("\u2192", () => this.move(0.5), {"aria-label": "Later", title: "Later"}),
      button("+", () => this.scale(0.5), {"aria-label": "Zoom in", title: "Zoom in"}),
      button("\u2212", () => this.scale(2), {"aria-label": "Zoom out", title: "Zoom out"}),
      button("Whole run", () => this.reset(), {"data-zoom-reset": true}));
  },
};
