# SPDX-License-Identifier: GPL-2.0-only
"""The numbers behind a plot: curves over its columns, normalized."""

import dataclasses
import functools

from .plot_rows import Tables
from .quantities import CALL, FUNCTIONS, USED, is_column, mean, parse_quantity
from .quantities import table_of, unit_of


@dataclasses.dataclass
class Curve:
    """Its values, each with its place on the x axis; None where there is no result."""

    part: str
    label: str
    values: list
    spans: dict = dataclasses.field(default_factory=dict)  # {place: (least, most)} of a mean


class PlotData:
    """What a study's results say about one plot."""

    def __init__(self, plot, points, results, store):
        self.plot = plot
        self.store = store
        self.results = {point.id: result for point, result in zip(points, results)}
        self.all_points = points
        self.measured = {}
        self.tables = {}
        self.points = [
            point
            for point in points
            if all(point.coordinates[key] in texts for key, texts in plot.only.items())
        ]

    def is_done(self, point):
        return self.results[point.id].status == "done"

    def tables_of(self, point):
        if point.id not in self.tables:
            self.tables[point.id] = Tables(self.store.directory(point))
        return self.tables[point.id]

    def measure(self, point, name, selection=None):
        """A number of a point; None where it failed or has no such row."""
        selection = selection or self.plot.selection
        key = point.id, name, selection
        if key not in self.measured:
            done = self.is_done(point)
            self.measured[key] = self.read_measure(point, name, selection) if done else None
        return self.measured[key]

    def read_measure(self, point, name, selection):
        summary = self.results[point.id].summary
        found = CALL.fullmatch(name)
        if found:
            return self.tables_of(point).measure(found[1], found[2], selection)
        if name == USED:
            return self.tables_of(point).used(float(summary["finish_time_ns"]), selection)
        return float(summary[name])

    def column(self, point, name):
        """The numbers of a column of one of its tables, such as flows.fct_ns."""
        if not is_column(name):
            return [self.measure(point, name)]
        return self.tables_of(point).column(name, self.plot.selection)

    def total(self, point):
        parts = [self.measure(point, name) for name in self.plot.values]
        return None if None in parts else sum(parts)

    def series_of(self, point):
        texts = [point.coordinates[name] for name in self.plot.series]
        return ", ".join(texts)

    def has_one_row(self, name):
        """Whether a function of a column looks at one row of each point."""
        found = CALL.fullmatch(name)
        table = table_of(name)
        if not found or table == "series" or found[1] in ("jain", "gap"):
            return False
        done = filter(self.is_done, self.points)
        return all(len(self.tables_of(one).rows(table, self.plot.selection)) == 1 for one in done)

    def divisor(self, point):
        """What the values of a point are divided by; 1 without normalization."""
        rule = self.plot.normalize
        if rule is None:
            return 1.0
        if rule in ("first", "first-of-series"):
            keys = [self.plot.over] if self.plot.over else []
            keys += self.plot.series if rule == "first-of-series" else []
            wanted = {key: point.coordinates[key] for key in keys}
            return self.total(next(one for one in self.points if has(one, wanted)))
        if isinstance(rule, dict):
            return self.total_of(point.coordinates | rule, rule)
        number, unit, units = parse_quantity(rule)
        own = unit_of(self.plot.values[0])
        return number * units[unit] / units[own]

    def total_of(self, wanted, rule):
        """That of the point with these coordinates; what follows from the rule's does not count."""
        labels = self.plot.variant_labels
        told = labels if "variant" in rule else ["variant"] if set(labels) & set(rule) else []
        wanted = {key: text for key, text in wanted.items() if key in rule or key not in told}
        return next((self.total(one) for one in self.all_points if has(one, wanted)), None)

    def value(self, point, name):
        return self.normalized(point, self.measure(point, name))

    def normalized(self, point, number):
        divisor = self.divisor(point)
        if self.plot.is_speedup:
            number, divisor = divisor, number
        return number / divisor if number is not None and divisor else None

    def curves(self):
        """One for each part of each series, in the order of the study."""
        parts = self.plot.values
        return [one for part in parts for one in self.curves_of(part, self.value)]

    def curves_of(self, part, value):
        """One for each series; `value` gives that of a point."""
        curves = {}
        for point in self.points:
            label = self.series_of(point)
            curve = curves.setdefault(label, Curve(part, label, []))
            place = self.place(point)
            if place is not None:
                curve.values.append((place, value(point, part)))
        if self.plot.over:
            for curve in curves.values():
                merge(curve)
        return list(curves.values())

    def place(self, point):
        """Where a point stands on the x axis: a column's text, or a number of its own."""
        if self.plot.x in point.coordinates:
            return point.coordinates[self.plot.x]
        return self.measure(point, self.plot.x)

    def has_values(self):
        if self.plot.kind == "cdf":
            return any(self.distributions().values())
        if self.plot.kind == "time":
            return any(curves for _, curves in self.over_time)
        if self.plot.kind == "table":
            columns = self.plot.columns
            return any(
                self.measure(point, name, selection) is not None
                for point in self.points
                for name, _, selection in columns
            )
        return any(self.value(point, self.plot.values[0]) is not None for point in self.points)

    def distributions(self):
        """A sorted list of values for each series of a CDF; points that share one are pooled."""
        pools = {}
        for point in self.points:
            values = pools.setdefault(self.series_of(point), [])
            if self.is_done(point):
                divisor = self.divisor(point)
                values += [value / divisor for value in self.column(point, self.plot.x)]
        return {label: sorted(values) for label, values in pools.items()}

    @functools.cached_property
    def over_time(self):
        """[(point, [(label, times in ns, values)])] of the points that have a series.csv."""
        name = self.plot.values[0]
        found = CALL.fullmatch(name)
        curves = []
        for point in filter(self.is_done, self.points):
            tables = self.tables_of(point)
            times, links = tables.series(found[2] if found else name, self.plot.selection)
            if found and links:
                own = [(self.series_of(point), times, together(found[1], links))]
            else:
                own = [
                    (self.label_of(point, link, len(links)), times, values)
                    for link, values in links.items()
                ]
            curves.append((point, own))
        return curves

    def label_of(self, point, link, count):
        series = [self.series_of(point)] if self.plot.series else []
        return ", ".join(series + [" to ".join(link)] if count > 1 or not series else series)


def has(point, wanted):
    return all(point.coordinates[key] == text for key, text in wanted.items())


def together(function, links):
    """A number over all links for each interval."""
    return [FUNCTIONS[function](values) for values in zip(*links.values())]


def merge(curve):
    """From here on one value for each place: the mean; `spans` are its least and its most."""
    groups = {}
    for place, value in curve.values:
        groups.setdefault(place, []).extend([] if value is None else [value])
    curve.values = [(place, middle(group)) for place, group in groups.items()]
    curve.spans = {place: (min(group), max(group)) for place, group in groups.items() if group}


def middle(values):
    """The mean, which rounding does not move beyond the least and the most."""
    return min(max(mean(values), min(values)), max(values)) if values else None
