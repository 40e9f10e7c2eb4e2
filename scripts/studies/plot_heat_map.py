# SPDX-License-Identifier: GPL-2.0-only
"""A number of each point as a colour, over two columns."""

import numpy

from .plot_axes import column_axis, make_axes, value_scale
from .plot_ticks import name_places, spread_names

MOST_NUMBERS = 12  # in a line or a column of cells, for which there is room


def draw_heat_map(data, figure):
    axes = make_axes(data, figure)
    x_axis, y_axis = column_axis(data, "x"), column_axis(data, "y")
    rows = data.rows.assign(y=[point.coordinates[data.plot.y] for point in data.points])
    label, factor = value_scale(data, rows.value, axis="value")
    cells = rows.pivot(index="y", columns="place", values="value") / factor
    cells = cells.reindex(index=y_axis.numbers, columns=x_axis.numbers)
    picture = axes.imshow(cells, aspect="auto", origin="lower", cmap="viridis")
    figure.colorbar(picture, ax=axes, label=label)
    name_places(axes, x_axis.names, range(len(x_axis.names)))
    axes.set_yticks(range(len(y_axis.names)), y_axis.names)
    axes.set(xlabel=x_axis.label, ylabel=y_axis.label)
    write_cells(axes, cells.to_numpy())
    spread_names(axes, may_drop=False)


def write_cells(axes, cells):
    """The number in each cell, while there is room."""
    if max(cells.shape) > MOST_NUMBERS:
        return
    middle = (numpy.nanmin(cells) + numpy.nanmax(cells)) / 2
    for (i, k), cell in numpy.ndenumerate(cells):
        color = "white" if cell < middle else "black"
        text = "-" if numpy.isnan(cell) else f"{cell:.3g}"
        axes.text(k, i, text, ha="center", va="center", color=color, fontsize=8)
