// SPDX-License-Identifier: GPL-2.0-only
// A chart of a sweep's points whose axes, series and normalisation are chosen on the page.

const NONE = "none";
const OTHERS = "all other keys"; // of those that vary
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
    this.left = make("p", { class: "note", role: "status" });
    this.traces = [];
    this.layout = { xaxis: { title: { text: "" } }, yaxis: { title: { text: "" } } };
    const numbers = data.columns.filter((column) => !column.words).map((column) => column.title);
    const all = data.columns.map((column) => column.title);
    place.append(make("div", { class: "bar" },
      this.makeChoice("x", "Horizontal axis:", all), this.makeChoice("y", "Vertical axis:", numbers),
      this.makeChoice("series", "Series:", [NONE, OTHERS, ...data.keys]), this.makeChoice("normalise", "Normalise each series:", Object.keys(NORMALISATIONS)),
      this.makeChoice("marks", "Marks:", ["lines and points", "points", "bars"]), this.makeChoice("scale", "Scale:", ["linear", "logarithmic"])),
    this.plot, this.left, makeNumbers(() => this.traces, this.layout));
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
    const [x, y] = ["x", "y"].map((name) => this.column(this.choice[name]));
    const series = this.seriesColumns(x);
    const groups = new Map();
    for (let row = 0; row < rowCount(this.data.columns); ++row) {
      const key = series.map((one) => textsOf(one).codes[row]).join(); // shown texts may be shortened to the same
      groups.set(key, groups.get(key) || []);
      groups.get(key).push(row);
    }
    this.traces.splice(0, this.traces.length, ...[...groups.values()].map((rows, number) =>
      this.makeTrace(series.map((one) => cellText(one, rows[0])).join(", "), rows, x, y, number)));
    const isRelative = this.choice.normalise !== NONE;
    const type = this.choice.scale === "linear" ? undefined : "log";
    this.layout.xaxis = { title: { text: headText(x) }, type: x.words ? "category" : type };
    this.layout.yaxis = { title: { text: isRelative ? `${y.title}, ${this.choice.normalise}` : headText(y) }, type };
    this.left.textContent = type === "log" ? this.tellLeftOut(x) : "";
    this.layout.barmode = "group";
    drawChart(this.plot, this.traces, this.layout);
  }

  /** Nothing where all points have a place. */
  tellLeftOut(x) {
    const hasPlace = (value, isWord) => isWord || value === null || value > 0;
    const left = this.traces.flatMap((trace) => trace.y.filter((y, i) => !hasPlace(y) || !hasPlace(trace.x[i], x.words)));
    return left.length ? `Points without a place on a logarithmic axis, as they are at 0 or below: ${left.length}.` : "";
  }

  /** The columns whose values tell the series apart. */
  seriesColumns(x) {
    const { series } = this.choice;
    if (series !== OTHERS) {
      return series === NONE ? [] : [this.column(series)];
    }
    return this.data.keys.map((title) => this.column(title)).filter((one) => one !== x && textsOf(one).words.length > 1);
  }

  /** Points of one series that share a place, as other keys vary too, are no curve: no line joins them. */
  makeTrace(name, rows, x, y, number) {
    const shown = (column, row) => (column.words ? cellText(column, row) : column.values[row] === null ? null : column.values[row] / column.size);
    const sorted = x.words ? rows : [...rows].sort((a, b) => x.values[a] - x.values[b]);
    const isBar = this.choice.marks === "bars";
    const places = sorted.map((row) => shown(x, row));
    const isCurve = this.choice.marks !== "points" && new Set(places).size === places.length;
    return {
      name, type: isBar ? "bar" : "scatter", mode: isCurve ? "lines+markers" : "markers",
      marker: { symbol: number % 8, size: 8 }, line: { dash: DASHES[(number + Math.floor(number / 8)) % 4] },
      x: places, y: NORMALISATIONS[this.choice.normalise](sorted.map((row) => shown(y, row))),
    };
  }
}
