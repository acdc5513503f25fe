// Colours. Those of owners are Okabe and Ito's, which people with any kind of colour vision can tell apart.

const hues = {
  light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a6fc9", "#a08c00"],
  dark: ["#3f9bd8", "#e6a52e", "#1fb58a", "#d58db5", "#84cdf5", "#ec7a35", "#9c92e6", "#c9b63a"],
};

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// The colour of the owner of this number. After eight the hues return darker, then lighter.
function hue(index) {
  const table = isDark() ? hues.dark : hues.light;
  const base = table[index % table.length];
  const round = Math.floor(index / table.length) % 3;
  return round === 0 ? base : mixed(base, round === 1 ? "#000000" : "#ffffff", 0.4);
}

function channels(colour) {
  return [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
}

function mixed(from, to, part) {
  const [a, b] = [channels(from), channels(to)];
  return "#" + a.map((value, i) => Math.round(value + (b[i] - value) * part).toString(16).padStart(2, "0")).join("");
}

function withAlpha(colour, alpha) {
  return `rgba(${channels(colour).join(",")},${alpha})`;
}

// Black or white, whichever can be read on this colour.
function inkOn(colour) {
  const [r, g, b] = channels(colour).map(v => (v / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.36 ? "#10151c" : "#ffffff";
}

// How full a stream is, in four steps that differ in lightness as well as in hue.
const fullness = [
  {upTo: 0.25, name: "fullness-1", words: "under 25 % full"},
  {upTo: 0.5, name: "fullness-2", words: "25 to 50 %"},
  {upTo: 0.75, name: "fullness-3", words: "50 to 75 %"},
  {upTo: Infinity, name: "fullness-4", words: "over 75 %"},
];

function fullnessColour(part) {
  return isKnown(part) ? variable(fullness.find(step => part < step.upTo).name) : variable("fullness-unknown");
}

// Slanted lines: the shared group, and what waited.
function hatch(context, colour, background) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const ink = tile.getContext("2d");
  ink.fillStyle = background;
  ink.fillRect(0, 0, 8, 8);
  ink.strokeStyle = colour;
  ink.lineWidth = 1.5;
  ink.beginPath();
  for (const at of [-4, 4, 12]) {
    ink.moveTo(at - 5, 9);
    ink.lineTo(at + 5, -1);
  }
  ink.stroke();
  return context.createPattern(tile, "repeat");
}
