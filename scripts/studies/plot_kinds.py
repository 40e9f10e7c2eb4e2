# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of plots: which keys each takes, what it shows of the points, and what draws it."""

import dataclasses

AXES = ("x-label", "y-label")


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of plot.

    `draw` is "module:function". The module is loaded when the first plot of the kind is drawn,
    since matplotlib and pandas take a second to load. The function gets the PlotData and an empty
    figure of matplotlib, which it fills. A kind whose files are no pictures has a function that
    gets the PlotData only, and returns a text for each file.
    """

    name: str
    keys: tuple  # of its own; those of plot.COMMON are of every kind
    required: tuple  # of these keys
    draw: str
    shows: str = "point_values"  # the method of PlotData that collects what is drawn
    values: str = "y"  # of a kind that shows point values: the key that names these
    may_x_be_number: bool = False  # `x` may name a number of the points, not only a column
    files: tuple = ("png", "pdf")

    @property
    def is_figure(self):
        return "png" in self.files

    @property
    def series(self):
        """The key that names the columns which tell its series apart."""
        return "series" if self.is_figure else "rows"


KINDS = {}


def register(kind):
    """From now on, studies may have plots of this kind."""
    KINDS[kind.name] = kind


register(Kind(
    name="line",
    keys=("x", "y", "series", "over", "normalize", "speedup", "reference", "x-scale", "y-scale",
          *AXES),
    required=("x", "y"),
    may_x_be_number=True,
    draw="studies.plot_curves:draw_line",
))
register(Kind(
    name="bar",
    keys=("x", "y", "series", "over", "normalize", "speedup", "reference", "y-scale", *AXES),
    required=("x", "y"),
    draw="studies.plot_bars:draw_bar",
))
register(Kind(
    name="stacked-bar",
    keys=("x", "parts", "series", "over", "normalize", *AXES),
    required=("x",),
    values="parts",
    draw="studies.plot_bars:draw_stacked_bar",
))
register(Kind(
    name="heat-map",
    keys=("x", "y", "value", "normalize", "speedup", "value-label", *AXES),
    required=("x", "y", "value"),
    values="value",
    draw="studies.plot_heat_map:draw_heat_map",
))
register(Kind(
    name="cdf",
    keys=("x", "series", "normalize", "reference", "x-scale", *AXES),
    required=("x",),
    shows="distribution",
    draw="studies.plot_curves:draw_cdf",
))
register(Kind(
    name="time",
    keys=("y", "series", "panels", "reference", "y-scale", *AXES),
    required=("y",),
    shows="over_time",
    draw="studies.plot_time:draw_time",
))
register(Kind(
    name="table",
    keys=("rows", "columns", "over"),
    required=("rows", "columns"),
    shows="cells",
    draw="studies.plot_table:write_table",
    files=("md", "csv"),
))
