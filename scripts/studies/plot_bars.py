# SPDX-License-Identifier: GPL-2.0-only
"""Bars in groups: a group for each place, a bar for each series, parts upon each other."""

import math

from .plot_axes import make_axes, place_axis, place_rows, value_scale
from .plot_curves import add_whiskers
from .plot_legend import add_legend, has_legend, headroom
from .plot_reference import draw_over_bars
from .plot_scales import apply_scales, begin_at_zero
from .plot_style import add_grid, bar_look
from .plot_ticks import name_groups, name_places, spread_names
from .quantities import words_of

SPACE = 0.8  # of the distance between two groups
FILLED = 0.95  # of the space of a bar
IN_A_LINE = 3  # parts in the legend


class Groups:
    """Where the bars stand."""

    def __init__(self, places, series):
        self.places = places
        self.series = series
        self.width = SPACE / len(series)

    def middle(self, place, label):
        shift = self.series.index(label) - (len(self.series) - 1) / 2
        return self.places.index(place) + shift * self.width

    def middles(self):
        """From left to right."""
        return [self.middle(place, label) for place in self.places for label in self.series]

    def middles_of(self, label):
        """Those of the bars of a series: {place: number}."""
        return {place: self.middle(place, label) for place in self.places}

    def lefts(self):
        half = self.width * FILLED / 2
        return {(label, place): self.middle(place, label) - half
                for label in self.series for place in self.places}


def draw_bar(data, figure):
    axes = make_axes(data, figure)
    label, factor = value_scale(data, data.rows.value)
    groups = make_groups(data, axes, label)
    for number, (name, rows) in enumerate(data.rows.groupby("series", sort=False)):
        add_bars(axes, groups, name, heights(groups, rows, factor), bar_look(number), name)
        add_whiskers(axes, place_rows(rows, groups.middles_of(name), factor), "black")
    bound = draw_over_bars(data, axes, groups.lefts(), groups.width * FILLED, factor)
    name_places(axes, place_axis(data).names, range(len(groups.places)))
    lines = len(axes.get_legend_handles_labels()[1]) if has_legend(data.plot) else 0
    space = headroom("bar", lines, has_title=bool(data.plot.series))
    top = data.rows["most" if data.plot.over else "value"].max() / factor
    begin_at_zero(data.plot, axes, max(top, bound), space)
    apply_scales(data.plot, [axes])
    add_legend(axes, data)
    spread_names(axes, may_drop=False)


def draw_stacked_bar(data, figure):
    axes = make_axes(data, figure)
    stacks = data.rows.groupby(["series", "place"], sort=False).value.sum()
    label, factor = value_scale(data, stacks)
    groups = make_groups(data, axes, label)
    tops = dict.fromkeys(groups.series, 0.0)
    for (part, name), rows in data.rows.groupby(["part", "series"], sort=False):
        tall = heights(groups, rows, factor)
        look = bar_look(data.plot.values.index(part))
        add_bars(axes, groups, name, tall, look, words_of(part), bottom=tops[name])
        tops[name] = tops[name] + tall
    names = place_axis(data).names
    if data.plot.series:
        name_groups(axes, names, groups.series, groups.middles())
    else:
        name_places(axes, names, range(len(names)))
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles))  # a part has one look in all series
    lines = math.ceil(len(unique) / IN_A_LINE)
    space = headroom("stacked-bar", lines, has_title=False)
    begin_at_zero(data.plot, axes, stacks.max() / factor, space)
    axes.legend(unique.values(), unique.keys(), fontsize=8, loc="upper right", ncols=IN_A_LINE)
    spread_names(axes, may_drop=False)


def make_groups(data, axes, label):
    """Labels the axes, too."""
    x_axis = place_axis(data)
    axes.set(xlabel=x_axis.label, ylabel=label)
    add_grid(axes, axis="y")
    return Groups(list(x_axis.numbers), list(data.rows.series.unique()))


def heights(groups, rows, factor):
    """Of the bars of a series, in the order of the places; 0 where there is no result."""
    return rows.set_index("place").value.reindex(groups.places).fillna(0.0).to_numpy() / factor


def add_bars(axes, groups, series, tall, look, label, bottom=0.0):
    """The bars of a series, as tall as this, in the order of the places."""
    middles = list(groups.middles_of(series).values())
    axes.bar(middles, tall, groups.width * FILLED, bottom=bottom, label=label, **look)
