# SPDX-License-Identifier: GPL-2.0-only
"""The scales of axes, and how far they go."""

import math

import numpy
from matplotlib.ticker import LogFormatter

HEADROOM = 1.08
LOG_HEADROOM = 1.6
MOST_DECADES = 5  # on an axis that has a place for 0; lower values stand near 0
SHARE_OF_ZERO = 0.12  # of the decades: the room below them, at whose end 0 is


def apply_scales(plot, grid):
    """A logarithmic axis has a place for 0 below its decades where a curve comes to it, so that
    curves do not break; bars begin there anyhow. Without a number above 0 it stays linear. All axes
    of the grid are to one scale.

    Requires: all curves are drawn."""
    for name in ("x", "y"):
        if plot.scales[name] == "log" and has_positive(grid, name):
            values = [] if plot.kind.name == "bar" else [numbers_drawn(axes, name) for axes in grid]
            make_logarithmic(grid[0], name, [value for one in values for value in one])


def make_logarithmic(axes, name, values):
    set_scale = axes.set_xscale if name == "x" else axes.set_yscale
    axis = axes.xaxis if name == "x" else axes.yaxis
    positive = [value for value in values if value > 0]
    if positive and len(positive) < len(values):
        last = math.floor(math.log10(max(positive)))
        first = max(math.floor(math.log10(min(positive))), last + 1 - MOST_DECADES)
        room = SHARE_OF_ZERO * (last + 1 - first)
        set_scale("symlog", linthresh=10.0**first, linscale=room)
        set_limits = axes.set_xlim if name == "x" else axes.set_ylim
        set_limits(0, LOG_HEADROOM * max(positive))
    else:
        set_scale("log", nonpositive="clip")
        axis.set_minor_formatter(LogFormatter(minor_thresholds=(1.5, 0.5)))
    axis.set_major_formatter("{x:g}")


def has_positive(grid, name):
    """Whether something is drawn above 0."""
    return any(getattr(axes.dataLim, f"interval{name}")[1] > 0 for axes in grid)


def numbers_drawn(axes, name):
    """Those of all curves on an axis."""
    curves = [line for line in axes.lines if line.get_transform() is axes.transData]
    found = [line.get_xdata() if name == "x" else line.get_ydata() for line in curves]
    values = numpy.concatenate([numpy.asarray(one, dtype=float) for one in found] or [[]])
    return values[~numpy.isnan(values)]


def begin_at_zero(plot, axes, largest, headroom=HEADROOM):
    """A linear y axis shows how values compare; `largest` of them."""
    if plot.scales["y"] != "log":
        axes.set_ylim(0, headroom * largest or 1.0)
