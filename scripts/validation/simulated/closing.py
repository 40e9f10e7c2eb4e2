# SPDX-License-Identifier: GPL-2.0-only
"""What a validation prints at its end."""

from ..iterations.content import closing_lines
from .content import done_rows, error_text, not_simulated, score_cells, score_columns
from .words import percent, size_text, time_text

FILES = {
    "validation.csv": "a row for each measured row: both times, the error, what ran",
    "validation.json": "the errors of tables, of systems and of all",
    "iterations.csv": "a row for each part of a recording, and for each measured iteration",
    "validation.md": "the report",
    "validation.html": "the report as a page with charts, in one file",
    "plots": "a figure for each table",
    "configurations": "the configuration of each table; nadi run takes them",
    "rows": "all files of each run",
}
SPACE = 2  # between columns
NARROWEST = 4
LEGEND = ("errors in percent; from \">= 1 MiB\" on of at least 1 MiB; smooth: without glitch rows; "
          "noise: measured in place")


def report(findings, out):
    """The lines for the terminal."""
    lines = table_lines(findings) if findings.scores["tables"] else []
    lines += glitch_lines(findings)
    lines += aligned(closing_lines(findings.iterations))
    lines += [line for part in not_simulated(findings) for line in getattr(part, "lines", [])]
    lines.append(f"results: {out}")
    return lines + [f"  {name:16} {words}" for name, words in FILES.items()
                    if (out / name).exists()]


def table_lines(findings):
    """A line for each table, each kind of table, and all."""
    scores = findings.scores
    lines = [["table", "rows", *(head for head, _ in score_columns(findings))]]
    for name, score in [*scores["tables"].items(), *scores["kinds"].items(),
                        ("all rows", scores["overall"])]:
        lines.append([name, score["rows"], *score_cells(findings, score)])
    for name in ("tables", "systems"):
        means = scores["overall"][f"mean_of_{name}"]
        cells = [percent(means.get(column)) for _, column in score_columns(findings)]
        lines.append([f"mean over {name}", means["count"], *cells])
    return [LEGEND, *aligned(lines)]


def aligned(lines):
    """The first column begins, the others end below each other."""
    if not lines:
        return []
    names, *columns = ([str(cell) for cell in column] for column in zip(*lines))
    width = max(map(len, names))
    widths = [SPACE + max(NARROWEST, *map(len, column)) for column in columns]
    return ["".join([f"{name:{width}}", *map(str.rjust, cells, widths)]).rstrip()
            for name, *cells in zip(names, *columns)]


def glitch_lines(findings):
    return [
        f"glitch: {table.name}, {size_text(row.size)}: measured {time_text(row.measured)} us, "
        f"simulated {time_text(row.simulated)} us ({error_text(row.error())})"
        for table, row in done_rows(findings) if row.glitch
    ]
