# SPDX-License-Identifier: GPL-2.0-only
"""Writes the files of plots: figures of matplotlib as PNG and PDF, tables as texts."""

import pkgutil
import sys

from matplotlib.figure import Figure

from . import plot_limits
from .picture import save_png
from .plot_data import PlotData
from .plot_selection import KEYS
from .point_tables import UnknownRates
from .quantities import table_of

TOO_LATE = "; series.csv has a row at the end of an interval, so output.series must be shorter than the run"


def draw_all(study, points, results, store):
    """Writes the files of each plot, `plots/<name>.png` and others; says what a plot lacks. Returns
    the files that were written."""
    folder, written = store.out / "plots", []
    folder.mkdir(exist_ok=True)
    for plot in study.plots:
        files = [folder / f"{plot.name}.{ending}" for ending in plot.kind.files]
        problem = draw_files(PlotData(plot, points, results, store), files)
        if problem:
            say(plot, f"nothing to draw, {problem}")
            for file in files:
                file.unlink(missing_ok=True)
        else:
            written += files
    return written


def draw_files(data, files):
    """Writes the files of a plot; "", or why there is nothing to draw."""
    try:
        if not data.has_values():
            return why_empty(data)
        say_what_is_missing(data)
        write(data, files)
    except UnknownRates as error:
        return str(error)
    return ""


def say_what_is_missing(data):
    failed = sum(not data.is_done(point) for point in data.points)
    if failed:
        say(data.plot, f"{failed} of {len(data.points)} points are missing, they are not done")
    for reference in data.plot.references:
        if not plot_limits.distinct(data, reference):
            reason = plot_limits.why_absent(data.plot)
            say(data.plot, f"nothing to draw for reference {reference}: {reason}")


def write(data, files):
    """Requires: the data has values."""
    if data.plot.kind.is_figure:
        save(draw(data), *files)
        return
    for file, text in zip(files, pkgutil.resolve_name(data.plot.kind.draw)(data)):
        file.write_text(text, encoding="utf-8")


def draw(data):
    """The figure of a plot. Requires: the data has values."""
    figure = Figure(figsize=(6.4, 4.0))
    pkgutil.resolve_name(data.plot.kind.draw)(data, figure)
    return figure


def save(figure, png, pdf):
    save_png(figure, png)
    figure.savefig(pdf, metadata={"CreationDate": None})


def say(plot, text):
    print(f"{plot.where}: plot {plot.name}: {text}", file=sys.stderr)


def why_empty(data):
    """Why there are no values."""
    name = data.plot.values[0]
    is_divided = data.plot.kind.shows == "point_values"
    if is_divided and any(data.measure(one, name) is not None for one in data.points):
        return "the point that the others are divided by is not done, or there is none"
    if not any(map(data.is_done, data.points)):
        return "no point is done"
    asked = TOO_LATE if table_of(name) == "series" else ""
    chosen = [key for key in KEYS if getattr(data.plot.selection, key)]
    chosen = f"; it may be that {' and '.join(chosen)} choose nothing" if chosen else ""
    return f"no point has {name}{asked}{chosen}"
