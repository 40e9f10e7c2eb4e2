# SPDX-License-Identifier: GPL-2.0-only
"""The collectives of two runs, matched by name, communicator and occurrence."""

import math

from studies.compare.text import count_text, unmatched

from ..parts import Section, Table, Text, quantity_column, quantity_columns, text_column
from .finish_time import titled
from .times import pair_columns

LISTED = 60_000


def make_section(comparison, names, suffix):
    found = comparison.collectives
    parts = [Text(f"{count_text(len(found.matches), 'collective')} of both runs match by name, "
                  f"communicator and occurrence{unmatched(found, names)}.")]
    if found.matches:
        parts += [totals_table(found.totals, names, suffix),
                  matches_table(found.matches, names, suffix)]
    return Section(f"collectives{suffix}", f"Collectives{titled(names, suffix)}", parts)


def totals_table(totals, names, suffix):
    columns = [text_column("type", [one.type for one in totals]),
               quantity_column("calls", "calls", [one.count for one in totals]),
               *pair_columns(names, [one.before for one in totals], [one.after for one in totals])]
    return Table(f"types{suffix}", "Sums by type", columns)


def matches_table(matches, names, suffix):
    shown = matches[:LISTED]
    before, after = [one.before for one in shown], [one.after for one in shown]
    columns = [
        text_column("name", [one.name for one in shown]),
        text_column("type", [one.type for one in shown]),
        text_column("communicator", [one.communicator for one in shown]),
        quantity_column("occurrence", "count", [one.occurrence for one in shown]),
        *pair_columns(names, before, after),
        quantity_column("ratio", "ratio", [round(new / old, 4) if old else math.nan
                                           for old, new in zip(before, after)]),
        text_column("algorithm", [either(one.algorithms) for one in shown]),
        *sizes([one.sizes for one in shown], names),
    ]
    note = ("Times are from the begin, when all members had called, to the end. The first "
            "occurrence of a name on a communicator has the number 0.")
    if len(matches) > LISTED:
        note += f" These are the {LISTED:,} of {len(matches):,} that differ most."
    return Table(f"matches{suffix}", "Collectives, the largest difference first", columns, note)


def either(pair):
    return pair[0] if pair[0] == pair[1] else " -> ".join(pair)


def sizes(pairs, names):
    """One column where the sizes are the same."""
    old, new = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if old == new:
        return [quantity_column("size", "size_bytes", old)]
    return quantity_columns("size_bytes", {f"size {names[0]}": old, f"size {names[1]}": new})
