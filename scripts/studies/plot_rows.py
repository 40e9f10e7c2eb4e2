# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a point's tables that a plot asks for, and what follows from them."""

import dataclasses
import fnmatch
import math

from .quantities import FUNCTIONS, parse_quantity
from .tables import read_rows
from .yaml_tree import read_yaml

KEYS = {
    "links": ("from", "to"),
    "series": ("from", "to"),
    "flows": ("src", "dst"),
    "collectives": ("type",),
}
ADD_UP = ("queue_bytes", "ecn_marks", "rate_gbps")  # of parallel links; of the others the mean
COUNTS = ("paused_ns", "ecn_marks")  # of an interval: they add up over time


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which rows count; all where nothing is chosen. Names may have * for any characters."""

    links: tuple = ()  # (from, to), of links.csv and series.csv
    flows: tuple = ()  # (src, dst), of flows.csv
    collectives: tuple = ()  # types, of collectives.csv
    between: tuple = ()  # (begin, end) in ns, of series.csv

    def place(self, table, names):
        """Of the first choice that rows of these ends, or of this type, meet; None: not chosen."""
        if table == "collectives":
            choices = [(pattern,) for pattern in self.collectives]
        else:
            choices = self.flows if table == "flows" else self.links
        met = (i for i, one in enumerate(choices) if all(map(fnmatch.fnmatchcase, names, one)))
        return next(met, None) if choices else 0


class Tables:
    """The tables of one point, each read once."""

    def __init__(self, directory):
        self.directory = directory
        self.all_rows = {}

    def all(self, table):
        """The rows of a table; none where it is not there."""
        if table not in self.all_rows:
            self.all_rows[table] = read_rows(self.directory / f"{table}.csv")
        return self.all_rows[table]

    def rows(self, table, selection):
        """Those that are chosen."""
        rows = self.all(table)
        names = [tuple(row[key] for key in KEYS.get(table, ())) for row in rows]
        places = {one: selection.place(table, one) for one in set(names)}
        return [row for row, one in zip(rows, names) if places[one] is not None]

    def column(self, name, selection):
        """Its numbers; of series.csv a number for each link and interval."""
        table, _, column = name.partition(".")
        if table == "series":
            _, curves = self.series(name, selection)
            return [value for values in curves.values() for value in values]
        return [number(row, column) for row in self.rows(table, selection)]

    def measure(self, function, name, selection):
        """The function of a column; None where it has no rows.

        Of series.csv, `max` and `min` look at each interval; the others at a number for each link.
        """
        if name.startswith("series.") and function not in ("max", "min"):
            _, curves = self.series(name, selection)
            values = [whole_time(name, values) for values in curves.values()]
        else:
            values = self.column(name, selection)
        return FUNCTIONS[function](values) if values else None

    def series(self, name, selection):
        """(times in ns, {(from, to): a number for each of them}); empty without a series.csv.

        Links are in the order of the choices, then in that of the topology. Parallel links count
        as one: their queues, marks and rates add up, their utilization and the time that they were
        paused are means. What has no row is 0.
        """
        if not (self.directory / "series.csv").exists():
            return [], {}
        rows = self.rows("series", selection)
        parallel = self.bandwidths(selection)
        interval = self.interval()
        last = max((float(row["time_ns"]) for row in self.all("series")), default=interval)
        curves = {link: [0.0] * round(last / interval) for link in parallel}
        column = name.partition(".")[2]
        source = "utilization" if column == "rate_gbps" else column
        for row in rows:
            link = row["from"], row["to"]
            factor = parallel[link][0] if column == "rate_gbps" else 1.0
            if column not in ADD_UP:
                factor /= len(parallel[link])
            place = round(float(row["time_ns"]) / interval) - 1
            curves[link][place] += factor * float(row[source])
        return cut([interval * (i + 1) for i in range(round(last / interval))], curves, selection)

    def bandwidths(self, selection):
        """{(from, to): those of the links between the two, in Gb/s}."""
        found = {}
        for row in self.rows("links", selection):
            found.setdefault((row["from"], row["to"]), []).append(float(row["bandwidth_gbps"]))
        return dict(sorted(found.items(), key=lambda one: selection.place("links", one[0])))

    def interval(self):
        """output.series, in ns."""
        config = read_yaml(self.directory / "config.yaml", "nadi sweep").plain()
        value, unit, units = parse_quantity(config["output"]["series"])
        return value * units[unit]

    def used(self, finish, selection):
        """What these links carried until the finish, of all that they could: 0 to 1."""
        rows = self.rows("links", selection)
        room = finish * sum(float(row["bandwidth_gbps"]) for row in rows)
        return 8 * sum(float(row["bytes"]) for row in rows) / room if room else None


def cut(times, curves, selection):
    """Only the intervals within the chosen time."""
    if not selection.between:
        return times, curves
    begin, end = selection.between
    half = times[0] / 2  # an interval is within when its middle is
    kept = [i for i, time in enumerate(times) if begin < time - half < end]
    return [times[i] for i in kept], {
        link: [values[i] for i in kept] for link, values in curves.items() if kept
    }


def number(row, column):
    """A column of a row, or what follows from others."""
    if column == "goodput_gbps":
        time = float(row["fct_ns"])
        return 8 * float(row["size_bytes"]) / time if time else math.inf
    return float(row[column])


def whole_time(name, values):
    """What a link's intervals come to: a sum where they count something, else their mean."""
    return sum(values) / (1 if name.partition(".")[2] in COUNTS else len(values))
