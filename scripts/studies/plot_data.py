# SPDX-License-Identifier: GPL-2.0-only
"""The numbers behind a plot, in long form: a row for each value that it shows."""

import functools
import math

import pandas

from .point_tables import PointTables
from .quantities import CALL, FUNCTIONS, USED, is_column, mean, parse_quantity
from .quantities import table_of, unit_of


class PlotData:
    """What a study's results say about one plot."""

    def __init__(self, plot, points, results, store):
        self.plot = plot
        self.store = store
        self.results = {point.id: result for point, result in zip(points, results)}
        self.all_points = points
        self.measured = {}
        self.tables = {}
        self.points = [point for point in points if plot.is_shown(point)]

    @functools.cached_property
    def rows(self):
        """What the kind of the plot shows; it names one of the methods below. All of them give a
        table with a column `value`, which is NaN where there is no result."""
        return getattr(self, self.plot.kind.shows)()

    def point_values(self):
        """The numbers of the points, part by part: see `by_place`."""
        return pandas.concat([self.by_place(part, self.value) for part in self.plot.values])

    def by_place(self, part, value_of):
        """A row for each point with its `series`, its `place` on the x axis and its `value`, which
        `value_of` gives for this part. Where points are one, a row for each place with their mean,
        the `least` and the `most`."""
        rows = pandas.DataFrame({
            "part": part,
            "series": [self.series_of(point) for point in self.points],
            "place": [self.place(point) for point in self.points],
            "value": pandas.Series([value_of(point, part) for point in self.points], dtype=float),
        })
        if not self.plot.over:
            return rows
        groups = rows.groupby(["part", "series", "place"], sort=False).value
        return groups.agg(value=middle, least="min", most="max").reset_index()

    def distribution(self):
        """A row for each number of each point's column; where it has none, one without a value."""
        pools = []
        for point in self.points:
            numbers = self.column(point) if self.is_done(point) else []
            values = pandas.Series(numbers or [None], dtype=float) / self.divisor(point)
            pools.append(pandas.DataFrame({"series": self.series_of(point), "value": values}))
        return pandas.concat(pools)

    def over_time(self):
        """A row for each interval of each curve: its `time` in ns, the `series` that the curve is
        of, and the `panel` that it stands in."""
        curves = [pandas.DataFrame(columns=["time", "series", "value", "panel"])]
        for point in filter(self.is_done, self.points):
            rows = self.intervals(point).melt(ignore_index=False, var_name="series")
            curves.append(rows.rename_axis("time").reset_index().assign(panel=self.panel_of(point)))
        return pandas.concat(curves).astype({"time": float, "value": float})

    def cells(self):
        """A row for each number of each point: the `key` of the table's line, which are the texts
        of its columns, and the number's `column`."""
        return pandas.DataFrame([
            {"key": tuple(point.coordinates[name] for name in self.plot.series),
             "column": number, "value": self.measure(point, name, selection)}
            for number, (name, _, selection) in enumerate(self.plot.columns)
            for point in self.points
        ]).astype({"value": float})

    def has_values(self):
        return self.rows.value.notna().any()

    def is_done(self, point):
        return self.results[point.id].status == "done"

    def tables_of(self, point):
        if point.id not in self.tables:
            finish = float(self.results[point.id].summary["finish_time_ns"])
            self.tables[point.id] = PointTables(self.store.directory(point), finish)
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
            return self.tables_of(point).used(selection)
        text = summary.get(name)  # a search may find nothing, and not every job serves
        return float(text) if text else None

    def column(self, point):
        """The numbers of the column that is drawn, such as flows.fct_ns, or that of the point."""
        name = self.plot.x
        if is_column(name):
            return self.tables_of(point).column(name, self.plot.selection)
        return [self.measure(point, name)]

    def total(self, point):
        """The sum of its parts; None where one of them is unknown."""
        parts = [self.measure(point, name) for name in self.plot.values]
        return None if None in parts else sum(parts)

    def series_of(self, point):
        """The label of the series that it belongs to."""
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
            reference = self.reference_of(point)
            return self.total(reference) if reference else None
        number, unit, units = parse_quantity(rule)
        own = unit_of(self.plot.values[0])
        return number * units[unit] / units[own]

    @functools.cached_property
    def reference_of(self):
        return self.plot.references_of(self.all_points)

    def value(self, point, name):
        return self.normalized(point, self.measure(point, name))

    def normalized(self, point, number):
        divisor = self.divisor(point)
        if self.plot.is_speedup:
            number, divisor = divisor, number
        return number / divisor if number is not None and divisor else None

    def place(self, point):
        """Where a point stands on the x axis: a column's text, or a number of its own."""
        if self.plot.x in point.coordinates:
            return point.coordinates[self.plot.x]
        return self.measure(point, self.plot.x)

    def intervals(self, point):
        """A row for each interval of the point, by its end, and a column for each curve."""
        name = self.plot.values[0]
        found = CALL.fullmatch(name)
        links = self.tables_of(point).series(found[2] if found else name, self.plot.selection)
        if found and not links.empty:
            numbers = [FUNCTIONS[found[1]](row) for row in links.to_numpy().tolist()]
            return pandas.DataFrame({self.series_of(point): numbers}, links.index, dtype=float)
        count = len(links.columns)
        return links.set_axis([self.label_of(point, link, count) for link in links], axis=1)

    def panel_of(self, point):
        return point.coordinates.get(self.plot.panels, "")

    def label_of(self, point, link, count):
        """Of the curve of one of `count` links: its series, its link, or both."""
        series = [self.series_of(point)] if self.plot.series else []
        return ", ".join(series + [" to ".join(link)] if count > 1 or not series else series)


def middle(values):
    """The mean of those that are known. Rounding does not move it beyond the least and the most."""
    known = values.dropna().tolist()
    return min(max(mean(known), min(known)), max(known)) if known else math.nan


def has(point, wanted):
    return all(point.coordinates[key] == text for key, text in wanted.items())
