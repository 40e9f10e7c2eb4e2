# SPDX-License-Identifier: GPL-2.0-only
"""How the series of a figure look.

They differ in colour, and also in what a print in grey shows: lines in marker and dashes, bars in
hatches.
"""

from .palette import SERIES as COLORS

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]
HATCHES = ["", "///", "...", "\\\\\\", "xxx", "---", "ooo", "|||"]
REFERENCE_COLOR = "#444444"
REFERENCE_DASHES = [(0, (5, 1)), (0, (1, 1)), (0, (5, 1, 1, 1))]
MARKERS_ON_CURVE = 8  # where it has too many values to mark each of them


def line_look(number):
    """Of the series with this number; the 32 first ones differ."""
    dashes = DASHES[(number + number // len(COLORS)) % len(DASHES)]
    return {"color": color(number), "marker": MARKERS[number % len(MARKERS)], "linestyle": dashes,
            "markersize": 4.5}


def curve_look(number, curves, values):
    """Of one of so many curves that has so many values: markers at some of these, at others than
    its neighbours'."""
    if curves == 1:
        return {"color": color(number), "linewidth": 1}
    step = max(1, values // MARKERS_ON_CURVE)
    first = step * (number % len(MARKERS)) // len(MARKERS)
    return line_look(number) | {"markevery": (first, step), "linewidth": 1}


def bar_look(number):
    """Of the series, or the part of a stack, with this number."""
    hatch = HATCHES[(number + number // len(COLORS)) % len(HATCHES)]
    return {"color": color(number), "hatch": hatch, "edgecolor": "white", "linewidth": 0}


def color(number):
    return COLORS[number % len(COLORS)]


def add_grid(axes, **which):
    """Behind what is drawn."""
    axes.set_axisbelow(True)
    axes.grid(alpha=0.3, **which)
