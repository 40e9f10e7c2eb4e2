// SPDX-License-Identifier: GPL-2.0-only
// A time line of ranks that zooms and pans, with the mouse and with the keyboard.

const [ROW_HEIGHT, NAME_WIDTH, AXIS_HEIGHT] = [18, 230, 22];

class TimeLine {
  constructor(place, data) {
    this.data = data;
    this.begin = 0;
    this.end = this.whole = Math.max(data.end, 1);
    this.ranks = [...new Set(data.rows.map((row) => row.rank))];
    this.chosen = new Set(this.ranks.slice(0, 4));
    this.canvas = make("canvas", {
      class: "timeline", tabindex: 0, role: "img", "aria-label": "time line; arrows move, plus and minus zoom, 0 shows everything",
      onwheel: (event) => this.onWheel(event), onpointermove: (event) => this.onPoint(event), onpointerdown: (event) => this.onDrag(event),
      onkeydown: (event) => this.onKey(event),
    });
    this.range = make("span", { role: "status" });
    this.detail = make("p", { class: "detail" }, "Point at a span to see what it is.");
    place.append(this.makeBar(), this.makeChoices(), this.canvas, this.detail);
    timeLines.add(this);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.draw();
  }

  makeBar() {
    const button = (text, act) => make("button", { type: "button", onclick: act }, text);
    return make("div", { class: "bar" }, button("Zoom in", () => this.zoom(0.5)), button("Zoom out", () => this.zoom(2)),
      button("Earlier", () => this.pan(-0.25)), button("Later", () => this.pan(0.25)), button("All", () => this.show(0, this.whole)), this.range);
  }

  makeChoices() {
    const boxes = this.ranks.map((rank) => {
      const box = make("input", { type: "checkbox", onchange: () => this.choose(rank, box.checked) });
      box.checked = this.chosen.has(rank);
      return make("label", { class: "choice" }, box, rank);
    });
    return make("div", { class: "bar" }, ...boxes);
  }

  choose(rank, isChosen) {
    this.chosen[isChosen ? "add" : "delete"](rank);
    this.draw();
  }

  show(begin, end) {
    const span = Math.min(Math.max(end - begin, this.whole / 1e7), this.whole);
    this.begin = Math.min(Math.max(begin, 0), this.whole - span);
    this.end = this.begin + span;
    this.draw();
  }

  zoom(factor, at = (this.begin + this.end) / 2) {
    this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
  }

  pan(share) {
    const by = share * (this.end - this.begin);
    this.show(this.begin + by, this.end + by);
  }

  onKey(event) {
    const acts = { ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(0, this.whole) };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }

  onWheel(event) {
    if (event.ctrlKey || event.shiftKey) { // the wheel alone scrolls the page
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
    }
  }

  onDrag(event) {
    const [first, begin, end] = [event.offsetX, this.begin, this.end];
    const move = (next) => {
      const by = (first - next.offsetX) / this.plotWidth() * (end - begin);
      this.show(begin + by, end + by);
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
  }

  onPoint(event) {
    const row = this.rows()[Math.floor((event.offsetY - AXIS_HEIGHT) / ROW_HEIGHT)];
    const slice = row && findSlice(row, this.timeAt(event.offsetX), 2 * (this.end - this.begin) / this.plotWidth());
    if (slice !== undefined && slice >= 0) {
      this.detail.textContent = this.describe(row, slice);
    }
  }

  describe(row, slice) {
    const name = row.code[slice] < 0 ? "several short spans" : this.data.names[row.code[slice]];
    return `${row.rank}, ${row.track}: ${name}, from ${timeText(row.start[slice], this.whole)}, for ${timeText(row.length[slice])}`;
  }

  plotWidth() {
    return Math.max(this.canvas.clientWidth - NAME_WIDTH, 10);
  }

  timeAt(x) {
    return this.begin + (x - NAME_WIDTH) / this.plotWidth() * (this.end - this.begin);
  }

  rows() {
    return this.data.rows.filter((row) => this.chosen.has(row.rank));
  }

  draw() {
    const rows = this.rows();
    const [width, height] = [this.canvas.clientWidth || 900, AXIS_HEIGHT + ROW_HEIGHT * rows.length + 4];
    const scale = window.devicePixelRatio || 1;
    this.canvas.style.height = `${height}px`;
    [this.canvas.width, this.canvas.height] = [width * scale, height * scale];
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "12px system-ui, sans-serif";
    this.drawAxis(context, width, height);
    rows.forEach((row, number) => this.drawRow(context, row, AXIS_HEIGHT + number * ROW_HEIGHT));
    this.range.textContent = `${timeText(this.begin, this.whole)} to ${timeText(this.end, this.whole)}`;
  }

  drawAxis(context, width, height) {
    context.fillStyle = styleColor("--faint");
    const span = this.end - this.begin;
    const step = [1, 2, 5, 10].map((one) => one * 10 ** Math.floor(Math.log10(span / 5))).find((one) => span / one <= 8);
    context.fillText("time since the start", 4, 14);
    for (let at = Math.ceil(this.begin / step) * step; at < this.end; at += step) {
      const x = NAME_WIDTH + (at - this.begin) / span * this.plotWidth();
      context.fillStyle = styleColor("--line");
      context.fillRect(x, 16, 1, height);
      context.fillStyle = styleColor("--faint");
      context.fillText(timeText(at, span), x + 3, 14, 90);
    }
  }

  drawRow(context, row, top) {
    context.fillStyle = styleColor("--ink");
    context.fillText(`${row.rank}  ${row.track}`, 4, top + 13, NAME_WIDTH - 10);
    const perTime = this.plotWidth() / (this.end - this.begin);
    context.fillStyle = seriesColor(row.color);
    for (let slice = firstAfter(row, this.begin); slice < row.start.length && row.start[slice] < this.end; ++slice) {
      const left = Math.max(0, (row.start[slice] - this.begin) * perTime);
      const right = Math.min(this.plotWidth(), (row.start[slice] + row.length[slice] - this.begin) * perTime);
      context.globalAlpha = row.code[slice] < 0 ? 0.55 : 1;
      context.fillRect(NAME_WIDTH + left, top + 2, Math.max(right - left - 0.4, 0.6), ROW_HEIGHT - 4);
    }
    context.globalAlpha = 1;
  }
}

/** The number of the first slice that ends after `time`. */
function firstAfter(row, time) {
  let [low, high] = [0, row.start.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = row.start[middle] + row.length[middle] <= time ? [middle + 1, high] : [low, middle];
  }
  return low;
}

/** The slice at `time`, or one that is at most `near` away; -1 where there is none. */
function findSlice(row, time, near) {
  const slice = firstAfter(row, time - near);
  return slice < row.start.length && row.start[slice] <= time + near ? slice : -1;
}
