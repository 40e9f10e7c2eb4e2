# SPDX-License-Identifier: GPL-2.0-only
"""Completion times of messages: their distribution, and the slowdown by size."""

import numpy

from studies.quantities import readable_unit

from ..parts import Chart, Facts, Missing, Section, axis
from ..percentiles import percentiles
from ..words import percent_text, time_text

POINTS = 400  # of a curve
SHARES = ((50, "median"), (95, "95 %"), (99, "99 %"), (100, "largest"))
BINS = 24


def make_section(result):
    rows = result.table("flows")
    if rows is None:
        return Section("flows", "Messages", [Missing(
            "completion times of messages", "The key output.flows: on brings them.")])
    if rows.empty:
        return None
    parts = [facts(rows), distribution(rows), slowdowns(rows[rows.slowdown.notna()])]
    return Section("flows", "Messages", parts)


def facts(rows):
    times = [(f"completion time, {word}", time_text(float(percentiles(rows.fct_ns, share))))
             for share, word in SHARES]
    known = rows.slowdown.dropna()
    alone = percent_text(float((known <= 1.0005).mean())) if len(known) else "unknown"
    return Facts([("messages", f"{len(rows):,}"), *times,
                  ("messages that nothing held up", alone)])


def distribution(rows):
    times = numpy.sort(rows.fct_ns.to_numpy(float))
    picked = numpy.unique(numpy.linspace(0, len(times) - 1, POINTS).astype(int))
    unit, size = readable_unit("x_ns", [float(times[-1])])
    trace = {"type": "scatter", "mode": "lines", "name": "messages", "line": {"shape": "hv"},
             "x": (times[picked] / size).round(6).tolist(),
             "y": (100 * (picked + 1) / len(times)).round(4).tolist()}
    layout = {"xaxis": axis(f"completion time ({unit})", type="log" if times[0] > 0 else "linear"),
              "yaxis": axis("messages that took at most this (%)")}
    return Chart("completion-times", "Completion times of messages", [trace], layout)


def slowdowns(rows):
    """By size; where there are many sizes, ranges of sizes with equally many messages."""
    if rows.empty:
        return Missing("slowdown", "The time of a message alone depends on how load-balancing "
                       "spreads its frames.")
    own = rows[numpy.isfinite(rows.slowdown.to_numpy(float))]
    sizes = own.size_bytes.to_numpy(float)
    edges = numpy.unique(sizes)
    if len(edges) > BINS:
        edges = numpy.unique(numpy.percentile(sizes, numpy.linspace(0, 100, BINS + 1)[1:],
                                              method="higher"))
    groups = own.slowdown.groupby(numpy.searchsorted(edges, sizes))
    x = edges[sorted(groups.indices)].astype(int).tolist()
    found = [percentiles(one, [share for share, _ in SHARES]) for _, one in groups]
    traces = [{"type": "scatter", "mode": "lines+markers", "name": word, "x": x,
               "marker": {"symbol": number},
               "y": [round(float(one[number]), 6) for one in found]}
              for number, (_, word) in enumerate(SHARES)]
    layout = {"xaxis": axis("size (bytes)", type="log"),
              "yaxis": axis("slowdown against an empty network")}
    return Chart("slowdown", "Slowdown by size", traces, layout,
                 "Slowdown is the completion time over the time of the message alone.")
