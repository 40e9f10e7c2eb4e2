# SPDX-License-Identifier: GPL-2.0-only
"""What a section of a page is made of.

The template writes texts, lists and facts. Of what has a `data` function, it writes an empty place,
and the scripts of the page draw there what the function returns: plain values that JSON can have.
"""

import dataclasses
import math

import numpy
import pandas

from studies.quantities import readable_unit

from .words import short

LONGEST_TEXT = 300  # of a cell
LONGEST_SENTENCE = 2000
LARGEST_WHOLE = 2.0**53  # doubles above it leave whole numbers out
YES_OR_NO = "yes or no"
OTHER_KEYS = "all other keys"  # a choice of an Explorer's series, as explorer.js has it


@dataclasses.dataclass
class Section:
    """`name` is its place in the page: letters, digits and dashes."""

    name: str
    title: str
    parts: list


@dataclasses.dataclass
class Text:
    text: str
    kind = "text"


@dataclasses.dataclass
class Statement:
    """What matters most."""

    text: str
    kind = "statement"


@dataclasses.dataclass
class Subtitle:
    text: str
    kind = "subtitle"


@dataclasses.dataclass
class Command:
    """A line for a shell."""

    text: str
    kind = "command"


@dataclasses.dataclass
class Items:
    lines: list
    kind = "items"


@dataclasses.dataclass
class Facts:
    """Pairs of a name and a value."""

    rows: list
    kind = "facts"


@dataclasses.dataclass
class Missing:
    """Something that the result does not have. `how` says what brings it."""

    what: str
    how: str
    kind = "missing"


@dataclasses.dataclass
class Column:
    """`values` are numbers in the results' unit, which are shown divided by `size` with `digits`
    decimals, or as the `texts`; or texts, where `unit` is None. NaN is an empty cell."""

    title: str
    values: object
    unit: str | None = ""
    size: float = 1.0
    digits: int = 0
    is_wide: bool = False  # its texts are sentences, which are shown whole
    texts: list | None = None  # of numbers that are shown as somebody wrote them

    def data(self):
        if self.unit is None:
            longest = LONGEST_SENTENCE if self.is_wide else LONGEST_TEXT
            return {"title": self.title, "wide": self.is_wide,
                    **encode_texts(self.values, longest)}
        written = {} if self.texts is None else {"texts": encode_texts(self.texts, LONGEST_TEXT)}
        return {"title": self.title, "unit": self.unit, "size": self.size, "digits": self.digits,
                "values": encode_numbers(self.values), **written}


def text_column(title, values):
    return Column(title, list(values), None)


def sentence_column(title, values):
    return Column(title, list(values), None, is_wide=True)


def quantity_column(title, name, values):
    """Of a column of the results: its name says the unit, its largest value which one is shown."""
    return quantity_columns(name, {title: values})[0]


def quantity_columns(name, columns):
    """Of {title: values}, all in one unit, so that they compare."""
    numbers = {title: numpy.asarray(values, float) for title, values in columns.items()}
    every = numpy.concatenate(list(numbers.values()))
    finite = every[numpy.isfinite(every)]
    unit, size = readable_unit(name, [float(abs(finite).max(initial=0))])
    are_whole = size == 1 and (finite == numpy.floor(finite)).all()
    return [Column(title, own, unit, size, 0 if are_whole else 3)
            for title, own in numbers.items()]


def share_column(title, shares):
    return Column(title, shares, "%", 0.01, 1)


def encode_numbers(values):
    """Whole numbers without a decimal point, no value as null."""
    numbers = numpy.asarray(values, float)
    are_exact = abs(numbers) < LARGEST_WHOLE  # not of NaN
    if are_exact.all() and (numbers == numpy.floor(numbers)).all():
        return numbers.astype(numpy.int64).tolist()
    return [number if math.isfinite(number) else None for number in numbers.tolist()]


def encode_texts(values, longest):
    """Each word once, and its number for each row."""
    codes, words = pandas.factorize(pandas.Series(list(values), dtype=object))
    return {"words": [short(word, longest) for word in words], "codes": codes.tolist()}


@dataclasses.dataclass
class Table:
    """Sorts, filters and pages on the page. `name` is unique on the page."""

    name: str
    title: str
    columns: list
    note: str = ""
    kind = "table"

    def data(self):
        return {"columns": [column.data() for column in self.columns]}


@dataclasses.dataclass
class Chart:
    """`traces` and `layout` as Plotly has them; colours, fonts and size are the page's. Every axis
    has a title."""

    name: str
    title: str
    traces: list
    layout: dict
    note: str = ""
    kind = "chart"

    def data(self):
        return {"traces": self.traces, "layout": self.layout}


def axis(title, **more):
    return {"title": {"text": title}, **more}


@dataclasses.dataclass
class Graph:
    """Nodes with places from 0 to 1, and links between them, which are coloured by one of
    `measures`: [(title, numbers, unit)]. Numbers of the unit YES_OR_NO are 0 or 1. `directed` links
    have a head at their end."""

    name: str
    title: str
    nodes: list  # of (name, x, y)
    links: list  # of (number of a node, number of a node)
    measures: list
    note: str = ""
    directed: bool = False
    kind = "graph"

    def data(self):
        return {
            "nodes": [[short(name), round(x, 4), round(y, 4)] for name, x, y in self.nodes],
            "links": [list(map(int, ends)) for ends in self.links],
            "measures": [{"title": title, "values": encode_numbers(values), "unit": unit}
                         for title, values, unit in self.measures],
            "directed": self.directed,
        }


@dataclasses.dataclass
class Timeline:
    """`rows`: {rank, track, color, start, length, code} with arrays of the last three, in ns; the
    codes are numbers of `names`, and -1 is something too short to be told apart."""

    name: str
    title: str
    rows: list
    names: list
    end: float  # ns
    note: str = ""
    kind = "timeline"

    def data(self):
        return {"rows": self.rows, "names": [short(name) for name in self.names], "end": self.end}


@dataclasses.dataclass
class Explorer:
    """A chart whose axes, series and normalisation are chosen on the page. `columns` as those of a
    table; `x`, `y`, `series` are titles of them that are chosen at first. `series` may be
    OTHER_KEYS."""

    name: str
    title: str
    columns: list
    keys: list  # titles of the columns that may be the series
    x: str
    y: str
    series: str = ""
    note: str = ""
    kind = "explorer"

    def data(self):
        return {"columns": [column.data() for column in self.columns], "keys": self.keys,
                "x": self.x, "y": self.y, "series": self.series}


@dataclasses.dataclass
class Settings:
    """Keys of a configuration: rows of (path, value, help, whether it is the default)."""

    rows: list
    kind = "settings"
