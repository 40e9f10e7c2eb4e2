# SPDX-License-Identifier: GPL-2.0-only
"""A number of each point as a colour, over two columns."""

from .plot_axes import column_axis, value_scale
from .plot_ticks import name_places

MOST_NUMBERS = 12  # in a line or a column of cells, for which there is room


def draw_heat_map(data, figure, axes):
    x_axis, y_axis = column_axis(data, "x"), column_axis(data, "y")
    values = {}
    for point in data.points:
        place = point.coordinates[data.plot.y], point.coordinates[data.plot.x]
        values[place] = data.value(point, data.plot.values[0])
    label, factor = value_scale(data, values.values(), axis="value")
    nothing = float("nan")
    cells = [
        [nothing if values.get((y, x)) is None else values[y, x] / factor for x in x_axis.numbers]
        for y in y_axis.numbers
    ]
    picture = axes.imshow(cells, aspect="auto", origin="lower", cmap="viridis")
    figure.colorbar(picture, ax=axes, label=label)
    name_places(axes, x_axis.names, range(len(x_axis.names)))
    axes.set_yticks(range(len(y_axis.names)), y_axis.names)
    axes.set(xlabel=x_axis.label, ylabel=y_axis.label)
    write_cells(axes, cells)


def write_cells(axes, cells):
    """The number in each cell, while there is room."""
    if len(cells) > MOST_NUMBERS or len(cells[0]) > MOST_NUMBERS:
        return
    known = [cell for row in cells for cell in row if cell == cell]
    middle = (min(known) + max(known)) / 2
    for i, row in enumerate(cells):
        for k, cell in enumerate(row):
            color = "white" if cell < middle else "black"
            text = f"{cell:.3g}" if cell == cell else "-"
            axes.text(k, i, text, ha="center", va="center", color=color, fontsize=8)
