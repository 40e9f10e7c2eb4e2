// SPDX-License-Identifier: GPL-2.0-only
// Draws each part when it comes near to what is seen; before printing, all of them. Between two parts
// the page answers; charts come after what is drawn faster.

const DATA = JSON.parse(document.getElementById("data").textContent);
const MAKERS = {
  table: (place, data) => new DataTable(place, data),
  chart: makeChart,
  graph: makeGraph,
  timeline: (place, data) => new TimeLine(place, data),
  explorer: (place, data) => new Explorer(place, data),
};

function drawPart(figure) {
  if (!figure.classList.contains("drawn")) {
    figure.classList.add("drawn");
    const place = figure.querySelector(".place");
    place.style.minHeight = "";
    MAKERS[figure.dataset.kind](place, DATA.parts[figure.dataset.name]);
  }
}

const parts = [...document.querySelectorAll(".part")];
const waiting = [];
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((one) => one.isIntersecting)) {
    observer.unobserve(entry.target);
    waiting.push(entry.target);
    setTimeout(drawNext);
  }
}, { rootMargin: "600px" });

function drawNext() {
  const fast = waiting.findIndex((figure) => !["chart", "explorer"].includes(figure.dataset.kind));
  drawPart(...waiting.splice(Math.max(fast, 0), 1));
}

for (const figure of parts) {
  figure.querySelector(".place").style.minHeight = figure.dataset.kind === "table" ? "8rem" : "26rem";
  observer.observe(figure);
}

for (const box of document.querySelectorAll(".hide-defaults")) {
  box.addEventListener("change", () => document.querySelectorAll(".settings")
    .forEach((table) => table.classList.toggle("hidden-defaults", box.checked)));
}

/** Paper is light and narrow, whatever the screen is. */
function showPrinted(isPrinted) {
  document.documentElement.classList.toggle("printing", isPrinted);
  parts.forEach(isPrinted ? drawPart : () => {});
  document.querySelectorAll(".scroll").forEach((place) => fitTable(place, isPrinted));
  redrawCharts();
}

const LEAST_ZOOM = 0.5; // smaller letters are not read; the cells of wider tables are broken

function fitTable(place, isPrinted) {
  const table = place.querySelector("table");
  table.style.zoom = "";
  table.classList.remove("broken");
  const zoom = isPrinted ? Math.min(1, place.clientWidth / table.offsetWidth) : 1;
  table.style.zoom = zoom < 1 ? Math.max(zoom, LEAST_ZOOM) : "";
  table.classList.toggle("broken", zoom < LEAST_ZOOM);
}

window.addEventListener("beforeprint", () => showPrinted(true));
window.addEventListener("afterprint", () => showPrinted(false));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
