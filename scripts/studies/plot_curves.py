# SPDX-License-Identifier: GPL-2.0-only
"""Lines over places, and distributions."""

import numpy

from .plot_axes import place_axis, value_scale
from .plot_legend import add_legend
from .plot_reference import draw_across, draw_over_places
from .plot_scales import apply_scales, begin_at_zero
from .plot_style import add_grid, color, curve_look, line_look
from .plot_ticks import name_places


def draw_line(data, _figure, axes):
    curves = data.curves()
    label, factor = value_scale(data, [value for one in curves for _, value in one.values])
    x_axis = place_axis(data)
    for number, curve in enumerate(curves):
        pairs = sorted((x_axis.numbers[place], value / factor)
                       for place, value in curve.values if value is not None)
        xs, ys = numpy.array(pairs).reshape(-1, 2).T
        axes.plot(xs, ys, label=curve.label, **line_look(number))
        add_whiskers(axes, curve, x_axis.numbers, factor, color(number))
    colors = {curve.label: color(number) for number, curve in enumerate(curves)}
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


def add_whiskers(axes, curve, xs, factor, line_color):
    """From the least to the most, where values are means."""
    if not curve.spans:
        return
    values = dict(curve.values)
    known = [(xs[place], values[place], *span) for place, span in curve.spans.items()]
    places, middles, least, most = (numpy.array(one) for one in zip(*known))
    below, above = (middles - least) / factor, (most - middles) / factor
    look = {"fmt": "none", "ecolor": line_color, "elinewidth": 1, "capsize": 3}
    axes.errorbar(places, middles / factor, (below, above), **look)


def draw_cdf(data, _figure, axes):
    pools = data.distributions()
    values = [value for pool in pools.values() for value in pool]
    label, factor = value_scale(data, values, axis="x")
    for number, (name, pool) in enumerate(pools.items()):
        xs = [value / factor for value in pool]
        shares = [(i + 1) / len(xs) for i in range(len(xs))]
        xs, shares = xs[:1] + xs, [0.0, *shares] if xs else []
        look = curve_look(number, len(pools), len(xs)) | {"linewidth": 1.5}
        axes.step(xs, shares, where="post", label=name, **look)
    draw_across(data, axes.axvline, factor)
    axes.set(xlabel=label, ylabel="share of values up to x", ylim=(0, 1.02))
    add_grid(axes)
    apply_scales(data.plot, [axes])
    add_legend(axes, data)
