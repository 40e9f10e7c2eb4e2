# SPDX-License-Identifier: GPL-2.0-only
"""The plots that a study declares: read and checked before anything runs."""

import re

from . import plot_limits, plot_selection
from .errors import suggest
from .plot import COMMON, Plot
from .plot_kinds import KINDS
from .quantities import SUMMARY_FIELDS, TABLE_COLUMNS, USED, are_positive, columns_of, is_column
from .quantities import is_measure, is_over_time, misnamed, parse_quantity, unit_of

BREAKDOWN = ["compute_ns", "exposed_communication_ns", "idle_ns"]
NORMALIZE = ["first", "first-of-series"]
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def read_plots(value, columns, labels):
    """`columns` are the study's, with the texts of each; `labels`, some of them, are what tells its
    variants apart. Throws StudyError."""
    plots = []
    for number, item in enumerate(value.list("plots"), start=1):
        plot = Reader(item, columns, labels).read(number)
        if plot.name in [other.name for other in plots]:
            item.fail(f'plots: the name "{plot.name}" is taken; write another')
        plots.append(plot)
    return plots


class Reader:
    """Reads one plot."""

    def __init__(self, item, columns, labels):
        self.item = item
        self.columns = columns
        self.labels = labels
        self.entries = item.mapping("a plot")

    def read(self, number):
        kind = self.read_kind()
        plot = self.read_plot(kind, number)
        if not FILE_NAME.fullmatch(plot.name):
            self.item.fail(f'plots: "{plot.name}" is no name of a file; use letters, digits, . _ -')
        plot.normalize = self.read_normalize(plot)
        if "reference" in self.entries:
            plot.references = plot_limits.read_references(self.entries["reference"], plot)
        self.check_x(plot)
        self.check_free(plot)
        return plot

    def read_kind(self):
        name = self.choice("kind", list(KINDS), None)
        if name is None:
            self.item.fail(f"plots: kind is missing; write one of {', '.join(KINDS)}")
        kind = KINDS[name]
        known = [*kind.keys, *COMMON]
        for key, value in self.entries.items():
            if key not in known:
                value.fail(f"plots: {key}: unknown key of a {name}{suggest(key, known)}")
        for key in kind.required:
            if key not in self.entries:
                self.item.fail(f"plots: {key} is missing; a {name} needs it")
        return kind

    def read_plot(self, kind, number):
        columns = self.read_table_columns()
        values = [name for name, _, _ in columns] or self.read_values(kind)
        return Plot(
            kind=kind,
            name=self.text("name", f"{number}-{kind.name}"),
            where=self.item.where,
            x=self.text("x"),
            values=values,
            series=self.read_series(kind.series),
            y="" if kind.values == "y" else self.column("y"),
            over=self.column("over"),
            panels=self.column("panels"),
            only=self.choices(),
            selection=plot_selection.read_selection(self.entries, values),
            columns=columns,
            is_speedup="speedup" in self.entries,
            variant_labels=tuple(self.labels),
            title=self.text("title"),
            labels={axis: self.text(f"{axis}-label") for axis in ("x", "y", "value")},
            scales={axis: self.choice(f"{axis}-scale", ["linear", "log"]) for axis in "xy"},
        )

    def text(self, key, default=""):
        return self.entries[key].scalar(f"plots: {key}") if key in self.entries else default

    def choice(self, key, known, default=""):
        text = self.text(key, default)
        if key in self.entries and text not in known:
            nearest = suggest(text, known)
            self.entries[key].fail(f'plots: {key}: "{text}" is not valid{nearest}')
        return text

    def column(self, key):
        if key in self.entries:
            self.check_column(self.entries[key], self.text(key))
        return self.text(key)

    def check_column(self, value, name):
        if name not in self.columns:
            nearest = suggest(name, list(self.columns))
            value.fail(f'plots: "{name}" does not vary in this study{nearest}')

    def measure(self, value):
        name = value.scalar("plots: a field")
        if not is_measure(name):
            self.check_names(value, name)
            tables = ", ".join(f"max({table}.<column>)" for table in TABLE_COLUMNS)
            nearest = suggest(name, [*SUMMARY_FIELDS, USED])
            value.fail(f'plots: "{name}" is no number of a point{nearest}; or such as {tables}')
        return name

    def check_names(self, value, name):
        """Of a function and a column, where it is only one of these that is wrong."""
        problem = misnamed(name)
        if problem:
            value.fail(f'plots: "{name}": {problem}')

    def read_values(self, kind):
        if kind.shows == "distribution":
            return [self.distribution()]
        if kind.shows == "over_time":
            return [self.over_time()]
        if kind.values == "parts":
            return self.read_parts()
        return [self.measure(self.entries[kind.values])]

    def distribution(self):
        name = self.text("x")
        if not is_column(name) and not is_measure(name):
            self.check_names(self.entries["x"], name)
            known = [f"{table}.{one}" for table in TABLE_COLUMNS for one in columns_of(table)]
            problem = f'plots: "{name}" is no column of the results{suggest(name, known)}'
            self.entries["x"].fail(problem)
        return name

    def over_time(self):
        name = self.text("y")
        if not is_over_time(name):
            self.check_names(self.entries["y"], name)
            known = ", ".join(f"series.{column}" for column in columns_of("series"))
            problem = f'plots: "{name}" is nothing over time; write one of {known}'
            self.entries["y"].fail(f"{problem}, or such as max(series.queue_bytes)")
        if is_column(name) and "links" not in self.entries:
            self.item.fail(
                f"plots: links is missing; a curve for each of them: links: [[npu0, leaf0]], "
                f"or one for all: y: max({name})"
            )
        return name

    def read_table_columns(self):
        if "columns" not in self.entries:
            return []
        return plot_selection.read_columns(self.entries, self.measure)

    def read_parts(self):
        if "parts" not in self.entries:
            return BREAKDOWN
        parts = [self.measure(item) for item in self.entries["parts"].list("plots: parts")]
        if not parts or len({unit_of(part) for part in parts}) > 1:
            self.entries["parts"].fail("plots: parts: have different units; stack what adds up")
        return parts

    def read_series(self, key):
        value = self.entries.get(key)
        if value is None:
            return []
        items = value.items if value.items is not None else [value]
        for item in items:
            self.check_column(item, item.scalar(f"plots: {key}"))
        return [item.text for item in items]

    def choices(self):
        """{column: texts} of `where`."""
        if "where" not in self.entries:
            return {}
        chosen = {}
        for name, value in self.entries["where"].mapping("plots: where").items():
            items = value.items if value.items is not None else [value]
            chosen[name] = [self.coordinate("where", name, item) for item in items]
            if not items:
                value.fail(f"plots: where: {name}: no values; write at least one")
        return chosen

    def coordinate(self, key, name, value):
        self.check_column(value, name)
        text = value.scalar(f"plots: {key}: {name}")
        if text not in self.columns[name]:
            nearest = suggest(text, self.columns[name])
            value.fail(f'plots: {key}: {name} is never "{text}"{nearest}')
        return text

    def read_normalize(self, plot):
        key = "speedup" if plot.is_speedup else "normalize"
        value = self.entries.get(key)
        if value is None:
            return None
        if plot.is_speedup:
            self.check_speedup(value, plot)
        is_of_points = plot.kind.shows == "point_values"
        if is_of_points and value.entries is not None:
            entries = value.mapping(f"plots: {key}").items()
            return {name: self.coordinate(key, name, item) for name, item in entries}
        text = value.scalar(f"plots: {key}")
        if is_of_points and text in NORMALIZE:
            return text
        parsed = parse_quantity(text)
        unit = unit_of(plot.values[0])
        if parsed is None or parsed[0] <= 0 or unit not in parsed[2]:
            example = f"a value such as 10 {unit}".rstrip()
            named = f"{', '.join(NORMALIZE)}, {{column: value}} or " if is_of_points else ""
            value.fail(f'plots: {key}: "{text}" is not valid; write {named}{example}')
        return text

    def check_speedup(self, value, plot):
        if "normalize" in self.entries:
            value.fail("plots: speedup: normalize is given too; leave one of them out")
        if unit_of(plot.values[0]) != "ns":
            value.fail(f"plots: speedup: {plot.values[0]} is no time; use normalize")

    def check_x(self, plot):
        texts = plot.only.get(plot.x) or self.columns.get(plot.x, ["1"])
        if plot.scales["x"] == "log" and not are_positive(texts):
            self.entries["x-scale"].fail(f"plots: x-scale: {plot.x} is no number above 0; omit it")
        if plot.kind.shows != "point_values" or plot.x in self.columns:
            return
        if not plot.kind.may_x_be_number or plot.over or not is_measure(plot.x):
            if plot.kind.may_x_be_number:
                self.check_names(self.entries["x"], plot.x)
            self.check_column(self.entries["x"], plot.x)

    def implied_by(self, known):
        """The columns whose text follows from those of `known`."""
        if "variant" in known:
            return set(self.labels)
        return {"variant"} if self.labels and known.issuperset(self.labels) else set()

    def check_free(self, plot):
        """One place of the plot must not stand for several points."""
        if plot.kind.shows == "distribution":
            return
        pinned = {plot.x, plot.y, plot.over, plot.panels, *plot.series}
        shown = {name: plot.only.get(name, texts) for name, texts in self.columns.items()}
        single = {name for name, texts in shown.items() if len(texts) < 2}
        pinned |= self.implied_by(pinned | single)
        free = [name for name, texts in shown.items() if len(texts) > 1 and name not in pinned]
        is_curve = plot.kind.may_x_be_number and plot.x not in self.columns
        if len(free) > is_curve:
            self.item.fail(
                f"plots: points differ in {free[0]} too; add it to {plot.kind.series}, or choose "
                f"one value: where: {{{free[0]}: {shown[free[0]][0]}}}"
            )
