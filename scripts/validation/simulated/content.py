# SPDX-License-Identifier: GPL-2.0-only
"""What a report says, whatever form it takes: headings, texts, lists, tables and figures."""

import dataclasses
import math

from ..page_parts import Figure, Grid, Heading, Items, Text
from .backend import RULE
from .words import percent, size_text, time_text

WORST = 25  # rows that are named
# Of a score. What stands behind ">= 1 MiB" is of these sizes; smooth is without glitch rows.
COLUMNS = (
    ("all sizes", "error_all"), ("bias", "bias_all"), ("median", "median_all"), ("worst", "worst"),
    ("smooth", "smooth_all"), (">= 1 MiB", "error_1mib"), ("bias", "bias_1mib"),
    ("median", "median_1mib"), ("worst", "worst_1mib"), ("smooth", "smooth_1mib"),
    ("noise", "noise_1mib"),
)  # fmt: skip


@dataclasses.dataclass
class Findings:
    """All that a report tells. `against` is the library that is compared, or None."""

    tables: list
    scores: dict
    unread: list
    skipped: list
    against: str | None
    version: str
    iterations: list  # compared ones


INTRODUCTION = """\
Simulated against measured times. The error of a set is the geometric mean of max(s/m, m/s) - 1 over
its rows, where s is the simulated and m the measured time; the bias is the geometric mean of
s/m - 1, positive where the simulation is slow. Errors, biases and noise are in percent. A glitch
row takes, from 8 MiB on, more than 85 % of the time of twice its size: the machine was disturbed.
In the tables, the columns from ">= 1 MiB" on are of sizes of at least 1 MiB; smooth is the error
without glitch rows; noise is the difference of the same run measured in place."""


def make_content(findings, iterations):
    """The parts of the page, in their order. `iterations` are those on whole iterations."""
    parts = [Heading("Validation", 1), Text(INTRODUCTION), Text(RULE)]
    if findings.tables and any(table.done() for table in findings.tables):
        parts += [Heading("Overall"), overall_grid(findings), Heading("By kind of table"),
                  score_grid(findings, "kind", "kinds"), Heading("By system"),
                  score_grid(findings, "system", "systems"), Heading("By table"),
                  score_grid(findings, "table", "tables"), Heading("Worst rows"),
                  rows_grid(worst_rows(findings)), Heading("Glitch rows")]
        glitches = [pair for pair in done_rows(findings) if pair[1].glitch]
        parts.append(rows_grid(glitches) if glitches else Text("There are none."))
        parts.append(Heading("Each table"))
        for table in findings.tables:
            parts += table_parts(table, findings.against) if table.done() else []
    parts += iterations
    parts += [Heading("Not simulated"), *not_simulated(findings)]
    parts.append(Text(f"Made by {findings.version}."))
    return parts


def overall_grid(findings):
    overall = findings.scores["overall"]
    heads = ["", "count", "all sizes", ">= 1 MiB", ">= 1 MiB without glitch rows"]
    rows = [["rows", overall["rows"], *map(percent, (
        overall["error_all"], overall["error_1mib"], overall["smooth_1mib"]))]]
    for name, title in (("tables", "mean over tables"), ("systems", "mean over systems")):
        means = overall[f"mean_of_{name}"]
        rows.append([title, means["count"], *map(percent, (
            means["error_all"], means["error_1mib"], means["smooth_1mib"]))])
    medians = overall["mean_of_tables"]
    rows.append(["median table", medians["count"], "", percent(medians["median_table_1mib"]), ""])
    rows.append(["bias of the rows", overall["rows"], percent(overall["bias_all"], "+"),
                 percent(overall["bias_1mib"], "+"), ""])
    if findings.against:
        rows.append([f"rows with the library {findings.against}", overall["rows"],
                     percent(overall["against_all"]), percent(overall["against_1mib"]), ""])
    return Grid(heads, rows)


def score_grid(findings, what, name):
    """A line for each table, system or kind."""
    heads = [what, "rows", *(head for head, _ in score_columns(findings))]
    rows = [[one, score["rows"], *score_cells(findings, score)]
            for one, score in findings.scores[name].items()]
    return Grid(heads, rows)


def score_columns(findings):
    """[(head, name in the score)]."""
    of_library = [(f"{findings.against}", "against_1mib")] if findings.against else []
    return [*COLUMNS, *of_library]


def score_cells(findings, score):
    return [percent(score[name], "+" if name.startswith("bias") else "")
            for _, name in score_columns(findings)]


def done_rows(findings):
    """[(table, row)] of the simulated ones."""
    return [(table, row) for table in findings.tables for row in table.done()]


def worst_rows(findings):
    """Glitch rows are named apart."""
    rows = [pair for pair in done_rows(findings) if not pair[1].glitch]
    return sorted(rows, key=lambda pair: -abs(pair[1].error()))[:WORST]


def rows_grid(pairs):
    heads = ["table", "size", "measured, us", "simulated, us", "error", "algorithm", "backend"]
    return Grid(heads, [
        [table.name, size_text(row.size), time_text(row.measured), time_text(row.simulated),
         error_text(row.error()), ran(row), row.backend]
        for table, row in pairs
    ])


def error_text(log):
    """Of simulated / measured - 1."""
    return f"{100 * math.expm1(log):+.1f} %"


def ran(row):
    """Algorithm, protocol and channels, as far as they are known."""
    return " ".join(one for one in (row.algorithm, row.protocol, row.channels) if one)


def table_parts(table, against):
    title = f"{table.collective}, {table.ranks} ranks on {table.nodes} nodes"
    parts = [Heading(table.name, 3), Text(f"{table.system}: {title}."),
             Figure(table.name, figure_file(table.name))]
    if table.notes:
        parts.append(Items(table.notes))
    heads = ["size", "measured, us", "simulated, us", "error", "glitch", "algorithm", "backend"]
    heads += [f"{against}, us", f"error of {against}"] if against else []
    rows = [row_cells(row, against) for row in table.rows]
    return [*parts, Grid([*heads, "message"], rows, folded="all rows")]


def figure_file(name):
    return f"plots/{name.replace('/', '_')}.png"


def row_cells(row, against):
    error = error_text(row.error()) if row.simulated is not None else ""
    cells = [size_text(row.size), time_text(row.measured), time_text(row.simulated), error,
             "glitch" if row.glitch else "", ran(row), row.backend]
    if against:
        cells += [time_text(row.against), error_text(row.error_against()) if row.against else ""]
    return [*cells, row.message]


def not_simulated(findings):
    refused = [f"{table.name}: {table.refusal}" for table in findings.tables if table.refusal]
    lines = [*refused, *(f"{file}: {why}" for file, why in findings.unread)]
    for table in findings.tables:
        lost = [row for row in table.rows if row.message and not table.refusal]
        if lost:
            first = f"the first of {size_text(lost[0].size)}: {lost[0].message}"
            lines.append(f"{table.name}: {len(lost)} of {len(table.rows)} rows, {first}")
    lines += [f"{file}: {why} (skipped)" for file, why in findings.skipped]
    return [Items(lines)] if lines else [Text("Nothing was left out.")]
