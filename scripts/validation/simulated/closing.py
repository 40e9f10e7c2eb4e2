# SPDX-License-Identifier: GPL-2.0-only
"""What a validation prints at its end."""

from .content import done_rows, error_text, not_simulated
from .words import percent, size_text, time_text

FILES = {
    "validation.csv": "a row for each measured row: both times, the error, what ran",
    "validation.json": "the errors of tables, of systems and of all",
    "validation.md": "the report",
    "validation.html": "the report with all figures, in one file",
    "plots": "a figure for each table",
    "configurations": "the configuration of each table; nadi run takes them",
    "rows": "all files of each run",
}
WIDTHS = (5, 9, 9, 7, 8, 8, 8, 7, 9)


def report(findings, out):
    """The lines for the terminal."""
    lines = table_lines(findings) if findings.scores["tables"] else []
    lines += glitch_lines(findings)
    lines += [line for part in not_simulated(findings) for line in getattr(part, "lines", [])]
    lines.append(f"results: {out}")
    return lines + [f"  {name:16} {words}" for name, words in FILES.items()
                    if (out / name).exists()]


def table_lines(findings):
    scores, against = findings.scores, findings.against
    width = max(map(len, [*scores["tables"], *scores["kinds"], "mean over systems"]))
    heads = ["rows", "all sizes", ">= 1 MiB", "bias", "median", "worst", "smooth", "noise"]
    heads += [against] if against else []
    lines = ["errors in percent; all but the first are those of at least 1 MiB; smooth is without "
             "glitch rows", line_of("table", heads, width)]
    for name, one in scores["tables"].items():
        lines.append(line_of(name, cells(one, against), width))
    for name, one in scores["kinds"].items():
        lines.append(line_of(name, cells(one, against), width))
    lines.append(line_of("all rows", cells(scores["overall"], against), width))
    for name in ("tables", "systems"):
        means = scores["overall"][f"mean_of_{name}"]
        found = [means["count"], *map(percent, (means["error_all"], means["error_1mib"])), "",
                 "", "", percent(means["smooth_1mib"])]
        lines.append(line_of(f"mean over {name}", found, width))
    return lines


def cells(score, against):
    numbers = [percent(score[name], "+" if name == "bias_1mib" else "") for name in (
        "error_all", "error_1mib", "bias_1mib", "median_1mib", "worst_1mib", "smooth_1mib",
        "noise_1mib")]
    return [score["rows"], *numbers, *([percent(score["against_1mib"])] if against else [])]


def line_of(name, texts, width):
    return f"{name:{width}} " + " ".join(f"{text!s:>{wide}}" for text, wide in zip(texts, WIDTHS))


def glitch_lines(findings):
    return [
        f"glitch: {table.name}, {size_text(row.size)}: measured {time_text(row.measured)} us, "
        f"simulated {time_text(row.simulated)} us ({error_text(row.error())})"
        for table, row in done_rows(findings) if row.glitch
    ]
