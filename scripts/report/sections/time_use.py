# SPDX-License-Identifier: GPL-2.0-only
"""Where the time goes: by rank, or by quantile and place in the stack; the ranks that differ."""

import numpy

from studies.quantities import readable_unit

from ..outstanding import RANKS_NAMED, find_outstanding
from ..parts import (Chart, Items, Missing, Section, Subtitle, Table, Text, axis, quantity_column,
                     text_column)
from ..rank_times import rank_times
from ..stack import UnknownPlaces, places_of
from ..words import count_text, time_text

RANKS_AS_BARS = 64
RANKS_LISTED = 10_000
PLACES_SHOWN = 64
QUANTILES = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)
COLUMNS = (("finish_ns", "finish"), ("compute_ns", "compute"),
           ("communication_ns", "communication"), ("exposed_communication_ns", "exposed"),
           ("idle_ns", "idle"), ("waiting_ns", "waits for others"),
           ("waited_for_ns", "others wait for it"), ("bytes_sent", "sent"))  # fmt: skip


def make_section(result):
    ranks, times = result.table("ranks"), rank_times(result)
    parts = []
    if result.table("breakdown") is None:
        parts.append(Missing("exposed communication by type",
                             "An older version wrote this result, without breakdown.csv; run it "
                             "again."))
    if len(ranks) <= RANKS_AS_BARS:
        parts.append(bars("time-by-rank", "Time by rank", "rank", ranks["rank"].tolist(), times))
    else:
        parts += [by_quantile(ranks, times), *by_place(result, times)]
    parts += [Subtitle("Ranks that stand out"), *outstanding(result), rank_table(ranks)]
    return Section("time", "Where the time goes", parts)


def bars(name, title, x_title, x, times, note=""):
    times = [(part, color, numpy.asarray(values, float)) for part, color, values in times]
    unit, size = readable_unit("x_ns", [float(sum(values for _, _, values in times).max())])
    traces = [{"type": "bar", "name": part, "x": x, "y": (values / size).round(6).tolist(),
               "marker": {"color": color}} for part, color, values in times]
    layout = {"barmode": "stack", "xaxis": axis(x_title, type="category"),
              "yaxis": axis(f"time ({unit})", rangemode="tozero")}
    return Chart(name, title, traces, layout, note)


def by_quantile(ranks, times):
    """Of the ranks in the order of their finish, then of their exposed communication."""
    picked = rows_at_quantiles(ranks)
    x = [f"{share} % (rank {int(ranks['rank'].iloc[row])})"
         for share, row in zip(QUANTILES, picked)]
    own = [(name, color, values[picked]) for name, color, values in times]
    return bars("time-by-quantile", "Time by quantile of the ranks", "quantile of the ranks", x,
                own, f"{count_text(len(ranks), 'rank')}, ordered by finish and then by exposed "
                "communication; each bar is one rank.")


def rows_at_quantiles(ranks):
    order = numpy.lexsort((ranks.exposed_communication_ns, ranks.finish_ns))
    return [order[round(share / 100 * (len(order) - 1))] for share in QUANTILES]


def by_place(result, times):
    """Means over the ranks with one place in a dimension."""
    try:
        dimensions = places_of(result)
    except UnknownPlaces:
        yield Missing("time by place in the dimensions", "An older version wrote this result, and "
                      "ranks.csv does not say which NPU hosts which rank; run it again.")
        return
    for number, (size, places) in enumerate(dimensions):
        count = min(size, PLACES_SHOWN)
        groups = places * count // size
        sums = numpy.bincount(groups, minlength=count)
        own = [(name, color, numpy.bincount(groups, values, count) / numpy.maximum(sums, 1))
               for name, color, values in times]
        x = [-(-one * size // count) for one in range(count)]
        note = "Means over the ranks with this place in the dimension."
        if count < size:
            note += f" Each bar is {size / count:.3g} places; its name is the first."
        yield bars(f"time-by-place-{number}", f"Time by place in dimension {number}",
                   f"place in dimension {number}", x, own, note)


def outstanding(result):
    found = find_outstanding(result.table("ranks"), result.summary["finish_time_ns"])
    if not found:
        return [Text("None: every rank is within 1 % of the job's time, or five times the median "
                     "distance, of the median.")]
    lines = [f"Rank {rank} {words} {time_text(value)}; the median rank: {time_text(median)}."
             for rank, words, value, median in found[:RANKS_NAMED]]
    if len(found) > RANKS_NAMED:
        lines.append(f"There are {len(found) - RANKS_NAMED:,} more; sort the table by a column.")
    return [Items(lines)]


def rank_table(ranks):
    listed = ranks.sort_values("finish_ns", ascending=False, kind="stable")[:RANKS_LISTED]
    columns = [text_column("rank", listed["rank"].astype(int).astype(str))]
    columns += [quantity_column(title, name, listed[name])
                for name, title in COLUMNS if name in ranks]
    note = "" if len(ranks) <= RANKS_LISTED else (
        f"The {RANKS_LISTED:,} ranks that finish last, of {len(ranks):,}.")
    return Table("ranks", "All ranks", columns, note)
