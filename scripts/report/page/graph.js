// SPDX-License-Identifier: GPL-2.0-only
// Nodes and links as a drawing. A link's colour says one of its numbers; both directions of a pair
// are drawn side by side.

const [GRAPH_WIDTH, GRAPH_HEIGHT, GRAPH_MARGIN, SIDE, MOST_BOW] = [1200, 620, 45, 3, 28];
const YES_OR_NO = "yes or no"; // the unit of numbers that are 0 or 1
let markerCount = 0;

function makeGraph(place, data) {
  const state = { measure: data.measures[0] };
  const detail = make("p", { class: "detail", role: "status" }, "Point at a link, or go to it with Tab.");
  const legend = make("div", { class: "legend" });
  const svg = make("svg", { class: "graph", viewBox: `0 0 ${GRAPH_WIDTH} ${GRAPH_HEIGHT}`, role: "group", "aria-label": "drawing of the links" });
  const lines = data.links.map((ends, link) => makeLink(data, ends, () => { detail.textContent = describeLink(data, link); }));
  svg.append(...(data.directed ? [makeArrow(lines)] : []), make("g", {}, ...lines), make("g", {}, ...data.nodes.map((node) => makeNode(data, node))));
  const color = () => colorLinks(lines, state.measure, legend);
  const select = makeSelect(data.measures.map((one) => one.title), state.measure.title, (title) => {
    state.measure = data.measures.find((one) => one.title === title);
    color();
  });
  place.append(make("div", { class: "bar" }, labelled("Colour:", select), legend), svg, detail);
  color();
}

/** The head at the end of each of these lines, outside of the node's circle. */
function makeArrow(lines) {
  const name = `arrow-${markerCount++}`;
  lines.forEach((line) => line.setAttribute("marker-end", `url(#${name})`));
  return make("defs", {}, make("marker", {
    id: name, viewBox: "0 0 12 12", refX: 18, refY: 6, markerWidth: 14, markerHeight: 14, markerUnits: "userSpaceOnUse", orient: "auto",
  }, make("path", { d: "M0 0L12 6L0 12Z", fill: "context-stroke" })));
}

function placeOf(node) {
  return [GRAPH_MARGIN + node[1] * (GRAPH_WIDTH - 2 * GRAPH_MARGIN), GRAPH_HEIGHT - GRAPH_MARGIN - node[2] * (GRAPH_HEIGHT - 2 * GRAPH_MARGIN)];
}

/** A link that passes over other nodes of its row or column is bowed, but not out of the drawing. */
function makeLink(data, [from, to], show) {
  const [x1, y1] = placeOf(data.nodes[from]);
  const [x2, y2] = placeOf(data.nodes[to]);
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [sideX, sideY] = [-(y2 - y1) / length, (x2 - x1) / length];
  const isAligned = Math.abs(x1 - x2) < 1 || Math.abs(y1 - y2) < 1;
  const bow = SIDE + (isAligned && passesNodes(data, from, to) ? Math.min(length * 0.1, MOST_BOW) : 0);
  const path = `M${x1} ${y1}Q${(x1 + x2) / 2 + sideX * 2 * bow} ${(y1 + y2) / 2 + sideY * 2 * bow} ${x2} ${y2}`;
  return make("path", { d: path, fill: "none", "stroke-width": 3, tabindex: 0, role: "img", onpointerenter: show, onfocus: show });
}

function passesNodes(data, from, to) {
  const [[x1, y1], [x2, y2]] = [data.nodes[from].slice(1), data.nodes[to].slice(1)];
  const isBetween = (value, a, b) => value > Math.min(a, b) - 1e-6 && value < Math.max(a, b) + 1e-6;
  return data.nodes.some((node, number) => number !== from && number !== to
    && isBetween(node[1], x1, x2) && isBetween(node[2], y1, y2));
}

function makeNode(data, node) {
  const [x, y] = placeOf(node);
  const few = data.nodes.length <= 80;
  const group = make("g", {}, make("circle", { cx: x, cy: y, r: few ? 6 : 3 }), make("title", {}, node[0]));
  if (few) {
    const isBelow = data.directed && node[2] < 0.5; // where no arrow ends
    group.append(make("text", { x, y: isBelow ? y + 20 : y - 10 }, node[0].slice(0, 18)));
  }
  return group;
}

function describeLink(data, link) {
  const [from, to] = data.links[link];
  const numbers = data.measures.map((one) => `${one.title} ${measureText(one.values[link], one.unit)}`);
  return `${data.nodes[from][0]} -> ${data.nodes[to][0]}: ${numbers.join(", ")}`;
}

function measureText(value, unit) {
  return unit === YES_OR_NO ? ["no", "yes"][value] : `${numberText(value, null)} ${unit}`.trim();
}

function colorLinks(lines, measure, legend) {
  const most = Math.max(...measure.values, 0);
  const isDark = window.matchMedia("screen and (prefers-color-scheme: dark)").matches;
  const colors = isDark ? DATA.palette.shares : [...DATA.palette.shares].reverse(); // the most stands out most
  const binOf = (value) => (most > 0 ? Math.min(colors.length - 1, Math.floor(value / most * colors.length)) : 0);
  lines.forEach((line, link) => {
    line.setAttribute("stroke", colors[binOf(measure.values[link])]);
    line.setAttribute("stroke-width", 2 + binOf(measure.values[link]) * 0.35);
  });
  const shares = most === 0 ? [0] : measure.unit === YES_OR_NO ? [0, 1] : [0, 0.5, 1];
  legend.replaceChildren(...shares.map((share) => make("span", {},
    make("i", { style: `background:${colors[Math.round(share * (colors.length - 1))]}` }),
    measureText(Number((most * share).toPrecision(4)), measure.unit))));
}
