// SPDX-License-Identifier: GPL-2.0-only
// A chart of a sweep's points whose axes, series and normalisation are chosen on the page.

const NONE = "none";
const NORMALISATIONS = {
  [NONE]: (values) => values,
  "first = 1": (values) => values.map((value) => divide(value, values.find((one) => one !== null))),
  "smallest = 1": (values) => values.map((value) => divide(value, Math.min(...values.filter((one) => one !== null)))),
  "largest = 1": (values) => values.map((value) => divide(value, Math.max(...values))),
  "speedup over the first": (values) => values.map((value) => divide(values.find((one) => one !== null), value)),
};

const DASHES = ["solid", "dash", "dot", "dashdot"];

function divide(value, by) {
  return value === null || !by ? null : value / by;
}

class Explorer {
  constructor(place, data) {
    this.data = data;
    this.choice = { x: data.x, y: data.y, series: data.series || NONE, normalise: NONE, marks: "lines and points", scale: "linear" };
    this.plot = make("div", { class: "plot" });
    this.traces = [];
    this.layout = { xaxis: { title: { text: "" } }, yaxis: { title: { text: "" } } };
    const numbers = data.columns.filter((column) => !column.words).map((column) => column.title);
    const all = data.columns.map((column) => column.title);
    place.append(make("div", { class: "bar" },
      this.makeChoice("x", "Horizontal axis:", all), this.makeChoice("y", "Vertical axis:", numbers),
      this.makeChoice("series", "Series:", [NONE, ...data.keys]), this.makeChoice("normalise", "Normalise each series:", Object.keys(NORMALISATIONS)),
      this.makeChoice("marks", "Marks:", ["lines and points", "points", "bars"]), this.makeChoice("scale", "Scale:", ["linear", "logarithmic"])),
    this.plot, makeNumbers(() => this.traces, this.layout));
    this.draw();
  }

  makeChoice(name, label, options) {
    return labelled(label, makeSelect(options, this.choice[name], (value) => {
      this.choice[name] = value;
      this.draw();
    }));
  }

  column(title) {
    return this.data.columns.find((column) => column.title === title);
  }

  draw() {
    const [x, y, series] = ["x", "y", "series"].map((name) => this.column(this.choice[name]));
    const groups = new Map();
    for (let row = 0; row < rowCount(this.data.columns); ++row) {
      const key = series ? textsOf(series).codes[row] : 0; // shown texts may be shortened to the same
      groups.set(key, groups.get(key) || []);
      groups.get(key).push(row);
    }
    this.traces.splice(0, this.traces.length, ...[...groups].map(([, rows], number) =>
      this.makeTrace(series ? cellText(series, rows[0]) : "", rows, x, y, number)));
    const isRelative = this.choice.normalise !== NONE;
    const type = this.choice.scale === "linear" ? undefined : "log";
    this.layout.xaxis = { title: { text: headText(x) }, type: x.words ? "category" : type };
    this.layout.yaxis = { title: { text: isRelative ? `${y.title}, ${this.choice.normalise}` : headText(y) }, type };
    this.layout.barmode = "group";
    drawChart(this.plot, this.traces, this.layout);
  }

  makeTrace(name, rows, x, y, number) {
    const shown = (column, row) => (column.words ? cellText(column, row) : column.values[row] === null ? null : column.values[row] / column.size);
    const sorted = x.words ? rows : [...rows].sort((a, b) => x.values[a] - x.values[b]);
    const isBar = this.choice.marks === "bars";
    return {
      name, type: isBar ? "bar" : "scatter", mode: this.choice.marks === "points" ? "markers" : "lines+markers",
      marker: { symbol: number % 8, size: 8 }, line: { dash: DASHES[(number + Math.floor(number / 8)) % 4] },
      x: sorted.map((row) => shown(x, row)), y: NORMALISATIONS[this.choice.normalise](sorted.map((row) => shown(y, row))),
    };
  }
}
