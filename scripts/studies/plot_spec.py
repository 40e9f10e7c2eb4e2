# SPDX-License-Identifier: GPL-2.0-only
"""The plots that a study declares: read and checked before anything runs."""

import dataclasses
import re

from .errors import suggest
from .quantities import SUMMARY_FIELDS, TABLE_COLUMNS, are_positive, is_column, is_measure
from .quantities import parse_quantity, unit_of

COMMON = ["kind", "name", "title", "where", "normalize", "x-label", "y-label"]
KINDS = {
    "line": ["x", "y", "series", "x-scale", "y-scale"],
    "bar": ["x", "y", "series", "y-scale"],
    "stacked-bar": ["x", "parts", "series"],
    "heat-map": ["x", "y", "value", "value-label"],
    "cdf": ["x", "series", "x-scale"],
}
REQUIRED = {"line": "xy", "bar": "xy", "stacked-bar": "x", "heat-map": ["x", "y", "value"]}
BREAKDOWN = ["compute_ns", "exposed_communication_ns", "idle_ns"]
NORMALIZE = ["first", "first-of-series"]
FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclasses.dataclass
class Plot:
    """`x` and `series` tell points apart; `values` are what is drawn, several only as parts."""

    kind: str
    name: str
    where: str  # place in the study
    x: str
    values: list
    series: list
    y: str = ""  # of a heat map: the column on the other axis
    only: dict = dataclasses.field(default_factory=dict)  # {column: text}: the points it shows
    normalize: object = None  # None, one of NORMALIZE, {column: text}, or a quantity's text
    title: str = ""
    labels: dict = dataclasses.field(default_factory=dict)  # {"x", "y" or "value": words}
    scales: dict = dataclasses.field(default_factory=dict)  # {"x" or "y": linear or log}


def read_plots(value, columns):
    """`columns` are the study's, with the texts of each. Throws StudyError."""
    plots = []
    for number, item in enumerate(value.list("plots"), start=1):
        plot = Reader(item, columns).read(number)
        if plot.name in [other.name for other in plots]:
            item.fail(f'plots: the name "{plot.name}" is taken; write another')
        plots.append(plot)
    return plots


class Reader:
    """Reads one plot."""

    def __init__(self, item, columns):
        self.item = item
        self.columns = columns
        self.entries = item.mapping("a plot")

    def read(self, number):
        kind = self.choice("kind", list(KINDS), None)
        if kind is None:
            self.item.fail(f"plots: kind is missing; write one of {', '.join(KINDS)}")
        for key, value in self.entries.items():
            if key not in COMMON + KINDS[kind]:
                known = KINDS[kind] + COMMON
                value.fail(f"plots: {key}: unknown key of a {kind}{suggest(key, known)}")
        for key in REQUIRED.get(kind, "x"):
            if key not in self.entries:
                self.item.fail(f"plots: {key} is missing; a {kind} needs it")
        plot = Plot(
            kind=kind,
            name=self.text("name", f"{number}-{kind}"),
            where=self.item.where,
            x=self.text("x"),
            values=self.read_values(kind),
            series=self.read_series(),
            y=self.column("y") if kind == "heat-map" else "",
            only=self.coordinates("where"),
            title=self.text("title"),
            labels={axis: self.text(f"{axis}-label") for axis in ("x", "y", "value")},
            scales={axis: self.choice(f"{axis}-scale", ["linear", "log"]) for axis in "xy"},
        )
        if not FILE_NAME.fullmatch(plot.name):
            self.item.fail(f'plots: "{plot.name}" is no name of a file; use letters, digits, . _ -')
        plot.normalize = self.read_normalize(plot)
        self.check_x(plot)
        self.check_free(plot)
        return plot

    def text(self, key, default=""):
        return self.entries[key].scalar(f"plots: {key}") if key in self.entries else default

    def choice(self, key, known, default=""):
        text = self.text(key, default)
        if key in self.entries and text not in known:
            nearest = suggest(text, known)
            self.entries[key].fail(f'plots: {key}: "{text}" is not valid{nearest}')
        return text

    def column(self, key):
        self.check_column(self.entries[key], self.text(key))
        return self.text(key)

    def check_column(self, value, name):
        if name not in self.columns:
            nearest = suggest(name, list(self.columns))
            value.fail(f'plots: "{name}" does not vary in this study{nearest}')

    def measure(self, value):
        name = value.scalar("plots: a field")
        if not is_measure(name):
            tables = ", ".join(f"max({table}.<column>)" for table in TABLE_COLUMNS)
            nearest = suggest(name, SUMMARY_FIELDS)
            value.fail(f'plots: "{name}" is no number of a point{nearest}; or such as {tables}')
        return name

    def read_values(self, kind):
        if kind == "cdf":
            name = self.text("x")
            if not is_column(name):
                tables = TABLE_COLUMNS.items()
                known = [f"{table}.{column}" for table, columns in tables for column in columns]
                problem = f'plots: "{name}" is no column of the results{suggest(name, known)}'
                self.entries["x"].fail(problem)
            return [name]
        if kind == "stacked-bar":
            return self.read_parts()
        return [self.measure(self.entries["value" if kind == "heat-map" else "y"])]

    def read_parts(self):
        if "parts" not in self.entries:
            return BREAKDOWN
        parts = [self.measure(item) for item in self.entries["parts"].list("plots: parts")]
        if not parts or len({unit_of(part) for part in parts}) > 1:
            self.entries["parts"].fail("plots: parts: have different units; stack what adds up")
        return parts

    def read_series(self):
        value = self.entries.get("series")
        if value is None:
            return []
        items = value.items if value.items is not None else [value]
        for item in items:
            self.check_column(item, item.scalar("plots: series"))
        return [item.text for item in items]

    def coordinates(self, key):
        if key not in self.entries:
            return {}
        found = {}
        for name, value in self.entries[key].mapping(f"plots: {key}").items():
            self.check_column(value, name)
            text = value.scalar(f"plots: {key}: {name}")
            if text not in self.columns[name]:
                nearest = suggest(text, self.columns[name])
                value.fail(f'plots: {key}: {name} is never "{text}"{nearest}')
            found[name] = text
        return found

    def read_normalize(self, plot):
        value = self.entries.get("normalize")
        if value is None:
            return None
        if plot.kind != "cdf" and value.entries is not None:
            return self.coordinates("normalize")
        text = value.scalar("plots: normalize")
        if plot.kind != "cdf" and text in NORMALIZE:
            return text
        parsed = parse_quantity(text)
        unit = unit_of(plot.values[0])
        if parsed is None or parsed[0] <= 0 or unit not in parsed[2]:
            example = f"a value such as 10 {unit}".rstrip()
            named = "" if plot.kind == "cdf" else f"{', '.join(NORMALIZE)}, {{column: value}} or "
            value.fail(f'plots: normalize: "{text}" is not valid; write {named}{example}')
        return text

    def check_x(self, plot):
        if plot.scales["x"] == "log" and not are_positive(self.columns.get(plot.x, ["1"])):
            self.entries["x-scale"].fail(f"plots: x-scale: {plot.x} is no number above 0; omit it")
        if plot.kind == "cdf" or plot.x in self.columns:
            return
        if plot.kind != "line" or not is_measure(plot.x):
            self.check_column(self.entries["x"], plot.x)

    def check_free(self, plot):
        """One place of the plot must not stand for several points."""
        pinned = {plot.x, plot.y, *plot.series, *plot.only}
        varying = [name for name, texts in self.columns.items() if len(texts) > 1]
        free = [name for name in varying if name not in pinned]
        is_curve = plot.kind == "line" and plot.x not in self.columns
        if plot.kind != "cdf" and len(free) > is_curve:
            self.item.fail(
                f"plots: points differ in {free[0]} too; add it to series, or choose one value: "
                f"where: {{{free[0]}: {self.columns[free[0]][0]}}}"
            )
