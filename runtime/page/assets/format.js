// Numbers with their units. What is not known is "-".

const unknown = "-";

function isKnown(value) {
  return typeof value === "number" && Number.isFinite(value);
}

const grouped = new Intl.NumberFormat("en-US");

function count(value) {
  return isKnown(value) ? grouped.format(Math.round(value)) : unknown;
}

// Three significant digits; no exponent where a reader would not write one.
function significant(value, digits = 3) {
  if (!isKnown(value)) return unknown;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(digits - 1);
  if (size >= 10 ** (digits - 1)) return grouped.format(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

// 950, 12.3k, 4.56M: for axes and edges.
function compact(value) {
  if (!isKnown(value)) return unknown;
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
    if (Math.abs(value) >= unit) return significant(value / unit) + letter;
  return significant(value);
}

function duration(seconds) {
  if (!isKnown(seconds)) return unknown;
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-6) return significant(seconds * 1e9) + " ns";
  if (size < 1e-3) return significant(seconds * 1e6) + " \u00b5s";
  if (size < 1) return significant(seconds * 1e3) + " ms";
  if (size < 120) return significant(seconds) + " s";
  const whole = Math.round(seconds);
  if (whole < 7200) return Math.floor(whole / 60) + " min" + (whole % 60 ? ` ${whole % 60} s` : "");
  const minutes = Math.round(seconds / 60);
  return Math.floor(minutes / 60) + " h" + (minutes % 60 ? ` ${minutes % 60} min` : "");
}

// A time of the run, as exact as the range that is shown needs it.
function moment(seconds, range = 1) {
  if (!isKnown(seconds)) return unknown;
  const decimals = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.max(range, 1e-6)))));
  const rounded = Number(seconds.toFixed(decimals));
  if (rounded < 120) return rounded.toFixed(decimals) + " s";
  const minutes = Math.floor(rounded / 60);
  const rest = (rounded - minutes * 60).toFixed(decimals) + " s";
  return minutes < 120 ? `${minutes} min ${rest}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min ${rest}`;
}

// A time of the run as decisions have it: exact where many are taken at the start.
function instant(seconds, whole) {
  return seconds > 0 && seconds < Math.min(1, whole / 100) ? duration(seconds) : moment(seconds, whole);
}

// The time of day where the reader is, of seconds since 1970; as exact as `step` seconds need it, with the day where the
// range is longer.
function clock(at, step = 1, range = 0) {
  const date = new Date(at * 1000);
  const two = number => String(number).padStart(2, "0");
  const decimals = Math.min(3, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const seconds = step >= 60 ? "" : ":" + two(date.getSeconds()) + (decimals ? (date.getMilliseconds() / 1000).toFixed(3).slice(1, 2 + decimals) : "");
  const day = range > 86400 ? date.toLocaleDateString("en-GB", {day: "numeric", month: "short"}) + " " : "";
  return day + two(date.getHours()) + ":" + two(date.getMinutes()) + seconds;
}

// A time of the run, with the time of day where it is known when the run began.
function momentAndClock(seconds, began, range = 1) {
  return moment(seconds, range) + (isKnown(began) ? ", " + clock(began + seconds, Math.min(1, range / 100)) : "");
}

// The same in full: 27 Nov 2026, 14:05:12 CET.
function dateAndTime(at) {
  return new Date(at * 1000).toLocaleString("en-GB", {day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short"});
}

// A tick of a time axis, `step` seconds from the next: 12.5 s, 1:40, 1:02:00.
function tick(seconds, step, last) {
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  if (last < 120) return seconds.toFixed(decimals) + " s";
  const whole = Math.floor(seconds / 60 + 1e-9);
  const rest = Math.max(0, seconds - whole * 60).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return whole < 60 ? `${whole}:${rest}` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}:${rest}`;
}

function rate(perSecond) {
  return isKnown(perSecond) ? significant(perSecond) + " /s" : unknown;
}

function percent(part) {
  if (!isKnown(part)) return unknown;
  const value = part * 100;
  return (value !== 0 && Math.abs(value) < 10 ? Number(value.toPrecision(2)) : Math.round(value)) + " %";
}

function gain(part) {
  return isKnown(part) ? (part > 0 ? "+" : "") + percent(part) : unknown;
}

function bytes(value) {
  if (!isKnown(value)) return unknown;
  for (const [unit, name] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]])
    if (value >= unit) return significant(value / unit) + " " + name;
  return count(value) + " B";
}

// "1 core", "3 cores".
function several(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}
