# SPDX-License-Identifier: GPL-2.0-only
"""Queues and rates of links over time, where they were recorded."""

import numpy

from studies.quantities import readable_unit

from ..parts import Chart, Missing, Section, axis

LINKS = 8
TIMES = 2000  # of a curve
CURVES = (("queue_bytes", "Queues over time", "queue"),
          ("utilization", "Rates over time", "utilization"))


def make_section(result):
    rows = result.table("series")
    if rows is None:
        return Section("series", "Links over time", [Missing(
            "queues and rates over time", "The key output.series, an interval such as 10 us, "
            "brings them.")])
    if rows.empty:
        return None
    rows = rows.assign(link=rows["from"] + " -> " + rows["to"])
    times = numpy.sort(rows.time_ns.unique())
    times = grid_of(times)
    return Section("series", "Links over time",
                   [curves(rows, times, *one) for one in CURVES])


def grid_of(times):
    """All intervals up to the last one: those without a row were idle."""
    step = numpy.diff(times).min() if len(times) > 1 else times[0]
    return numpy.arange(step, times[-1] + step / 2, step)


def curves(rows, times, column, title, words):
    """Of the links with the largest values; where there are many intervals, the largest of
    several."""
    largest = rows.groupby("link", sort=False)[column].max().sort_values(
        ascending=False, kind="stable")[:LINKS]
    unit, size = readable_unit(column, [float(largest.max())])
    if column == "utilization":
        unit, size = "%", 0.01
    time_unit, time_size = readable_unit("x_ns", [float(times[-1])])
    step = -(-len(times) // TIMES)
    x = (times[step - 1::step] if len(times) >= step else times) / time_size
    traces = [{"type": "scatter", "mode": "lines", "name": link, "x": x.round(6).tolist(),
               "y": (condensed(rows[rows.link == link], column, times, step)[:len(x)] / size).round(
                   6).tolist()} for link in largest.index]
    note = f"The {len(largest)} links with the largest values." + (
        f" Each value is the largest of {step} intervals." if step > 1 else "")
    return Chart(column.replace("_", "-"), title, traces,
                 {"xaxis": axis(f"time ({time_unit})"), "yaxis": axis(f"{words} ({unit})")}, note)


def condensed(rows, column, times, step):
    values = numpy.zeros(len(times))
    numpy.maximum.at(values, numpy.searchsorted(times, rows.time_ns.to_numpy() - 1e-3).clip(
        0, len(times) - 1), rows[column].to_numpy(float))
    padded = numpy.append(values, numpy.zeros(-len(values) % step))
    return padded.reshape(-1, step).max(axis=1)
