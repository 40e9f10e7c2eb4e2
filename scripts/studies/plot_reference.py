# SPDX-License-Identifier: GPL-2.0-only
"""Draws what values are held against: dark dashes across a figure, or above each bar."""

from matplotlib.patheffects import withStroke

from . import plot_limits
from .plot_style import REFERENCE_COLOR, REFERENCE_DASHES


def look_of(data, number):
    """(reference, its look) of the plot's reference with this number."""
    reference = data.plot.references[number]
    dashes = REFERENCE_DASHES[number % len(REFERENCE_DASHES)]
    words = plot_limits.words_of(reference, data.plot)
    return reference, {"color": REFERENCE_COLOR, "linestyle": dashes, "linewidth": 1.3,
                       "label": words}


def draw_over_places(data, axes, xs, factor, colors):
    """`xs` has the number of each place, `colors` the colour of each series."""
    for i in range(len(data.plot.references)):
        reference, look = look_of(data, i)
        curves = plot_limits.curves(data, reference)
        for curve in curves:
            pairs = sorted((xs[x], y / factor) for x, y in curve.values if y is not None)
            own = look if len(curves) == 1 else look | {"color": colors[curve.label], "label": None}
            if len({y for _, y in pairs}) == 1:
                axes.axhline(pairs[0][1], **own)
            elif pairs:
                axes.plot(*zip(*pairs), **own)
        if len(curves) > 1:
            axes.plot([], [], **look)  # for the legend


def draw_over_bars(data, axes, lefts, width, factor):
    """Where they differ, a short line for each bar; `lefts` has where a bar begins: {(series,
    place): number}. Returns the highest."""
    highest = 0.0
    for i in range(len(data.plot.references)):
        reference, look = look_of(data, i)
        look["path_effects"] = [withStroke(linewidth=3, foreground="white")]  # also on dark bars
        limits = data.curves_of(reference, lambda point, one: plot_limits.limit(data, point, one))
        bars = [(lefts[curve.label, place], value / factor)
                for curve in limits for place, value in curve.values if value is not None]
        begins, ys = zip(*bars) if bars else ([], [])
        if len(set(ys)) == 1:
            axes.axhline(ys[0], **look)
        elif bars:
            axes.hlines(ys, begins, [begin + width for begin in begins], **look)
        highest = max(highest, *ys, 0.0)
    return highest


def draw_across(data, draw, factor):
    """`draw` is axhline or axvline of some axes."""
    for i in range(len(data.plot.references)):
        reference, look = look_of(data, i)
        for number in plot_limits.straight(data, reference):
            draw(number / factor, **look)
            look["label"] = None
