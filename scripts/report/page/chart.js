// SPDX-License-Identifier: GPL-2.0-only
// Charts of Plotly, in the colours of the page, each with its numbers as a table.

const CONFIG = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
const drawnCharts = new Set();
const timeLines = new Set(); // which are drawn anew with the charts

/** Plotly takes a second to begin, which only the first chart waits for. */
function loadPlotly() {
  if (!window.Plotly) {
    const script = make("script", {}, ...document.getElementById("library").childNodes); // no copy
    document.head.append(script);
  }
  return window.Plotly;
}

/** Layout with the colours and fonts of the page. */
function themed(layout) {
  const [ink, line, clear] = [styleColor("--ink"), styleColor("--line"), "rgba(0,0,0,0)"];
  const whole = {
    ...layout, paper_bgcolor: clear, plot_bgcolor: clear, font: { color: ink, family: "system-ui, sans-serif", size: 13 },
    colorway: DATA.palette.series.map((_, number) => seriesColor(number)), margin: { l: 70, r: 20, t: 30, b: 60, ...layout.margin },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", ...layout.legend }, hoverlabel: { font: { size: 13 }, namelength: 60 },
    modebar: { bgcolor: clear, color: styleColor("--faint"), activecolor: ink },
  };
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
    whole[name] = { gridcolor: line, linecolor: line, zerolinecolor: line, automargin: true, ...layout[name] };
  }
  return whole;
}

/** Draws into `plot`, or draws anew there. Texts of results are shown as they are: Plotly reads a few
 * tags in texts, so that their brackets are replaced by letters that look the same. */
function drawChart(plot, traces, layout) {
  plot.chart = { traces, layout };
  drawnCharts.add(plot);
  const whole = { ...themed(layout), autosize: true };
  if (document.documentElement.classList.contains("printing")) {
    whole.width = plot.clientWidth; // a new width of the element is seen too late for paper
  }
  return loadPlotly().react(plot, plainTexts(traces), whole, CONFIG);
}

function plainTexts(value) {
  if (typeof value === "string") {
    return value.replaceAll("<", "\uFF1C").replaceAll("&", "\uFF06");
  }
  if (Array.isArray(value)) {
    return value.map(plainTexts);
  }
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === "hovertemplate" ? one : plainTexts(one)]));
  }
  return value;
}

function makeChart(place, data) {
  const plot = make("div", { class: "plot" });
  place.append(plot, makeZoom(plot), makeNumbers(() => data.traces, data.layout));
  drawChart(plot, data.traces, data.layout);
}

/** Zooms for the keyboard; the mouse does it in the chart. */
function makeZoom(plot) {
  const zoom = (factor) => () => {
    const [begin, end] = plot._fullLayout.xaxis.range;
    const [middle, half] = [(begin + end) / 2, (end - begin) / 2 * factor];
    Plotly.relayout(plot, { "xaxis.range": [middle - half, middle + half] });
  };
  const reset = () => Plotly.relayout(plot, { "xaxis.autorange": true, "yaxis.autorange": true });
  const button = (text, act) => make("button", { type: "button", onclick: act }, text);
  return make("div", { class: "bar" }, button("Zoom in", zoom(0.5)), button("Zoom out", zoom(2)), button("Whole chart", reset));
}

/** The values of the traces as a table, made when it is opened. */
function makeNumbers(traces, layout) {
  const details = make("details", { class: "numbers" }, make("summary", {}, "The numbers of this chart"));
  details.addEventListener("toggle", () => {
    details.querySelector(".place")?.remove();
    if (details.open) {
      const place = make("div", { class: "place" });
      details.append(place);
      new DataTable(place, { columns: numberColumns(traces(), layout) });
    }
  });
  return details;
}

function numberColumns(traces, layout) {
  const points = traces.flatMap((trace) => (trace.x || []).map((x, i) => [trace.name || "", x, trace.y[i]]));
  const axisTitle = (axis) => (layout[axis] && layout[axis].title.text) || axis;
  const column = (title, values) => values.every((value) => typeof value === "number" || value === null)
    ? { title, unit: "", size: 1, digits: null, values }
    : { title, words: [...new Set(values.map(String))], codes: codesOf(values.map(String)) };
  return [column("series", points.map((one) => one[0])), column(axisTitle("xaxis"), points.map((one) => one[1])),
    column(axisTitle("yaxis"), points.map((one) => one[2]))];
}

function codesOf(texts) {
  const numbers = new Map([...new Set(texts)].map((text, number) => [text, number]));
  return texts.map((text) => numbers.get(text));
}

function redrawCharts() {
  for (const plot of drawnCharts) {
    drawChart(plot, plot.chart.traces, plot.chart.layout);
  }
  timeLines.forEach((one) => one.draw());
}
