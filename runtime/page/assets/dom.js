// Elements. Text of a run is put into them as text only: names of components come from users and may hold anything.

// element("p", {class: "note"}, "text", child...): attributes that are null are left out; onclick and the like are listeners.
function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnished(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined) made.append(child instanceof Node ? child : printable(child));
  return made;
}

// A swatch of a legend, or the part of a bar. The policy for content of this page forbids style attributes, not this.
function styled(made, properties) {
  for (const [name, value] of Object.entries(properties)) made.style.setProperty(name, value);
  return made;
}

// Control characters as their Unicode pictures, and a mark for what would turn the direction of the text around it.
function printable(text) {
  return String(text)
    .replace(/[\u0000-\u001f]/g, c => c === "\n" || c === "\t" ? " " : String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, "\ufffd");
}

// The beginning of a long text; `most` characters at most.
function shortened(text, most) {
  const characters = Array.from(printable(text));
  return characters.length <= most ? characters.join("") : characters.slice(0, most - 1).join("") + "\u2026";
}

// The one box of details beside the pointer. `lines`: [term, value] pairs or strings; the first one is the heading.
function showTip(lines, x, y) {
  const tip = document.getElementById("tip");
  const [heading, ...rest] = lines;
  tip.replaceChildren(
    element("strong", {}, shortened(heading, 120)),
    ...rest.map(line => Array.isArray(line)
      ? element("div", {class: "tip-row"}, element("span", {}, line[0]), element("span", {}, shortened(line[1], 160)))
      : element("div", {}, shortened(line, 400))));
  tip.hidden = false;
  const margin = 12;
  const {offsetWidth: width, offsetHeight: height} = tip;
  const left = x + margin + width > innerWidth ? Math.max(4, x - margin - width) : x + margin;
  const top = y + margin + height > innerHeight ? Math.max(4, y - margin - height) : y + margin;
  styled(tip, {left: left + "px", top: top + "px"});
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

// Details of an element on hover and on focus.
function withTip(made, linesOf) {
  const beside = () => {
    const box = made.getBoundingClientRect();
    showTip(linesOf(), box.left + box.width / 2, box.bottom);
  };
  made.addEventListener("pointermove", event => showTip(linesOf(), event.clientX, event.clientY));
  made.addEventListener("pointerleave", hideTip);
  made.addEventListener("focus", beside);
  made.addEventListener("blur", hideTip);
  return made;
}

// A choice of one among names. A list of thousands is cut: `find` narrows it.
function selector(label, names, chosen, onchange) {
  const select = element("select", {"aria-label": label, onchange: () => onchange(Number(select.value))},
    names.map((name, i) => element("option", {value: i, selected: i === chosen}, shortened(name, 60))));
  return element("label", {class: "control"}, element("span", {}, label), select);
}

function checkbox(label, checked, onchange) {
  const box = element("input", {type: "checkbox", checked, onchange: () => onchange(box.checked)});
  return element("label", {class: "control"}, box, element("span", {}, label));
}

function button(label, onclick, attributes = {}) {
  return element("button", {type: "button", onclick, ...attributes}, label);
}

// Swatches with words: [colour, label, class, explanation]; before them what they are of.
function legend(entries, of = null) {
  return element("ul", {class: "legend"}, of ? element("li", {class: "of"}, of) : null, entries.map(([colour, label, kind, words]) => {
    const made = element("li", {}, styled(element("i", {class: kind ?? null}), colour ? {"--swatch": colour} : {}));
    made.append(words ? explained(label, words) : shortened(label, 40));
    return made;
  }));
}

// A term with its explanation: on hover, on focus, and for those who listen.
function explained(term, words) {
  return withTip(element("span", {class: "explained", role: "note", tabindex: 0, "aria-label": `${term}: ${words}`}, term), () => [term, words]);
}
