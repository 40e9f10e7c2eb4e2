# SPDX-License-Identifier: GPL-2.0-only
"""What a plot of a study is: its kind, and what it shows."""

import dataclasses

from .plot_kinds import Kind
from .plot_selection import KEYS, Selection
from .quantities import is_column, is_measure

COMMON = ("kind", "name", "title", "where", *KEYS)  # the keys of every kind


@dataclasses.dataclass
class Plot:
    """`x` and `series` tell points apart; `values` are what is drawn, several only as parts.

    In a table `series` are its rows, and `values` its columns.
    """

    kind: Kind
    name: str
    where: str  # place in the study
    x: str
    values: list
    series: list
    y: str = ""  # of a heat map: the column on the other axis
    over: str = ""  # the column whose points are one: their mean, least and most
    panels: str = ""  # the column of which each value has axes of its own
    only: dict = dataclasses.field(default_factory=dict)  # {column: texts}: the points it shows
    selection: Selection = Selection()  # of the rows behind the values
    columns: list = dataclasses.field(default_factory=list)  # of a table: (value, label, selection)
    normalize: object = None  # None, one of NORMALIZE, {column: text}, or a quantity's text
    references: tuple = ()  # what its values are held against: names of plot_limits, or quantities
    is_speedup: bool = False  # values are those of the reference over a point's own
    variant_labels: tuple = ()  # columns that follow from `variant`
    title: str = ""
    labels: dict = dataclasses.field(default_factory=dict)  # {"x", "y" or "value": words}
    scales: dict = dataclasses.field(default_factory=dict)  # {"x" or "y": linear or log}

    def is_shown(self, point):
        return all(point.coordinates[key] in texts for key, texts in self.only.items())

    def references_of(self, points):
        """A function: the one of these by whose value that of a point is divided, or None.
        Requires: `normalize` is {column: text}.

        A variant implies its labels, and labels imply a variant. So where the rule names the one,
        a point's own text of the other does not count."""
        rule, labels = self.normalize, self.variant_labels
        implied = labels if "variant" in rule else ["variant"] if set(labels) & set(rule) else []

        def place(coordinates):
            return tuple(text for key, text in coordinates.items()
                         if key in rule or key not in implied)

        known = {place(one.coordinates): one for one in reversed(points)}
        return lambda point: known.get(place(point.coordinates | rule))

    def needed(self, points):
        """Those that it shows, and those by whose values these are divided."""
        shown = [one for one in points if self.is_shown(one)]
        if not isinstance(self.normalize, dict):
            return shown
        references = map(self.references_of(points), shown)
        return list({one.id: one for one in [*shown, *filter(None, references)]}.values())

    def numbers(self):
        """The names of all numbers that it needs of its points, each once."""
        names = [*self.values, self.x]
        return list(dict.fromkeys(name for name in names if is_measure(name) or is_column(name)))
