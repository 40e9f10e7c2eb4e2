# SPDX-License-Identifier: GPL-2.0-only
"""Lines over places, and distributions."""

import numpy

from .plot_axes import make_axes, place_axis, place_rows, value_scale
from .plot_legend import add_legend
from .plot_reference import draw_across, draw_over_places
from .plot_scales import apply_scales, begin_at_zero
from .plot_style import add_grid, color, curve_look, line_look
from .plot_ticks import name_places, spread_names


def draw_line(data, figure):
    axes = make_axes(data, figure)
    label, factor = value_scale(data, data.rows.value)
    x_axis = place_axis(data)
    colors = {}
    for number, (name, curve) in enumerate(data.rows.groupby("series", sort=False)):
        known = place_rows(curve, x_axis.numbers, factor)
        axes.plot(known.x, known.value, label=name, **line_look(number))
        add_whiskers(axes, known, color(number))
        colors[name] = color(number)
    draw_over_places(data, axes, x_axis.numbers, factor, colors)
    axes.set(xlabel=x_axis.label, ylabel=label)
    add_grid(axes)
    apply_scales(data.plot, [axes])
    if x_axis.names:
        numbers, names = zip(*sorted(zip(x_axis.numbers.values(), x_axis.names)))
        name_places(axes, names, numbers)
    largest = max(max(line.get_ydata(), default=0.0) for line in axes.lines)
    begin_at_zero(data.plot, axes, largest)
    add_legend(axes, data)
    spread_names(axes, may_drop=x_axis.is_scale)


def add_whiskers(axes, known, line_color):
    """From the least to the most, where values are means."""
    if "least" not in known or known.empty:
        return
    reach = known.value - known.least, known.most - known.value
    look = {"fmt": "none", "ecolor": line_color, "elinewidth": 1, "capsize": 3}
    axes.errorbar(known.x, known.value, reach, **look)


def draw_cdf(data, figure):
    axes = make_axes(data, figure)
    label, factor = value_scale(data, data.rows.value, axis="x")
    pools = data.rows.groupby("series", sort=False).value
    for number, (name, pool) in enumerate(pools):
        values = numpy.sort(pool.dropna()) / factor
        shares = numpy.arange(len(values) + 1) / len(values) if len(values) else []
        look = curve_look(number, len(pools), len(shares)) | {"linewidth": 1.5}
        axes.step([*values[:1], *values], shares, where="post", label=name, **look)
    draw_across(data, axes.axvline, factor)
    axes.set(xlabel=label, ylabel="share of values up to x", ylim=(0, 1.02))
    add_grid(axes)
    apply_scales(data.plot, [axes])
    add_legend(axes, data)
