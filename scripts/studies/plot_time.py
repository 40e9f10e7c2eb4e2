# SPDX-License-Identifier: GPL-2.0-only
"""Plots over time: what points have kept in their series.csv, with axes for each panel."""

import numpy
from matplotlib.figure import Figure

from .plot_axes import value_scale
from .plot_legend import put_beside
from .plot_reference import draw_across
from .plot_scales import apply_scales
from .plot_style import add_grid, curve_look
from .quantities import readable_unit

PANELS_IN_A_LINE = 2
WIDTH, PANEL_WIDTH = 7.6, 5.6  # inches
HEIGHT, PANEL_HEIGHT = 4.0, 2.2


def draw_time(data):
    """A figure; the legend stands beside it, for curves may be anywhere."""
    panels = {}
    for point, curves in data.over_time:
        panels.setdefault(point.coordinates.get(data.plot.panels, ""), []).extend(curves)
    figure, grid = make_axes(len(panels))
    every = [curve for curves in panels.values() for curve in curves]
    label, unit = value_scale(data, [value for _, _, values in every for value in values])
    ends = [times[-1] for _, times, _ in every if times]
    time_unit, time_factor = readable_unit("time_ns", ends)
    names = list(dict.fromkeys(name for name, _, _ in every))  # of one look in all panels
    for axes, (title, curves) in zip(grid, panels.items()):
        for name, times, values in curves:
            xs, ys = numpy.array(times) / time_factor, numpy.array(values, dtype=float) / unit
            look = curve_look(names.index(name), len(names), len(xs))
            axes.plot(xs, ys, label=name, **look)
        draw_across(data, axes.axhline, unit)
        axes.set_title(title, fontsize=9)
        add_grid(axes)
    scale(data.plot, grid)
    write_labels(figure, f"{data.plot.labels['x'] or 'time'}, {time_unit}", label)
    add_legend(data, grid)
    if data.plot.title:
        figure.suptitle(data.plot.title, fontsize=12)
    return figure


def make_axes(count):
    """(figure, axes of the panels), all to one scale."""
    if count == 1:
        figure = Figure(figsize=(WIDTH, HEIGHT))
        return figure, [figure.subplots()]
    lines = -(-count // PANELS_IN_A_LINE)
    figure = Figure(figsize=(PANEL_WIDTH * PANELS_IN_A_LINE, PANEL_HEIGHT * lines + 0.6))
    grid = figure.subplots(lines, PANELS_IN_A_LINE, sharex=True, sharey=True).flat
    for axes in grid[count:]:
        axes.set_visible(False)
    return figure, list(grid[:count])


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
