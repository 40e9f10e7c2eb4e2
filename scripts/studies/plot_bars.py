# SPDX-License-Identifier: GPL-2.0-only
"""Bars in groups: a group for each place, a bar for each series, parts upon each other."""

from .plot_axes import place_axis, value_scale
from .plot_curves import add_whiskers
from .plot_legend import add_legend, has_legend, headroom
from .plot_reference import draw_over_bars
from .plot_scales import apply_scales, begin_at_zero
from .plot_style import add_grid, bar_look
from .plot_ticks import name_groups, name_places
from .quantities import words_of

SPACE = 0.8  # of the distance between two groups
FILLED = 0.95  # of the space of a bar


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

    def lefts(self):
        half = self.width * FILLED / 2
        return {(label, place): self.middle(place, label) - half
                for label in self.series for place in self.places}


def draw_bar(data, _figure, axes):
    curves = data.curves()
    label, factor = value_scale(data, [value for one in curves for _, value in one.values])
    groups = begin(data, axes, curves, label)
    for number, curve in enumerate(curves):
        stand(axes, groups, curve, heights(groups, curve, factor), bar_look(number), curve.label)
        xs = {place: groups.middle(place, curve.label) for place in groups.places}
        add_whiskers(axes, curve, xs, factor, "black")
    tops = [value for one in curves for _, value in one.values if value is not None]
    tops += [most for curve in curves for _, most in curve.spans.values()]
    bound = draw_over_bars(data, axes, groups.lefts(), groups.width * FILLED, factor)
    name_places(axes, place_axis(data).names, range(len(groups.places)))
    lines = len(axes.get_legend_handles_labels()[1]) if has_legend(data.plot) else 0
    space = headroom("bar", lines, has_title=bool(data.plot.series))
    begin_at_zero(data.plot, axes, max(max(tops) / factor, bound), space)
    apply_scales(data.plot, [axes])
    add_legend(axes, data)


def draw_stacked_bar(data, _figure, axes):
    curves = data.curves()
    label, factor = value_scale(data, whole(curves))
    groups = begin(data, axes, curves, label)
    tops = {one: [0.0] * len(groups.places) for one in groups.series}
    for curve in curves:
        part = heights(groups, curve, factor)
        look = bar_look(data.plot.values.index(curve.part))
        stand(axes, groups, curve, part, look, words_of(curve.part), bottom=tops[curve.label])
        tops[curve.label] = [a + b for a, b in zip(tops[curve.label], part)]
    names = place_axis(data).names
    if data.plot.series:
        name_groups(axes, names, groups.series, groups.middles())
    else:
        name_places(axes, names, range(len(names)))
    space = headroom("stacked-bar", 1, has_title=False)
    begin_at_zero(data.plot, axes, max(map(max, tops.values())), space)
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles))  # a part has one look in all series
    axes.legend(unique.values(), unique.keys(), fontsize=8, loc="upper right", ncols=3)


def begin(data, axes, curves, label):
    x_axis = place_axis(data)
    axes.set(xlabel=x_axis.label, ylabel=label)
    add_grid(axes, axis="y")
    return Groups(list(x_axis.numbers), list(dict.fromkeys(curve.label for curve in curves)))


def heights(groups, curve, factor):
    values = dict(curve.values)
    return [(values.get(place) or 0.0) / factor for place in groups.places]


def stand(axes, groups, curve, tall, look, label, bottom=0.0):
    middles = [groups.middle(place, curve.label) for place in groups.places]
    axes.bar(middles, tall, groups.width * FILLED, bottom=bottom, label=label, **look)


def whole(curves):
    """The heights of whole stacks."""
    found = {}
    for curve in curves:
        for place, value in curve.values:
            key = curve.label, place
            found[key] = found.get(key, 0.0) + (value or 0.0)
    return list(found.values())
