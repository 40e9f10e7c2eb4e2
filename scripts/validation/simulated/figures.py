# SPDX-License-Identifier: GPL-2.0-only
"""A figure for each table: measured and simulated times over the size, and the error below."""

import concurrent.futures
import functools
import math
import multiprocessing

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from studies.picture import save_png
from studies.plot_style import REFERENCE_COLOR, REFERENCE_DASHES, add_grid, line_look
from studies.simulator import cores

from .content import figure_file
from .words import size_text

FEW = 8  # figures, which take a fifth of a second each: a process takes a second to start
AT_MOST = 400  # percent: an axis of errors shows no more


def draw_figures(tables, folder, against):
    """Writes those of the tables that have simulated rows."""
    tables = [table for table in tables if table.done()]
    if tables:
        (folder / "plots").mkdir(exist_ok=True)
    draw = functools.partial(draw_table, folder=folder, against=against)
    if len(tables) <= FEW:
        list(map(draw, tables))
        return
    clean = multiprocessing.get_context("forkserver")  # processes without the cluster's threads
    with concurrent.futures.ProcessPoolExecutor(cores(), clean) as pool:
        list(pool.map(draw, tables))


def draw_table(table, folder, against):
    figure = Figure(figsize=(6.4, 4.6))
    times, errors = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    rows = table.done()
    draw_times(times, rows, against)
    draw_errors(errors, rows, against)
    times.set_title(f"{table.name}\n{table.collective}, {table.ranks} ranks on {table.nodes} nodes",
                    fontsize=9)
    save_png(figure, folder / figure_file(table.name))


def draw_times(axes, rows, against):
    sizes = [row.size for row in rows]
    axes.plot(sizes, [row.measured for row in rows], label="measured", **line_look(0))
    axes.plot(sizes, [row.simulated for row in rows], label="simulated", **line_look(1))
    if against:
        own = [row for row in rows if row.against]
        axes.plot([row.size for row in own], [row.against for row in own], label=against,
                  color=REFERENCE_COLOR, linestyle=REFERENCE_DASHES[1])
    glitches = [row for row in rows if row.glitch]
    axes.plot([row.size for row in glitches], [row.measured for row in glitches], "x",
              color="black", label="glitch" if glitches else None)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylabel("time (us)")
    axes.legend(fontsize=8)
    add_grid(axes)


def draw_errors(axes, rows, against):
    sizes = [row.size for row in rows]
    axes.axhline(0, color=REFERENCE_COLOR, linewidth=0.8)
    errors = [100 * math.expm1(row.error()) for row in rows]
    axes.plot(sizes, errors, **line_look(1))
    if against:
        own = [row for row in rows if row.against]
        axes.plot([row.size for row in own], [100 * math.expm1(row.error_against()) for row in own],
                  color=REFERENCE_COLOR, linestyle=REFERENCE_DASHES[1])
    reach = min(AT_MOST, max(10.0, 1.2 * max(map(abs, errors))))
    axes.set_ylim(-min(reach, 100), reach)
    axes.set_xlabel("size")
    axes.set_ylabel("error (%)")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: size_text(round(size))))
    axes.tick_params(axis="x", labelsize=8)
    add_grid(axes)
