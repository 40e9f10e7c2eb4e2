# SPDX-License-Identifier: GPL-2.0-only
"""Plots as matplotlib figures, each kept as PNG and as PDF."""

import io
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

from PIL import Image

from . import plot_limits, plot_table
from .plot_axes import place_axis
from .plot_bars import draw_bar, draw_stacked_bar
from .plot_curves import draw_cdf, draw_line
from .plot_data import PlotData
from .plot_heat_map import draw_heat_map
from .plot_selection import KEYS
from .plot_ticks import spread_names
from .plot_time import draw_time
from .quantities import table_of

DPI = 110
DRAWERS = {
    "line": draw_line,
    "bar": draw_bar,
    "stacked-bar": draw_stacked_bar,
    "heat-map": draw_heat_map,
    "cdf": draw_cdf,
}
PARTS_ON_REQUEST = {"flows": "output.flows: on", "series": "output.series: an interval"}


def draw_all(study, points, results, store):
    """Writes `plots/<name>.png` and `.pdf`, or `.md` and `.csv`; says what a plot lacks."""
    folder = store.out / "plots"
    folder.mkdir(exist_ok=True)
    for plot in study.plots:
        data = PlotData(plot, points, results, store)
        kinds = ("md", "csv") if plot.kind == "table" else ("png", "pdf")
        files = [folder / f"{plot.name}.{kind}" for kind in kinds]
        if not data.has_values():
            say(plot, f"nothing to draw, {lack(data)}")
            for file in files:
                file.unlink(missing_ok=True)
            continue
        failed = sum(not data.is_done(point) for point in data.points)
        if failed:
            say(plot, f"{failed} of {len(data.points)} points are missing, they are not done")
        for reference in plot.references:
            if not plot_limits.straight(data, reference):
                say(plot, f"nothing to draw for reference {reference}: {plot_limits.lack(plot)}")
        if plot.kind == "table":
            files[0].write_text(plot_table.markdown(data), encoding="utf-8")
            files[1].write_text(plot_table.csv(data), encoding="utf-8")
        else:
            save(draw(data), *files)


def draw(data):
    """The figure of a plot that has values."""
    if data.plot.kind == "time":
        return draw_time(data)
    figure = Figure(figsize=(6.4, 4.0))
    axes = figure.subplots()
    DRAWERS[data.plot.kind](data, figure, axes)
    if data.plot.title:
        axes.set_title(data.plot.title)
    figure.tight_layout()
    spread_names(axes, may_drop=data.plot.kind == "line" and place_axis(data).is_scale)
    return figure


def save(figure, png, pdf):
    """The PNG has a palette: small, and lines and letters need no more colours."""
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DPI)
    colored = Image.open(picture).convert("RGB")
    colored.quantize(128, method=Image.FASTOCTREE).save(png, optimize=True)
    figure.savefig(pdf, metadata={"CreationDate": None})


def say(plot, text):
    print(f"{plot.where}: plot {plot.name}: {text}", file=sys.stderr)


def lack(data):
    """Why there are no values."""
    name = data.plot.values[0]
    if is_of_points(data) and any(data.measure(one, name) is not None for one in data.points):
        return "the point that the others are divided by is not done, or there is none"
    table = table_of(name)
    asked = f"; {table}.csv needs {PARTS_ON_REQUEST[table]}" if table in PARTS_ON_REQUEST else ""
    chosen = [key for key in KEYS if getattr(data.plot.selection, key)]
    chosen = f"; it may be that {' and '.join(chosen)} choose nothing" if chosen else ""
    return f"no point has {name}{asked}{chosen}"


def is_of_points(data):
    """Whether it draws a number of each point."""
    return data.plot.kind not in ("cdf", "time", "table")
