# SPDX-License-Identifier: GPL-2.0-only
"""The difference of two finish times, taken apart along the slowest rank of each run."""

from studies import palette
from studies.compare.text import signed
from studies.quantities import readable_unit

from ..parts import Chart, Section, Table, Text, axis, text_column
from .times import NAME, nanoseconds, pair_columns

SUM = "difference"


def make_section(comparison, names, suffix):
    breakdown = comparison.breakdown
    ranks = breakdown.ranks
    return Section(f"finish{suffix}", f"Where the difference comes from{titled(names, suffix)}", [
        Text(f"Compute, exposed communication and idle time of a rank add up to its finish. So the "
             f"differences of these parts add up to that of the finish times, exactly. The slowest "
             f"rank of {names[0]} is {ranks[0]}, that of {names[1]} is {ranks[1]}."),
        waterfall(breakdown, names, suffix), parts_table(breakdown, names, suffix)])


def titled(names, suffix):
    """What titles say where a page has several comparisons."""
    return f": {names[0]} and {names[1]}" if suffix else ""


def waterfall(breakdown, names, suffix):
    """Parts that are equal in both are in the table alone."""
    parts = [part for part in breakdown.parts if part.difference]
    steps = [*(part.difference for part in parts), breakdown.difference]
    unit, size = readable_unit(NAME, [nanoseconds(abs(step)) for step in steps])
    trace = {
        "type": "waterfall", "name": f"{names[1]} - {names[0]}",
        "x": [*(part.name for part in parts), SUM],
        "y": [nanoseconds(step) / size for step in steps],
        "measure": ["relative"] * len(parts) + ["total"],
        "text": [signed(step) for step in steps], "textposition": "outside", "cliponaxis": False,
        "connector": {"line": {"color": palette.IDLE}},
        "increasing": {"marker": {"color": palette.EXPOSED}},
        "decreasing": {"marker": {"color": palette.COMPUTE}},
        "totals": {"marker": {"color": palette.IDLE}},
    }
    layout = {"xaxis": axis("part of the finish time", type="category"),
              "yaxis": axis(f"difference, {names[1]} - {names[0]} ({unit})"), "showlegend": False}
    return Chart(f"difference{suffix}", f"From {names[0]} to {names[1]}, part by part", [trace],
                 layout, "Each bar begins where the one before it ends; the last is their sum.")


def parts_table(breakdown, names, suffix):
    rows = [*((part.name, part.before, part.after) for part in breakdown.parts),
            ("finish time", breakdown.before, breakdown.after)]
    columns = [text_column("part", [row[0] for row in rows]),
               *pair_columns(names, [row[1] for row in rows], [row[2] for row in rows])]
    return Table(f"parts{suffix}", "The parts of the finish times", columns,
                 "The last row is the sum of the others.")
