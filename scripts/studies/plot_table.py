# SPDX-License-Identifier: GPL-2.0-only
"""Tables of numbers of the points, for people (Markdown) and for programs (CSV)."""

import statistics

from .plot_axes import last_words
from .quantities import mean, readable_unit, unit_of, words_of
from .tables import csv_text

DIGITS = 4
WHOLE_FROM = 100  # a mean of counts


def write_table(data):
    """The texts of its two files."""
    return markdown(data), csv(data)


def read_cells(data):
    """{texts of a row: [the known values of each column]}, in the order of the study."""
    return {
        key: [cell.dropna().tolist() for _, cell in row.groupby("column").value]
        for key, row in data.rows.groupby("key", sort=False)
    }


def markdown(data):
    """Values in readable units; where several points are one, their mean, least and most."""
    rows = read_cells(data)
    columns = [[cells[i] for cells in rows.values()] for i in range(len(data.plot.columns))]
    scales = scales_of([name for name, _, _ in data.plot.columns], columns)
    heads = last_words(data.plot.series)
    texts = []
    for (name, label, _), (unit, factor), cells in zip(data.plot.columns, scales, columns):
        heads.append(", ".join(filter(None, [label or words_of(name), unit])))
        texts.append(column_texts([[value / factor for value in cell] for cell in cells]))
    lines = [line(heads), "|---" * len(data.plot.series) + "|---:" * len(texts) + "|"]
    lines += [line([*key, *cells]) for key, cells in zip(rows, zip(*texts))]
    title = [data.plot.title, ""] if data.plot.title else []
    return "\n".join(title + lines) + "\n"


def scales_of(names, columns):
    """[(unit, how many of the results' unit it is)]: one for all times, one for all sizes, ..."""
    cells = {}
    for name, column in zip(names, columns):
        cells.setdefault(unit_of(name), []).extend(column)
    return [readable_unit(name, [middle(cells[unit_of(name)])]) for name in names]


def middle(cells):
    """The median of the values that are not 0: units and digits should suit most values."""
    sizes = [abs(mean(cell)) for cell in cells if cell]
    return statistics.median([size for size in sizes if size] or [0.0])


def line(texts):
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def column_texts(cells):
    """Four digits of most values, one more of the largest; counts are whole, and so their means."""
    values = [value for cell in cells for value in cell]
    largest = max(map(abs, values), default=0.0)
    decimals = min(DIGITS - places_before(middle(cells)), DIGITS + 1 - places_before(largest))
    decimals = max(0, decimals)
    if not all(value == int(value) for value in values):
        return [cell_text(cell, decimals, decimals) for cell in cells]
    is_mean_whole = largest >= WHOLE_FROM or all(mean(cell) % 1 == 0 for cell in cells if cell)
    return [cell_text(cell, 0 if is_mean_whole else 1, 0) for cell in cells]


def places_before(value):
    """Digits before the decimal point."""
    return len(str(int(value)))


def cell_text(values, decimals, decimals_of_span):
    if not values:
        return "-"
    text = f"{mean(values):.{decimals}f}"
    least, most = (f"{one:.{decimals_of_span}f}" for one in (min(values), max(values)))
    return text if least == most else f"{text} ({least} to {most})"


def csv(data):
    """In the units of the results."""
    columns = [(label or name, i) for i, (name, label, _) in enumerate(data.plot.columns)]
    rows = []
    for key, cells in read_cells(data).items():
        row = dict(zip(data.plot.series, key))
        for name, i in columns:
            row |= values_of(name, cells[i], data.plot.over) if cells[i] else {}
        rows.append(row)
    names = [one for name, _ in columns for one in values_of(name, [0.0], data.plot.over)]
    return csv_text([*data.plot.series, *names], rows)


def values_of(name, values, over):
    found = {name: mean(values)}
    return found | {f"least {name}": min(values), f"most {name}": max(values)} if over else found
