# SPDX-License-Identifier: GPL-2.0-only
"""Plots over time: what points have kept in their series.csv, with axes for each panel."""

from .plot_axes import value_scale
from .plot_legend import put_beside
from .plot_reference import draw_across
from .plot_scales import apply_scales
from .plot_style import add_grid, curve_look
from .quantities import readable_unit

PANELS_IN_A_LINE = 2
WIDTH, PANEL_WIDTH = 7.6, 5.6  # inches
HEIGHT, PANEL_HEIGHT = 4.0, 2.2


def draw_time(data, figure):
    """The legend stands beside it, for curves may be anywhere."""
    panels = list(dict.fromkeys(map(data.panel_of, filter(data.is_done, data.points))))
    grid = make_panels(figure, len(panels))
    label, unit = value_scale(data, data.rows.value)
    time_unit, time_factor = readable_unit("time_ns", data.rows.time)
    names = list(data.rows.series.unique())  # of one look in all panels
    for axes, panel in zip(grid, panels):
        curves = data.rows[data.rows.panel == panel].groupby("series", sort=False)
        for name, curve in curves:
            look = curve_look(names.index(name), len(names), len(curve))
            axes.plot(curve.time / time_factor, curve.value / unit, label=name, **look)
        draw_across(data, axes.axhline, unit)
        axes.set_title(panel, fontsize=9)
        add_grid(axes)
    scale(data.plot, grid)
    write_labels(figure, f"{data.plot.labels['x'] or 'time'}, {time_unit}", label)
    add_legend(data, grid)
    if data.plot.title:
        figure.suptitle(data.plot.title, fontsize=12)


def make_panels(figure, count):
    """The axes of the panels, all to one scale."""
    if count == 1:
        figure.set_size_inches(WIDTH, HEIGHT)
        return [figure.subplots()]
    lines = -(-count // PANELS_IN_A_LINE)
    figure.set_size_inches(PANEL_WIDTH * PANELS_IN_A_LINE, PANEL_HEIGHT * lines + 0.6)
    grid = figure.subplots(lines, PANELS_IN_A_LINE, sharex=True, sharey=True).flat
    for axes in grid[count:]:
        axes.set_visible(False)
    return list(grid[:count])


def scale(plot, grid):
    """All panels share it."""
    apply_scales(plot, grid)
    grid[0].margins(x=0)
    if not plot.selection.between:
        grid[0].set_xlim(left=0)
    if plot.scales["y"] != "log":
        grid[0].set_ylim(bottom=0)


def write_labels(figure, time, value):
    if len(figure.axes) == 1:
        figure.axes[0].set(xlabel=time, ylabel=value)
    else:
        figure.supxlabel(time, fontsize=10)
        figure.supylabel(value, fontsize=10)


def add_legend(data, grid):
    handles = {}
    for axes in grid:
        handles |= {line.get_label(): line for line in axes.lines}
    handles = {name: line for name, line in handles.items() if not name.startswith("_")}
    if not handles:  # one curve without a name
        return
    last = grid[min(len(grid), PANELS_IN_A_LINE) - 1]
    put_beside(last, data, {"handles": handles.values(), "labels": handles.keys()})
