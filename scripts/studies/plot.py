# SPDX-License-Identifier: GPL-2.0-only
"""What a plot of a study is: its kind, and what it shows."""

import dataclasses

from .plot_kinds import Kind
from .plot_selection import KEYS, Selection

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
