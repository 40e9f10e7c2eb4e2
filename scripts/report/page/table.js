// SPDX-License-Identifier: GPL-2.0-only
// Tables that sort, filter and page. The rows are columns of values; only one page is elements.

const PAGE_ROWS = 20;

/** What a filter of a column says: a test of a row's value. "> 5", "<= 3", "2..7" of numbers in the
 * shown unit; otherwise a part of the text, whatever its case. */
function makeFilter(column, text) {
  const wanted = text.trim();
  const isNumber = !column.words;
  const bound = /^(<=|>=|<|>|=)\s*([\d.eE+-]+)$/.exec(wanted);
  const range = /^([\d.eE+-]+?)\s*\.\.\s*([\d.eE+-]+)$/.exec(wanted);
  if (isNumber && bound) {
    return compareWith(bound[1], Number(bound[2]), column.size);
  }
  if (isNumber && range) {
    return (row, value) => value !== null && value / column.size >= Number(range[1]) && value / column.size <= Number(range[2]);
  }
  const part = wanted.toLowerCase();
  return (row) => String(cellText(column, row)).toLowerCase().includes(part);
}

function compareWith(operator, limit, size) {
  const tests = { "<": (a) => a < limit, ">": (a) => a > limit, "<=": (a) => a <= limit, ">=": (a) => a >= limit, "=": (a) => a === limit };
  return (row, value) => value !== null && tests[operator](value / size);
}

/** Written numbers have units of their own, so that the head of their column names none. */
function filterHint(column) {
  const unit = column.texts && column.unit ? ` in ${column.unit}` : "";
  return column.words ? "contains" : `> 1, 2..7${unit}`;
}

class DataTable {
  constructor(place, data, name) {
    this.columns = data.columns;
    this.filters = this.columns.map(() => "");
    this.sorted = { column: -1, descending: false };
    this.page = 0;
    this.rows = Array.from({ length: rowCount(this.columns) }, (_, row) => row);
    this.status = make("span", { role: "status" });
    this.body = make("tbody", {});
    const table = make("table", {}, make("thead", {}, this.makeHead(), this.makeFilters()), this.body);
    place.append(this.makeBar(name), make("div", { class: "scroll" }, table));
    this.update();
  }

  makeHead() {
    this.heads = this.columns.map((column, number) =>
      make("th", { scope: "col", class: column.words ? "" : "number" },
        make("button", { type: "button", onclick: () => this.sortBy(number) }, column.texts ? column.title : headText(column))));
    return make("tr", {}, ...this.heads);
  }

  makeFilters() {
    const cells = this.columns.map((column, number) => {
      const input = make("input", {
        type: "text", placeholder: filterHint(column), "aria-label": `filter ${column.title}`,
        oninput: () => this.filterBy(number, input.value),
      });
      return make("td", {}, input);
    });
    return make("tr", { class: "filters", hidden: rowCount(this.columns) <= 5 }, ...cells);
  }

  makeBar() {
    const turn = (by) => () => { this.page += by; this.draw(); };
    this.back = make("button", { type: "button", onclick: turn(-1) }, "Previous");
    this.next = make("button", { type: "button", onclick: turn(1) }, "Next");
    return make("div", { class: "bar" }, this.status, this.back, this.next);
  }

  sortBy(number) {
    const isSame = this.sorted.column === number;
    this.sorted = { column: number, descending: isSame ? !this.sorted.descending : !this.columns[number].words };
    this.update();
  }

  filterBy(number, text) {
    this.filters[number] = text;
    this.update();
  }

  update() {
    const tests = this.filters.map((text, number) => [this.columns[number], text]).filter(([, text]) => text.trim())
      .map(([column, text]) => [column, makeFilter(column, text)]);
    this.shown = this.rows.filter((row) => tests.every(([column, test]) => test(row, cellValue(column, row))));
    if (this.sorted.column >= 0) {
      this.shown.sort(this.order());
    }
    this.page = 0;
    this.draw();
  }

  /** Cells without a value come last; rows that are equal keep their order. */
  order() {
    const column = this.columns[this.sorted.column];
    const sign = this.sorted.descending ? -1 : 1;
    return (a, b) => {
      const [one, other] = [cellValue(column, a), cellValue(column, b)];
      if (one === null || other === null) {
        return (one === null) - (other === null);
      }
      return column.words ? sign * one.localeCompare(other, undefined, { numeric: true }) : sign * (one - other);
    };
  }

  draw() {
    const pages = Math.max(1, Math.ceil(this.shown.length / PAGE_ROWS));
    this.page = Math.min(Math.max(this.page, 0), pages - 1);
    const first = this.page * PAGE_ROWS;
    const rows = this.shown.slice(first, first + PAGE_ROWS);
    this.body.replaceChildren(...rows.map((row) => this.makeRow(row)));
    const range = rows.length ? `${first + 1} to ${first + rows.length} of ` : "";
    const all = this.shown.length < this.rows.length ? ` (of ${this.rows.length} before filtering)` : "";
    this.status.textContent = `Rows ${range}${this.shown.length}${all}`;
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
    this.back.hidden = this.next.hidden = pages === 1;
    this.heads.forEach((head, number) => head.setAttribute("aria-sort",
      number !== this.sorted.column ? "none" : this.sorted.descending ? "descending" : "ascending"));
  }

  makeRow(row) {
    return make("tr", {}, ...this.columns.map((column) => {
      return make("td", { class: column.wide ? "wide" : column.words ? "text" : "number", title: exactText(column, row) },
        column.wide ? make("div", {}, cellText(column, row)) : cellText(column, row));
    }));
  }
}
