# SPDX-License-Identifier: GPL-2.0-only
"""Where the time of each rank went: compute, exposed communication by type, idle."""

import numpy

from studies import palette

TYPE_COLORS = [color for color in palette.SERIES
               if color not in (palette.COMPUTE, palette.IDLE, "#000000")]


def rank_times(result):
    """[(name, colour, times in ns by rank)] that add up to the finish of each rank.

    Without breakdown.csv, exposed communication is one part."""
    ranks = result.table("ranks")
    parts = exposed_by_type(result, len(ranks)) or [
        ("exposed communication", palette.EXPOSED, ranks.exposed_communication_ns.to_numpy(float))]
    return [("compute", palette.COMPUTE, ranks.compute_ns.to_numpy(float)), *parts,
            ("idle", palette.IDLE, ranks.idle_ns.to_numpy(float))]


def part_colors(names):
    """{name: colour} of the parts of several runs, compute first and idle last; a type has the same
    colour in all of them."""
    fixed = {"compute": palette.COMPUTE, "exposed communication": palette.EXPOSED}
    kinds = sorted(set(names) - {*fixed, "idle"})
    colors = {kind: TYPE_COLORS[number % len(TYPE_COLORS)] for number, kind in enumerate(kinds)}
    known = fixed | colors | {"idle": palette.IDLE}
    return {name: color for name, color in known.items() if name in names}


def exposed_by_type(result, count):
    rows = result.table("breakdown")
    if rows is None:
        return []
    parts = []
    for number, (kind, own) in enumerate(rows.groupby("type", sort=True)):
        times = numpy.bincount(own["rank"].astype(int), own.exposed_ns, count)
        parts.append((f"exposed {kind}", TYPE_COLORS[number % len(TYPE_COLORS)], times))
    return parts
