// What was checked, and what did not hold.
import {isDeepStrictEqual} from "node:util";

export class Findings {
  #checked = 0;
  #wrong = [];
  #about = "";

  about(what) {
    this.#about = what;
  }

  holds(words, isSo, ...details) {
    ++this.#checked;
    if (!isSo) this.#wrong.push([this.#about, words, ...details.map(one => typeof one === "string" ? one : JSON.stringify(one))].join(": ").slice(0, 1200));
    return isSo;
  }

  equal(words, got, expected) {
    return this.holds(words, isDeepStrictEqual(got, expected), `got ${JSON.stringify(got)}`, `expected ${JSON.stringify(expected)}`);
  }

  none(words, found) {
    return this.holds(words, found.length === 0, `${found.length}`, found.slice(0, 12));
  }

  // A number as the page writes it, with three digits, beside the one that it stands for; unknown is null.
  near(words, text, expected, tolerance = 0.006) {
    const got = numberIn(text);
    const isUnknown = expected === null || expected === undefined;
    const digits = text.endsWith("%") ? Math.max(tolerance, 0.05) : tolerance;  // percentages have two digits
    const isSo = isUnknown ? got === null : got !== null && Math.abs(got - expected) <= Math.abs(expected) * digits + 1e-12;
    return this.holds(words, isSo, `"${text}" stands for ${expected}`);
  }

  report() {
    for (const line of this.#wrong) console.log(`FAILED ${line}`);
    console.log(`${this.#checked - this.#wrong.length} of ${this.#checked} checks hold`);
    return this.#wrong.length ? 1 : 0;
  }
}

const units = {"ns": 1e-9, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "%": 0.01, "B": 1, "KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30, "TiB": 2 ** 40, "/s": 1};

// "1 min 30 s" as 90, "12.5 %" as 0.125, "1,234" as 1234, "-" as null, anything else as NaN.
export function numberIn(text) {
  const words = text.trim().replace(/^\+/, "").replaceAll("\u2212", "-");
  if (words === "-") return null;
  let sum = 0;
  for (const part of words.matchAll(/\s*(-?[\d,.]+(?:e[+-]?\d+)?)\s*([^\d\s-]*)|(.)/g)) {
    if (part[3] !== undefined || (part[2] && !(part[2] in units))) return NaN;
    sum += Number(part[1].replaceAll(",", "")) * (units[part[2]] ?? 1);
  }
  return sum;
}
