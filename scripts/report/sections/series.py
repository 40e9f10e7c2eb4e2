# SPDX-License-Identifier: GPL-2.0-only
"""Queues and rates of links over time, where they were recorded."""

import dataclasses

import numpy

from studies.quantities import nanoseconds, readable_unit, whole_intervals
from studies.results.problems import DamagedResult

from ..parts import Chart, Missing, Section, axis

LINKS = 8
TIMES = 2000  # of a curve
CURVES = (("queue_bytes", "Queues over time", "queue"),
          ("utilization", "Rates over time", "utilization"))


@dataclasses.dataclass(frozen=True)
class Grid:
    """The places of a curve: each stands for `step` intervals of `interval` ns, the last one for
    those that are left. There are `count` intervals: those that ended by the finish, and those
    after it that have a row. Those without a row were idle."""

    interval: float
    count: int

    @property
    def step(self):
        return -(-self.count // TIMES)

    @property
    def ends(self):
        """Of the places, in ns."""
        last = numpy.arange(self.step, self.count + self.step, self.step)
        return numpy.minimum(last, self.count) * self.interval

    def largest(self, rows, column):
        """Of these rows, the largest value of each place."""
        values = numpy.zeros(len(self.ends))
        numpy.maximum.at(values, (numbers_of(rows, self.interval) - 1) // self.step,
                         rows[column].to_numpy(float))
        return values


def make_section(result):
    rows = result.table("series")
    if rows is None:
        return Section("series", "Links over time", [Missing(
            "queues and rates over time", "The key output.series, an interval such as 10 us, "
            "brings them.")])
    if rows.empty:
        return None
    grid = grid_of(result, rows)
    rows = rows.assign(link=rows["from"] + " -> " + rows["to"])
    return Section("series", "Links over time",
                   [curves(rows, grid, *one) for one in CURVES])


def grid_of(result, rows):
    """The rows do not tell the interval: it may have been idle between any two of them."""
    interval = nanoseconds(result.setting("output", "series"))
    if interval is None:
        raise DamagedResult(result.path / "config.yaml", "has no interval output.series, but there "
                            "is a series.csv")
    numbers = numbers_of(rows, interval)
    if numbers.min() < 1:
        raise DamagedResult(result.file_of("series"), "has a row before the end of the first "
                            "interval")
    whole = whole_intervals(result.summary["finish_time_ns"], interval)
    return Grid(interval, max(int(numbers.max()), whole))


def numbers_of(rows, interval):
    """The intervals of these rows, from 1."""
    return numpy.rint(rows.time_ns.to_numpy(float) / interval).astype(numpy.int64)


def curves(rows, grid, column, title, words):
    """Of the links with the largest values; where there are many intervals, the largest of
    several."""
    largest = rows.groupby("link", sort=False)[column].max().sort_values(
        ascending=False, kind="stable")[:LINKS]
    unit, size = readable_unit(column, [float(largest.max())])
    if column == "utilization":
        unit, size = "%", 0.01
    time_unit, time_size = readable_unit("x_ns", [float(grid.ends[-1])])
    x = (grid.ends / time_size).round(6).tolist()
    traces = [{"type": "scatter", "mode": "lines", "name": link, "x": x,
               "y": (grid.largest(rows[rows.link == link], column) / size).round(6).tolist()}
              for link in largest.index]
    note = f"The {len(largest)} links with the largest values." + (
        f" Each value is the largest of {grid.step} intervals." if grid.step > 1 else "")
    return Chart(column.replace("_", "-"), title, traces,
                 {"xaxis": axis(f"time ({time_unit})"), "yaxis": axis(f"{words} ({unit})")}, note)
