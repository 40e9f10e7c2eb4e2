// SPDX-License-Identifier: GPL-2.0-only
// Draws each part when it comes near to what is seen; before printing, all of them.

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
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((one) => one.isIntersecting)) {
    observer.unobserve(entry.target);
    drawPart(entry.target);
  }
}, { rootMargin: "600px" });
for (const figure of parts) {
  figure.querySelector(".place").style.minHeight = figure.dataset.kind === "table" ? "8rem" : "26rem";
  observer.observe(figure);
}

for (const box of document.querySelectorAll(".hide-defaults")) {
  box.addEventListener("change", () => document.querySelectorAll(".settings")
    .forEach((table) => table.classList.toggle("hidden-defaults", box.checked)));
}

/** Paper is light, whatever the screen is. */
function showPrinted(isPrinted) {
  document.documentElement.classList.toggle("printing", isPrinted);
  parts.forEach(isPrinted ? drawPart : () => {});
  redrawCharts();
}

window.addEventListener("beforeprint", () => showPrinted(true));
window.addEventListener("afterprint", () => showPrinted(false));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
