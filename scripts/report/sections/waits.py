# SPDX-License-Identifier: GPL-2.0-only
"""Who waits for whom in a job that cannot finish."""

import math

from ..parts import (YES_OR_NO, Graph, Items, Section, Subtitle, Table, Text, quantity_column,
                     sentence_column, text_column)

RANKS_DRAWN = 64
LINKS_DRAWN = 600
RANKS_LISTED = 10_000
NAMED = 20  # of the ranks of a circle


def make_section(result):
    waits = result.waits
    if waits is None:
        return None
    parts = [Items(waits["causes"])] if waits["causes"] else []
    cycle = waits["cycle"]
    if cycle:
        names = ", ".join(map(str, cycle[:NAMED])) + (", ..." if len(cycle) > NAMED else "")
        parts.append(Text(f"These ranks wait for each other in a circle: {names}. Each waits for "
                          "the next, and the last for the first."))
    parts += [drawing(waits), Subtitle("Ranks that are not done"), ranks_table(waits["ranks"])]
    return Section("waits", "Who waits for whom", parts)


def drawing(waits):
    """The ranks of the circle first, then those that wait for most others."""
    rows = {row["rank"]: row for row in waits["ranks"]}
    wanted = [*waits["cycle"], *(rank for row in waits["ranks"]
                                 for rank in (row["rank"], *row["waits_for_ranks"]))]
    shown = list(dict.fromkeys(wanted))[:RANKS_DRAWN]
    numbers = {rank: number for number, rank in enumerate(shown)}
    angle = 2 * math.pi / max(len(shown), 1)
    nodes = [(f"rank {rank}", 0.5 + 0.3 * math.sin(number * angle),
              0.5 + 0.45 * math.cos(number * angle)) for number, rank in enumerate(shown)]
    links = [(rank, other) for rank in shown for other in rows.get(rank, {}).get(
        "waits_for_ranks", []) if other in numbers and other != rank][:LINKS_DRAWN]
    circle = set(zip(waits["cycle"], [*waits["cycle"][1:], *waits["cycle"][:1]]))
    return Graph("waits-graph", "Each arrow leads from a rank to a rank that it waits for", nodes,
                 [(numbers[one], numbers[other]) for one, other in links],
                 [("part of the circle", [int(pair in circle) for pair in links], YES_OR_NO)],
                 f"{len(shown)} ranks are drawn; the table has all that are not done.",
                 directed=True)


def ranks_table(rows):
    shown = rows[:RANKS_LISTED]
    columns = [
        text_column("rank", [str(row["rank"]) for row in shown]),
        text_column("node", [str(row["node"]) for row in shown]),
        text_column("name", [row["name"] for row in shown]),
        sentence_column("waits for", [row["waits_for"] for row in shown]),
        quantity_column("nodes left", "count", [row["nodes_left"] for row in shown]),
    ]
    note = "" if len(shown) == len(rows) else f"The first {len(shown):,} of {len(rows):,}."
    return Table("waiting-ranks", "What each rank waits in", columns, note)
