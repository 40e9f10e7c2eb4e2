# SPDX-License-Identifier: GPL-2.0-only
"""The numbers behind a plot: curves over its columns, normalized, in readable units."""

import dataclasses

from .quantities import CALL, SUMS, as_numbers, parse_quantity, readable_unit, unit_of, words_of
from .tables import read_rows


@dataclasses.dataclass
class Curve:
    """Its values, each with its place on the x axis; None where there is no result."""

    part: str
    label: str
    values: list


@dataclasses.dataclass
class Axis:
    """Where on it each place stands, and the names of the places, if they have names.

    The unit is in the label; where the names have units of several sizes, it is in them.
    """

    label: str
    numbers: dict  # {text of a column, or number of a point: number}
    names: list


class PlotData:
    """What a study's results say about one plot."""

    def __init__(self, plot, points, results, store):
        self.plot = plot
        self.store = store
        self.results = {point.id: result for point, result in zip(points, results)}
        self.all_points = points
        self.measured = {}
        self.points = [
            point
            for point in points
            if all(point.coordinates[key] == text for key, text in plot.only.items())
        ]

    def measure(self, point, name):
        """A number of a point; None where it failed or has no such row."""
        key = point.id, name
        if key not in self.measured:
            self.measured[key] = self.read_measure(point, name)
        return self.measured[key]

    def read_measure(self, point, name):
        summary = self.results[point.id].summary
        if summary["status"] != "done":
            return None
        found = CALL.fullmatch(name)
        if found:
            values = self.column(point, found[2])
            return SUMS[found[1]](values) if values else None
        return float(summary[name])

    def column(self, point, name):
        """The numbers of a column of one of its tables, such as flows.fct_ns."""
        table, _, column = name.partition(".")
        rows = read_rows(self.store.directory(point) / f"{table}.csv")
        return [float(row[column]) for row in rows]

    def total(self, point):
        parts = [self.measure(point, name) for name in self.plot.values]
        return None if None in parts else sum(parts)

    def series_of(self, point):
        texts = [point.coordinates[name] for name in self.plot.series]
        return ", ".join(texts)

    def reference(self, point):
        """What the values of a point are divided by; 1 without normalization."""
        rule = self.plot.normalize
        if rule is None:
            return 1.0
        if rule == "first":
            return self.total(self.points[0])
        if rule == "first-of-series":
            label = self.series_of(point)
            return self.total(next(one for one in self.points if self.series_of(one) == label))
        if isinstance(rule, dict):
            wanted = point.coordinates | rule
            return self.total(next(one for one in self.all_points if one.coordinates == wanted))
        number, unit, units = parse_quantity(rule)
        own = unit_of(self.plot.values[0])
        return number * units[unit] / units[own]

    def value(self, point, name):
        number, reference = self.measure(point, name), self.reference(point)
        return number / reference if number is not None and reference else None

    def curves(self):
        """One for each part of each series, in the order of the study."""
        curves = {}
        for part in self.plot.values:
            for point in self.points:
                label = self.series_of(point)
                curve = curves.setdefault((part, label), Curve(part, label, []))
                place = self.place(point)
                if place is not None:
                    curve.values.append((place, self.value(point, part)))
        return list(curves.values())

    def place(self, point):
        """Where a point stands on the x axis: a column's text, or a number of its own."""
        if self.plot.x in point.coordinates:
            return point.coordinates[self.plot.x]
        return self.measure(point, self.plot.x)

    def has_values(self):
        if self.plot.kind == "cdf":
            return any(self.distributions().values())
        return any(self.value(point, self.plot.values[0]) is not None for point in self.points)

    def distributions(self):
        """A sorted list of values for each series of a CDF; points that share one are pooled."""
        pools = {}
        for point in self.points:
            values = pools.setdefault(self.series_of(point), [])
            if self.results[point.id].status == "done":
                reference = self.reference(point)
                values += [value / reference for value in self.column(point, self.plot.x)]
        return {label: sorted(values) for label, values in pools.items()}

    def column_axis(self, key):
        """The axis of the column that the plot's `x` or `y` names, with its values in order."""
        name = getattr(self.plot, key)
        texts = list(dict.fromkeys(point.coordinates[name] for point in self.points))
        words = self.plot.labels[key] or short(name)
        numbers, unit = as_numbers(texts) or (range(len(texts)), "")
        numbers = dict(zip(texts, numbers))
        if unit and all(text.endswith(" " + unit) for text in texts):
            return Axis(f"{words}, {unit}", numbers, [text.split()[0] for text in texts])
        return Axis(words, numbers, texts)

    def x_axis(self):
        if self.plot.x in self.points[0].coordinates:
            return self.column_axis("x")
        places = [self.place(point) for point in self.points]
        unit, factor = readable_unit(self.plot.x, places)
        words = self.plot.labels["x"] or words_of(self.plot.x)
        numbers = {place: place / factor for place in places if place is not None}
        return Axis(f"{words}, {unit}" if unit else words, numbers, [])

    def value_scale(self, values, axis="y"):
        """(label with its unit, what to divide the values by)."""
        names = self.plot.values
        words = self.plot.labels[axis] or words_of_all(names)
        if self.plot.normalize is not None:
            return f"{words} / {describe_reference(self.plot.normalize)}", 1.0
        unit, factor = readable_unit(names[0], values)
        return (f"{words}, {unit}" if unit else words), factor


def words_of_all(names):
    if len(names) == 1:
        return words_of(names[0])
    return "time" if unit_of(names[0]) == "ns" else "sum"


def describe_reference(rule):
    if rule == "first":
        return "that of the first point"
    if rule == "first-of-series":
        return "that of the series' first point"
    if isinstance(rule, dict):
        return "that of " + ", ".join(f"{short(key)} = {text}" for key, text in rule.items())
    return rule


def short(name):
    """A column without its section: dimensions[0].bandwidth."""
    section, dot, rest = name.partition(".")
    return rest if dot and section in ("workload", "system", "network") else name
