# SPDX-License-Identifier: GPL-2.0-only
"""Columns of times of two runs, which are picoseconds in a comparison and nanoseconds in a page."""

import math

from ..parts import quantity_columns

NAME = "x_ns"


def nanoseconds(picoseconds):
    """Exact to the picosecond up to hours, which is when doubles begin to round. None is NaN."""
    return math.nan if picoseconds is None else picoseconds / 1000


def time_columns(columns):
    """Of {title: times in ps}, all in one unit."""
    return quantity_columns(NAME, {title: [nanoseconds(time) for time in times]
                                   for title, times in columns.items()})


def pair_columns(names, before, after):
    """Both times in ps, and their difference."""
    return time_columns({names[0]: before, names[1]: after, "difference": [
        new - old for old, new in zip(before, after)]})
