# SPDX-License-Identifier: GPL-2.0-only
"""The axes of a plot: where its places stand, what they are called, and in which units."""

import dataclasses
import re

from .quantities import as_numbers, readable_unit, unit_of, words_of

FILE = re.compile(r"(?:^|(?<=, ))[^,]*/([^/,]+)\.ya?ml(?=,|$)")  # one of the texts of a label


@dataclasses.dataclass
class Axis:
    """Where on it each place stands, and the names of the places, if they have names.

    The unit is in the label; where the names have units of several sizes, it is in them.
    """

    label: str
    numbers: dict  # {text of a column, or number of a point: number}
    names: list
    is_scale: bool  # numbers stand as far apart as they differ; else places stand in a row


def make_axes(data, figure):
    """The only axes of a figure, with the plot's title."""
    return figure.subplots(subplot_kw={"title": data.plot.title})


def column_axis(data, key):
    """The axis of the column that the plot's `x` or `y` names, with its values in order."""
    name = getattr(data.plot, key)
    texts = list(dict.fromkeys(point.coordinates[name] for point in data.points))
    words = data.plot.labels[key] or short(name)
    known = as_numbers(texts)
    numbers, unit = known or (range(len(texts)), "")
    numbers = dict(zip(texts, numbers))
    if unit and all(text.endswith(" " + unit) for text in texts):
        words, names = f"{words}, {unit}", [text.split()[0] for text in texts]
    else:
        names = without_folders(texts)
    return Axis(words, numbers, names, is_scale=known is not None)


def without_folders(labels):
    """Configurations that are files by their names alone: `alone` for ../jobs/alone.yaml. Where
    names alone do not tell the labels apart, the labels as they are."""
    names = [FILE.sub(r"\1", label) for label in labels]
    return names if len(set(names)) == len(set(labels)) else labels


def place_axis(data):
    """The x axis: of a column, or of a number of the points."""
    if data.plot.x in data.points[0].coordinates:
        return column_axis(data, "x")
    places = [data.place(point) for point in data.points]
    unit, factor = readable_unit(data.plot.x, places)
    words = data.plot.labels["x"] or words_of(data.plot.x)
    numbers = {place: place / factor for place in places if place is not None}
    return Axis(f"{words}, {unit}" if unit else words, numbers, [], is_scale=True)


def place_rows(rows, numbers, factor):
    """The known values of rows by place, from left to right, in the unit of the figure. `x` is the
    number of each place."""
    columns = [name for name in ("value", "least", "most") if name in rows]
    known = rows.dropna(subset="value")
    known = known.assign(x=known.place.map(numbers), **known[columns] / factor)
    return known.sort_values(["x", "value"])


def value_scale(data, values, axis="y"):
    """(label with its unit, what to divide the values by); those that are not known are NaN."""
    names = data.plot.values
    words = data.plot.labels[axis] or words_of_all(data)
    if data.plot.is_speedup:
        words = data.plot.labels[axis] or "speedup"
        reference = describe_reference(data.plot.normalize).removeprefix("that of ")
        return f"{words} over {reference}", 1.0
    if data.plot.normalize is not None:
        return f"{words} / {describe_reference(data.plot.normalize)}", 1.0
    unit, factor = readable_unit(names[0], values.dropna())
    return (f"{words}, {unit}" if unit else words), factor


def words_of_all(data):
    names = data.plot.values
    if len(names) == 1:
        return words_of(names[0], is_one=data.has_one_row(names[0]))
    return "time" if unit_of(names[0]) == "ns" else "sum"


def describe_reference(rule):
    if rule == "first":
        return "that of the first point"
    if rule == "first-of-series":
        return "that of the series' first point"
    if isinstance(rule, dict):
        return "that of " + ", ".join(f"{short(key)} = {text}" for key, text in rule.items())
    return rule


def last_words(names):
    """Of columns: bandwidth. Where these are not enough to tell them apart, without the section."""
    words = [name.rpartition(".")[2] for name in names]
    return words if len(set(words)) == len(words) else list(map(short, names))


def short(name):
    """A column without its section: dimensions[0].bandwidth."""
    section, dot, rest = name.partition(".")
    return rest if dot and section in ("workload", "system", "network") else name
