# SPDX-License-Identifier: GPL-2.0-only
"""Plots as matplotlib figures, each kept as PNG and as PDF."""

import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

from plotting import save

from .plot_data import PlotData
from .plot_kinds import DRAWERS

PARTS_ON_REQUEST = {"flows": "output.flows: on", "series": "output.series: an interval"}


def draw_all(study, points, results, store):
    """Writes `plots/<name>.png` and `.pdf`; says what a plot lacks."""
    folder = store.out / "plots"
    folder.mkdir(exist_ok=True)
    for plot in study.plots:
        data = PlotData(plot, points, results, store)
        files = [folder / f"{plot.name}.{kind}" for kind in ("png", "pdf")]
        if not data.has_values():
            say(plot, f"nothing to draw, {lack(data)}")
            for file in files:
                file.unlink(missing_ok=True)
            continue
        failed = sum(data.results[point.id].status != "done" for point in data.points)
        if failed:
            say(plot, f"{failed} of {len(data.points)} points are missing, they are not done")
        figure = draw(data)
        save(figure, files[0], dpi=110)
        figure.savefig(files[1], metadata={"CreationDate": None})


def draw(data):
    """The figure of a plot that has values."""
    figure = Figure(figsize=(6.4, 4.0))
    axes = figure.subplots()
    DRAWERS[data.plot.kind](data, figure, axes)
    if data.plot.title:
        axes.set_title(data.plot.title)
    return figure


def say(plot, text):
    print(f"{plot.where}: plot {plot.name}: {text}", file=sys.stderr)


def lack(data):
    """Why there are no values."""
    name = data.plot.values[0]
    if data.plot.kind != "cdf" and any(data.measure(one, name) is not None for one in data.points):
        return "the point that the others are normalized to is not done"
    return f"no point has {name}{hint(name)}"


def hint(name):
    for table, setting in PARTS_ON_REQUEST.items():
        if f"{table}." in name:
            return f"; {table}.csv needs {setting}"
    return ""
