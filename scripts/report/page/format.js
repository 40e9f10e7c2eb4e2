// SPDX-License-Identifier: GPL-2.0-only
// What the other scripts share: elements, numbers as text, colours of the page.

/** An element with attributes and children. Texts become text nodes, so that no text is markup. */
function make(tag, attributes, ...children) {
  const isDrawing = ["svg", "g", "line", "circle", "text", "title", "path", "defs", "marker"].includes(tag);
  const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== undefined) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

/** A labelled control. */
function labelled(text, control) {
  return make("label", { class: "choice" }, text + " ", control);
}

/** A list to choose from; `act` gets the chosen text. */
function makeSelect(options, chosen, act) {
  const select = make("select", { onchange: () => act(select.value) });
  for (const option of options) {
    select.append(make("option", { value: option, selected: option === chosen }, option));
  }
  return select;
}

const TIME_UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

/** "283.4 us" of nanoseconds; the unit is that of `span`, so that times beside each other agree. */
function timeText(nanoseconds, span) {
  const [size, unit] = TIME_UNITS.find(([least]) => Math.abs(span === undefined ? nanoseconds : span) >= least) || [1, "ns"];
  return `${(nanoseconds / size).toFixed(3)} ${unit}`;
}

/** The words and codes of a column that is shown as texts: of texts, or of numbers as written. */
function textsOf(column) {
  return column.words ? column : column.texts;
}

/** A value of a column as a cell shows it. */
function cellText(column, row) {
  const texts = textsOf(column);
  if (texts) {
    return texts.words[texts.codes[row]];
  }
  const value = column.values[row];
  return value === null ? "" : numberText(value / column.size, column.digits);
}

/** A value of a column without loss, in the unit of the file. */
function exactText(column, row) {
  return textsOf(column) ? cellText(column, row) : String(column.values[row] ?? "");
}

const [DIGITS_OF_SMALL, DIGITS_OF_ANY] = [3, 9];

/** With so many decimals, or where `digits` is null with as many as the number has. A number that is
 * too small for them is not shown as 0. */
function numberText(value, digits) {
  const shown = digits === null ? "" : value.toFixed(digits);
  if (Number.isInteger(value) || Number(shown) !== 0) {
    return shown || String(value);
  }
  return String(Number(value.toPrecision(shown ? DIGITS_OF_SMALL : DIGITS_OF_ANY)));
}

/** The value of a cell to sort and filter by: a number or a text. */
function cellValue(column, row) {
  return column.words ? column.words[column.codes[row]] : column.values[row];
}

function rowCount(columns) {
  return columns.length ? (columns[0].codes || columns[0].values).length : 0;
}

/** "runs (us)". */
function headText(column) {
  return column.unit ? `${column.title} (${column.unit})` : column.title;
}

function styleColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Black lines are not seen on dark paper. */
function seriesColor(number) {
  const color = DATA.palette.series[number % DATA.palette.series.length];
  return color === "#000000" ? styleColor("--ink") : color;
}
