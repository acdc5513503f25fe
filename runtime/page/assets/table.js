// A table that sorts by any column, finds by text, and shows a page of its rows at a time.

const rowsOnAPage = 50;

// columns: [{title, value: row -> number or text, text: value -> what is shown, words: shown as text, hint}].
function sortableTable({name, columns, rows, sortedBy = null, descending = true, onpick = null, isPicked = () => false}) {
  let order = sortedBy === null ? null : {column: sortedBy, descending};
  let find = "";
  let page = 0;
  let all = rows;
  let shown = [];

  const body = element("tbody");
  const summary = element("span", {class: "table-summary", role: "status"});
  const earlier = button("Previous", () => turn(-1));
  const later = button("Next", () => turn(1));
  const field = element("input", {type: "search", placeholder: "Filter", "aria-label": `Filter ${name}`, oninput: () => {
    find = field.value.toLowerCase();
    page = 0;
    arrange();
  }});
  const headings = columns.map((column, i) => element("th", {scope: "col", class: column.words ? "words" : null},
    column.hint ? withTip(button(column.title, () => sortBy(i), {class: "explained", "aria-label": `${column.title}: ${column.hint}`}), () => [column.title, column.hint, "Click to sort."])
      : button(column.title, () => sortBy(i), {title: `Sort by ${column.title}`})));

  function sortBy(column) {
    order = order?.column === column ? {column, descending: !order.descending} : {column, descending: !columns[column].words};
    page = 0;
    arrange();
  }

  function turn(by) {
    page += by;
    draw();
  }

  function arrange() {
    const searched = columns.filter(column => column.words);
    shown = find ? all.filter(row => searched.some(column => String(column.value(row)).toLowerCase().includes(find))) : [...all];
    if (order) {
      const value = columns[order.column].value;
      const sign = order.descending ? -1 : 1;
      shown.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        if (x === y) return 0;
        if (x === null || x === undefined) return 1;  // unknown ones are last in either order
        if (y === null || y === undefined) return -1;
        return (typeof x === "string" ? x.localeCompare(y) : x - y) * sign;
      });
    }
    headings.forEach((heading, i) => {
      if (order?.column === i) heading.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    draw();
  }

  function draw() {
    page = Math.max(0, Math.min(page, Math.ceil(shown.length / rowsOnAPage) - 1));
    const first = page * rowsOnAPage;
    const visible = shown.slice(first, first + rowsOnAPage);
    body.replaceChildren(...visible.map(row => element("tr", {class: isPicked(row) ? "picked" : null}, columns.map((column, i) => cellOf(column, row, i)))));
    if (!visible.length) body.append(element("tr", {}, element("td", {colspan: columns.length, class: "words"}, find ? "Nothing matches the filter." : "None.")));
    summary.textContent = shown.length > rowsOnAPage
      ? `${count(first + 1)} to ${count(first + visible.length)} of ${count(shown.length)}`
      : find ? `${count(shown.length)} of ${count(all.length)}` : "";
    earlier.hidden = later.hidden = shown.length <= rowsOnAPage;
    earlier.disabled = page === 0;
    later.disabled = first + rowsOnAPage >= shown.length;
    field.hidden = all.length < 8;
  }

  function cellOf(column, row, index) {
    const value = column.value(row);
    const made = column.cell ? column.cell(row) : (column.text ? column.text(value) : column.words ? shortened(value ?? unknown, 80) : significant(value));
    const shownAs = onpick && index === 0 ? button(made, () => onpick(row), {class: "link"}) : made;
    const full = column.words && printable(value ?? "").length > 24 ? printable(value) : null;
    return element(index === 0 ? "th" : "td", {class: column.words ? "words" : null, scope: index === 0 ? "row" : null, title: full}, shownAs);
  }

  const scroll = element("div", {class: "scroll", role: "region", "aria-label": name, tabindex: 0},
    element("table", {}, element("thead", {}, element("tr", {}, headings)), body));
  arrange();
  return {
    node: element("div", {class: "table", "data-table": name}, element("div", {class: "table-bar"}, field, summary, earlier, later), scroll),
    update(fresh) {
      all = fresh;
      arrange();
    },
    redraw: draw,
  };
}
