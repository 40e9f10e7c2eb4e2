# SPDX-License-Identifier: GPL-2.0-only
"""Draws what values are held against: dark dashes across a figure, or above each bar."""

import numpy
from matplotlib.patheffects import withStroke

from . import plot_limits
from .plot_axes import place_rows
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
        for name, rows in curves.items():
            known = place_rows(rows, xs, factor)
            own = look if len(curves) == 1 else look | {"color": colors[name], "label": None}
            if known.value.nunique() == 1:
                axes.axhline(known.value.iloc[0], **own)
            elif len(known):
                axes.plot(known.x, known.value, **own)
        if len(curves) > 1:
            axes.plot([], [], **look)  # for the legend


def draw_over_bars(data, axes, lefts, width, factor):
    """Where they differ, a short line for each bar; `lefts` has where a bar begins: {(series,
    place): number}. Returns the highest."""
    highest = 0.0
    for i in range(len(data.plot.references)):
        reference, look = look_of(data, i)
        look["path_effects"] = [withStroke(linewidth=3, foreground="white")]  # also on dark bars
        rows = plot_limits.by_place(data, reference).dropna(subset="value")
        ys = rows.value / factor
        if ys.nunique() == 1:
            axes.axhline(ys.iloc[0], **look)
        elif len(ys):
            begins = numpy.array([lefts[bar] for bar in zip(rows.series, rows.place)])
            axes.hlines(ys, begins, begins + width, **look)
        highest = max(highest, *ys, 0.0)
    return highest


def draw_across(data, draw, factor):
    """`draw` is axhline or axvline of some axes."""
    for i in range(len(data.plot.references)):
        reference, look = look_of(data, i)
        for number in plot_limits.distinct(data, reference):
            draw(number / factor, **look)
            look["label"] = None
