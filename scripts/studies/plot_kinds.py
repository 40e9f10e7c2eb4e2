# SPDX-License-Identifier: GPL-2.0-only
"""How each kind of plot is drawn: a function each, into given axes."""

import numpy
from matplotlib.ticker import FixedFormatter, FixedLocator, LogFormatter, NullLocator

from .plot_axes import column_axis, place_axis, value_scale
from .quantities import words_of

MOST_TICKS = 12
LONGEST_LEGEND = 8  # that stands inside the axes
COLORS = 10  # before they come again, with the next style of line
LINES = ["-", "--", ":"]
CHARACTERS_ON_AXIS = 80
LEGEND_LINE = 0.09  # of the height of the bars
BAR_SPACE = 0.8  # of the distance between two places


def draw_line(data, _figure, axes):
    curves = data.curves()
    label, factor = value_scale(data, [value for one in curves for _, value in one.values])
    x_axis = place_axis(data)
    for number, curve in enumerate(curves):
        pairs = [
            (x_axis.numbers[place], value / factor)
            for place, value in curve.values
            if value is not None
        ]
        xs, ys = zip(*sorted(pairs)) if pairs else ([], [])
        look = {"marker": "o", "markersize": 4, "linestyle": LINES[number // COLORS % len(LINES)]}
        lines = axes.plot(numpy.array(xs), numpy.array(ys), label=curve.label, **look)
        add_whiskers(axes, curve, x_axis.numbers, factor, lines[0].get_color())
    axes.set(xlabel=x_axis.label, ylabel=label)
    axes.grid(alpha=0.3)
    apply_scales(data.plot, axes)
    set_ticks(axes.xaxis, x_axis)
    if data.plot.scales["y"] != "log":
        largest = max(line.get_ydata().max(initial=0.0) for line in axes.lines)
        axes.set_ylim(0, 1.08 * largest or 1.0)
    add_legend(axes, data)


def add_whiskers(axes, curve, xs, factor, color):
    """From the least to the most, where values are means."""
    if not curve.spans:
        return
    values = dict(curve.values)
    known = [(xs[place], values[place], *span) for place, span in curve.spans.items()]
    places, middles, least, most = (numpy.array(one) for one in zip(*known))
    below, above = (middles - least) / factor, (most - middles) / factor
    look = {"fmt": "none", "ecolor": color, "elinewidth": 1, "capsize": 3}
    axes.errorbar(places, middles / factor, (below, above), **look)


def draw_bar(data, _figure, axes):
    draw_bars(data, axes)


def draw_stacked_bar(data, _figure, axes):
    draw_bars(data, axes)
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles))  # a part has one colour in all series
    axes.legend(unique.values(), unique.keys(), fontsize=8, loc="upper right", ncols=3)


def draw_bars(data, axes):
    """Groups of bars, a group for each place, a bar for each series, parts upon each other."""
    curves = data.curves()
    is_stacked = data.plot.kind == "stacked-bar"
    label, factor = value_scale(data, tops(data, curves))
    x_axis = place_axis(data)
    places = list(x_axis.numbers)
    series = list(dict.fromkeys(curve.label for curve in curves))
    width = BAR_SPACE / len(series)
    bottoms = {}
    for curve in curves:
        shift = (series.index(curve.label) - (len(series) - 1) / 2) * width
        values = dict(curve.values)
        heights = [(values.get(place) or 0.0) / factor for place in places]
        below = bottoms.get(curve.label, [0.0] * len(places))
        bottoms[curve.label] = [a + b for a, b in zip(below, heights)]
        axes.bar(
            [i + shift for i in range(len(places))],
            heights,
            width * 0.95,
            bottom=below,
            label=words_of(curve.part) if is_stacked else curve.label,
            color=f"C{data.plot.values.index(curve.part)}" if is_stacked else None,
        )
        if not is_stacked:
            xs = {place: i + shift for i, place in enumerate(places)}
            add_whiskers(axes, curve, xs, factor, "black")
    name_places(axes, x_axis.names, series if is_stacked else [""], width)
    axes.set(xlabel=x_axis.label, ylabel=label)
    if data.plot.scales["y"] != "log":
        highest = [max(bars) for bars in bottoms.values()]
        highest += [most / factor for curve in curves for _, most in curve.spans.values()]
        legend = LEGEND_LINE * (2 if is_stacked else min(len(series), LONGEST_LEGEND) + 1)
        axes.set_ylim(0, (1 + legend) * max(highest) or 1.0)
    axes.grid(axis="y", alpha=0.3)
    apply_scales(data.plot, axes)
    if not is_stacked:
        add_legend(axes, data)


def tops(data, curves):
    """The heights of whole bars."""
    heights = {}
    for curve in curves:
        for place, value in curve.values:
            key = (curve.label, place)
            heights[key] = heights.get(key, 0.0) + (value or 0.0)
    return list(heights.values())


def name_places(axes, places, series, width):
    """A name below each group of bars; with several stacks in a group, one below each of them."""
    middle = (len(series) - 1) / 2
    ticks = [i + (k - middle) * width for i in range(len(places)) for k in range(len(series))]
    names = [f"{one}\n{place}" if one else place for place in places for one in series]
    is_crowded = max(map(len, names)) * len(names) > CHARACTERS_ON_AXIS
    turned = {"rotation": 30, "ha": "right"} if is_crowded else {}
    axes.set_xticks(ticks, names, fontsize=8, **turned)


def draw_heat_map(data, figure, axes):
    x_axis, y_axis = column_axis(data, "x"), column_axis(data, "y")
    values = {}
    for point in data.points:
        place = point.coordinates[data.plot.y], point.coordinates[data.plot.x]
        values[place] = data.value(point, data.plot.values[0])
    label, factor = value_scale(data, values.values(), axis="value")
    nothing = float("nan")
    cells = [
        [nothing if values.get((y, x)) is None else values[y, x] / factor for x in x_axis.numbers]
        for y in y_axis.numbers
    ]
    picture = axes.imshow(cells, aspect="auto", origin="lower", cmap="viridis")
    figure.colorbar(picture, ax=axes, label=label)
    axes.set_xticks(range(len(x_axis.names)), x_axis.names)
    axes.set_yticks(range(len(y_axis.names)), y_axis.names)
    axes.set(xlabel=x_axis.label, ylabel=y_axis.label)
    write_cells(axes, cells)


def write_cells(axes, cells):
    """The number in each cell, while there is room."""
    if len(cells) > MOST_TICKS or len(cells[0]) > MOST_TICKS:
        return
    known = [cell for row in cells for cell in row if cell == cell]
    middle = (min(known) + max(known)) / 2
    for i, row in enumerate(cells):
        for k, cell in enumerate(row):
            color = "white" if cell < middle else "black"
            text = f"{cell:.3g}" if cell == cell else "-"
            axes.text(k, i, text, ha="center", va="center", color=color, fontsize=8)


def draw_cdf(data, _figure, axes):
    pools = data.distributions()
    values = [value for pool in pools.values() for value in pool]
    label, factor = value_scale(data, values, axis="x")
    for name, pool in pools.items():
        xs = [value / factor for value in pool]
        shares = [(i + 1) / len(xs) for i in range(len(xs))]
        axes.step(xs[:1] + xs, [0.0, *shares] if xs else [], where="post", label=name)
    axes.set(xlabel=label, ylabel="share of values up to x", ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    apply_scales(data.plot, axes)
    add_legend(axes, data)


def apply_scales(plot, axes):
    """What is not above 0 is left out of a logarithmic axis; bars, which begin there, are cut."""
    if plot.scales["x"] == "log":
        axes.set_xscale("log", nonpositive="mask")
        name_ticks(axes.xaxis)
    if plot.scales["y"] == "log":
        axes.set_yscale("log", nonpositive="clip" if plot.kind == "bar" else "mask")
        name_ticks(axes.yaxis)


def name_ticks(axis):
    """Of a logarithmic axis: in plain digits, and between the decades where there are few."""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(LogFormatter(minor_thresholds=(1.5, 0.5)))


def set_ticks(axis, described):
    """Ticks where the points are, with the names that the study gives them."""
    if not described.names or len(described.names) > MOST_TICKS:
        return
    axis.set_major_locator(FixedLocator(list(described.numbers.values())))
    axis.set_major_formatter(FixedFormatter(described.names))
    axis.set_minor_locator(NullLocator())
    if sum(map(len, described.names)) > CHARACTERS_ON_AXIS:
        axis.set_tick_params(rotation=30)


def add_legend(axes, data):
    if data.plot.series:
        names = ", ".join(name.rpartition(".")[2] for name in data.plot.series)
        is_long = len(axes.get_legend_handles_labels()[0]) > LONGEST_LEGEND
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)} if is_long else {}
        axes.legend(title=names, fontsize=8, title_fontsize=8, **place)


DRAWERS = {
    "line": draw_line,
    "bar": draw_bar,
    "stacked-bar": draw_stacked_bar,
    "heat-map": draw_heat_map,
    "cdf": draw_cdf,
}
