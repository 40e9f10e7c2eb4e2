# SPDX-License-Identifier: GPL-2.0-only
"""The links of two runs, matched by the names of their ends."""

from studies.compare.text import COUNT_WORDS, count_text, unmatched

from ..parts import (Column, Facts, Section, Table, Text, quantity_columns, share_column,
                     text_column)
from ..words import percent_text
from .finish_time import titled

LISTED = 20_000


def make_section(comparison, names, suffix):
    found = comparison.links
    parts = [Text(f"{count_text(len(found.matches), 'link')} of both runs match by the names of "
                  f"their ends{unmatched(found, names)}. A link is one direction."),
             Facts([(f"busiest link of {name}", busiest_text(one))
                    for name, one in zip(names, found.busiest)]),
             totals_table(found.totals, names, suffix)]
    if found.matches:
        parts.append(links_table(found.matches, names, suffix))
    return Section(f"links{suffix}", f"Links{titled(names, suffix)}", parts)


def busiest_text(one):
    return f"{one[0]} -> {one[1]}: {percent_text(one[2])}" if one else "none"


def totals_table(totals, names, suffix):
    rows = {COUNT_WORDS[name]: pair for name, pair in totals.items() if any(pair)}
    columns = [text_column("all links", rows), *counts(names, rows.values(), "")]
    return Table(f"link-totals{suffix}", "Sums over all links", columns)


def counts(names, pairs, title):
    """Whole numbers of both runs and their difference."""
    pairs = list(pairs)
    values = ([pair[0] for pair in pairs], [pair[1] for pair in pairs],
              [pair[1] - pair[0] for pair in pairs])
    return [Column(f"{title} {word}".strip(), own, "", 1.0, 0)
            for word, own in zip((*names, "difference"), values)]


def links_table(matches, names, suffix):
    shown = matches[:LISTED]
    old, new = ([one.utilizations[which] for one in shown] for which in (0, 1))
    columns = [
        text_column("from", [one.source for one in shown]),
        text_column("to", [one.target for one in shown]),
        share_column(f"used {names[0]}", old), share_column(f"used {names[1]}", new),
        Column("used difference", [one.difference for one in shown], "points", 0.01, 1),
        *amounts("carried", "bytes", [one.bytes for one in shown], names),
        *amounts("longest queue", "max_queue_bytes", [one.longest_queues for one in shown], names),
    ]
    note = ("" if len(matches) <= LISTED else
            f"These are the {LISTED:,} of {len(matches):,} that differ most.")
    return Table(f"links-table{suffix}", "Links, the largest difference of utilization first",
                 columns, note)


def amounts(title, name, pairs, names):
    return quantity_columns(name, {f"{title} {one}": [pair[which] for pair in pairs]
                                   for which, one in enumerate(names)})
