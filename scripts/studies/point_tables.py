# SPDX-License-Identifier: GPL-2.0-only
"""The tables that a point left, and the numbers that follow from the rows that a plot chooses."""

import fnmatch
import functools
import math

import numpy
import pandas

from .quantities import FUNCTIONS, TABLE_COLUMNS, mean, nanoseconds, whole_intervals
from .yaml_tree import read_yaml

ENDS = ["from", "to"]  # of a link
NAMES = dict.fromkeys([*ENDS, "src", "dst", "type"], str)  # columns that are no numbers
EMPTY = {column: [""] for columns in TABLE_COLUMNS.values() for column in columns}  # has no value
ADD_UP = ("queue_bytes", "ecn_marks", "rate_gbps")  # of parallel links; of the others the mean
COUNTS = ("paused_ns", "ecn_marks")  # of an interval: they add up over time
OF_LINKS = ("mean", "sum", "jain")  # look at a number for each link, and not at each interval


def read_table(file):
    """A CSV file of a result, with the numbers as written; no rows where there is no file. Names of
    a trace may be in another encoding than UTF-8, but no plot shows them."""
    try:
        return pandas.read_csv(file, dtype=NAMES, keep_default_na=False, na_values=EMPTY,
                               low_memory=False, float_precision="round_trip",
                               encoding_errors="replace")
    except FileNotFoundError:
        return pandas.DataFrame()


class UnknownRates(Exception):
    """A sentence: why the rates of links over time cannot be told."""


class PointTables:
    """The tables of one point, each read once. `finish` is its finish_time_ns."""

    def __init__(self, directory, finish):
        self.directory = directory
        self.finish = finish
        self.all = functools.cache(self.read)

    def read(self, table):
        """All rows of a table, with the columns that follow from others."""
        rows = read_table(self.directory / f"{table}.csv")
        if table == "flows" and not rows.empty:
            goodput = 8 * rows.size_bytes / rows.fct_ns
            rows["goodput_gbps"] = goodput.where(rows.fct_ns > 0, math.inf)
        return rows

    def rows(self, table, selection):
        """Those that are chosen, in the order of the choices."""
        rows, choices = self.all(table), selection.choices(table)
        if rows.empty or not choices:
            return rows
        chosen = pandas.concat([rows[do_meet(rows, choice)] for choice in choices])
        return chosen[~chosen.index.duplicated()]

    def column(self, name, selection):
        """Its numbers, without the cells that are empty; of series.csv a number for each link and
        interval."""
        table, _, column = name.partition(".")
        if table == "series":
            return self.series(name, selection).to_numpy().ravel(order="F").tolist()
        rows = self.rows(table, selection)
        return [] if rows.empty else rows[column].astype(float).dropna().tolist()

    def measure(self, function, name, selection):
        """The function of a column; None where it has no numbers.

        Of series.csv, OF_LINKS look at a number for each link; the others at each interval.
        """
        if name.startswith("series.") and function in OF_LINKS:
            over_time = sum if name.partition(".")[2] in COUNTS else mean
            links = self.series(name, selection).to_numpy().T.tolist()
            values = [over_time(numbers) for numbers in links if numbers]
        else:
            values = self.column(name, selection)
        return FUNCTIONS[function](values) if values else None

    def series(self, name, selection):
        """A row for each interval, by its end in ns, with a number for each link, by (from, to);
        without a series.csv no rows and no links. The intervals are those that ended by the finish,
        and those after it that have a row: frames may be on their way then.

        Links are in the order of the choices, then in that of the topology. Parallel links count
        as one: their queues, marks and rates add up, their utilization and the time that they were
        paused are means. What has no row is 0.

        Throws UnknownRates for the rates of parallel links that have several bandwidths.
        """
        if not (self.directory / "series.csv").exists():
            return pandas.DataFrame()
        links, interval = self.links(selection), self.interval()
        column = name.partition(".")[2]
        if column == "rate_gbps":
            check_rates(links)
        rows = self.rows("series", selection).merge(links, on=ENDS)
        rows["rate_gbps"] = rows.utilization * rows["first"]
        rows["share"] = rows[column].astype(float) / (1 if column in ADD_UP else rows["size"])
        rows["number"] = numpy.rint(rows.time_ns.astype(float) / interval)
        last = max(self.last_row(interval), whole_intervals(self.finish, interval))
        whole = rows.pivot_table(index="number", columns=ENDS, values="share", aggfunc="sum")
        whole = whole.reindex(index=range(1, last + 1), columns=links.index).fillna(0.0)
        whole.index = interval * whole.index
        begin, end = selection.between or (-math.inf, math.inf)
        middle = whole.index - interval / 2
        return whole[(begin < middle) & (middle < end)]

    def last_row(self, interval):
        """The number of the last interval that has a row, of any link; 0 without rows."""
        return round(max(self.all("series").time_ns, default=0.0) / interval)

    def links(self, selection):
        """Of the links between two nodes: the bandwidth in Gb/s of the first one, the least, the
        most, that of all (sum) and how many there are (size)."""
        rows = self.rows("links", selection)
        return rows.groupby(ENDS, sort=False).bandwidth_gbps.agg(
            ["first", "min", "max", "sum", "size"])

    def interval(self):
        """output.series, in ns."""
        config = read_yaml(self.directory / "config.yaml", "nadi sweep").plain()
        return nanoseconds(config["output"]["series"])

    def used(self, selection):
        """What these links carried until the finish, of all that they could: 0 to 1."""
        rows = self.rows("links", selection)
        room = self.finish * sum(rows.bandwidth_gbps)
        return 8 * sum(rows.bytes) / room if room else None


def check_rates(links):
    """Throws UnknownRates where parallel links differ: the rows of series.csv do not say which of
    them they are of."""
    for (source, target), link in links[links["min"] < links["max"]].iterrows():
        raise UnknownRates(
            f"series.rate_gbps of the parallel links from {source} to {target} is unknown, as their "
            f"bandwidths differ ({link['min']:g} to {link['max']:g} Gb/s) and series.csv does not "
            "tell them apart; choose other links, or take series.utilization")


def do_meet(rows, choice):
    """Whether the names of each row meet a choice: {column: name, with * for any characters}."""
    columns = [rows[column].isin(fnmatch.filter(rows[column].unique(), pattern))
               for column, pattern in choice.items()]
    return numpy.logical_and.reduce(columns)
