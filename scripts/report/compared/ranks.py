# SPDX-License-Identifier: GPL-2.0-only
"""Where the time of the ranks of two runs went."""

import numpy

from ..parts import Section, Table, quantity_columns, text_column
from ..rank_times import part_colors, rank_times
from ..sections.time_use import QUANTILES, bars, rows_at_quantiles
from .finish_time import titled

RANKS_AS_BARS = 32
RANKS_LISTED = 10_000
MEASURES = (("finish_ns", "finish"), ("compute_ns", "compute"),
            ("exposed_communication_ns", "exposed"), ("idle_ns", "idle"))  # fmt: skip


def make_section(comparison, names, suffix):
    runs = (comparison.before, comparison.after)
    return Section(f"ranks{suffix}", f"Time by rank{titled(names, suffix)}",
                   [chart(runs, names, suffix), ranks_table(runs, names, suffix)])


def chart(runs, names, suffix):
    """Beside each other, a bar of each run."""
    if max(run.ranks for run in runs) <= RANKS_AS_BARS:
        places = [(f"{rank} {name}", which, rank) for rank in range(max(run.ranks for run in runs))
                  for which, name in enumerate(names) if rank < runs[which].ranks]
        title, note = "rank and run", ""
    else:
        picked = [rows_at_quantiles(run.table("ranks")) for run in runs]
        places = [(f"{share} % {name}", which, picked[which][number])
                  for number, share in enumerate(QUANTILES) for which, name in enumerate(names)]
        title = "quantile of the ranks, and run"
        note = ("The ranks of each run are ordered by finish and then by exposed communication; "
                "each bar is one rank.")
    times = [{name: values for name, _, values in rank_times(run)} for run in runs]
    colors = part_colors([name for own in times for name in own])
    bars_of = [(name, color, numpy.array([float(times[which][name][row])
                                          if name in times[which] else 0.0
                                          for _, which, row in places]))
               for name, color in colors.items()]
    return bars(f"ranks-chart{suffix}", "Where the time of the ranks goes", title,
                [place for place, _, _ in places], bars_of, note)


def ranks_table(runs, names, suffix):
    """Of the ranks that both runs have, the largest difference of finish times first."""
    old, new = (run.table("ranks") for run in runs)
    count = min(len(old), len(new))
    old, new = old[:count], new[:count]
    change = new.finish_ns.to_numpy() - old.finish_ns.to_numpy()
    order = numpy.argsort(-abs(change), kind="stable")[:RANKS_LISTED]
    columns = [text_column("rank", [str(rank) for rank in order])]
    for name, title in MEASURES:
        before, after = (rows[name].to_numpy()[order] for rows in (old, new))
        columns += quantity_columns(name, {
            f"{title} {names[0]}": before, f"{title} {names[1]}": after,
            f"{title} difference": (after - before).round(3)})
    note = "" if count <= RANKS_LISTED else f"The {RANKS_LISTED:,} of {count:,} that differ most."
    return Table(f"ranks-table{suffix}", "Ranks, the largest difference first", columns, note)
