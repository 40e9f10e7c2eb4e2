# SPDX-License-Identifier: GPL-2.0-only
"""The page of a validation: measured and simulated times by table, errors, the worst rows."""

import numpy

from studies import palette
from studies.errors import UsageError
from studies.results.result_directory import read_json

from .parts import (Chart, Column, Facts, Items, Section, Statement, Table, Text, axis,
                    quantity_column, sentence_column, text_column)
from .text_tables import make_column, read_text_rows
from .words import count_text, percent_text

DEFAULT_FILE = "validation.html"
NEEDED = ("table", "system", "collective", "ranks", "nodes", "size_bytes", "measured_ns",
          "simulated_ns", "error", "glitch", "message")  # fmt: skip
WORST = 25
SCORES = (("rows", "rows"), ("error_all", "all sizes"), ("bias_all", "bias"),
          ("median_all", "median"), ("worst", "worst"), ("error_1mib", "from 1 MiB"),
          ("bias_1mib", "bias from 1 MiB"), ("smooth_1mib", "without glitches, from 1 MiB"),
          ("noise_1mib", "noise from 1 MiB"))  # fmt: skip
EXPLANATION = (
    "The error of a set is the geometric mean of max(s/m, m/s) - 1 over its rows, where s is the "
    "simulated and m the measured time; the bias is the geometric mean of s/m - 1. A glitch row "
    "takes, from 8 MiB on, more than 85 % of the time of twice its size: the machine was "
    "disturbed. Noise is the difference of the same run measured in place.")


def is_validation(path):
    return (path / "validation.csv").exists() or (path / "rows").is_dir()


def validation_sections(path):
    """The sections of the validation in the directory `path`, in their order."""
    for name in ("validation.csv", "validation.json"):
        if not (path / name).exists():
            raise UsageError(f'"{path}" has no {name}: the validation has not ended; run it again')
    rows, _ = read_text_rows(path / "validation.csv", NEEDED)
    scores = read_json(path / "validation.json")
    done = [row for row in rows if row["simulated_ns"]]
    sections = [overview(scores, done)]
    if done:
        sections += [errors(done), tables(done, scores), worst(done), all_rows(rows)]
    sections += [iterations(path), left_out(scores, rows)]
    return [section for section in sections if section]


def overview(scores, done):
    overall = scores["overall"]
    parts = [Text(EXPLANATION)]
    if done:
        error = percent_text(overall["error_all"])
        parts.insert(0, Statement(f"{len(done):,} measured times are met within {error} on "
                                  "average."))
        parts.append(Facts([(title, score_text(name, overall.get(name)))
                            for name, title in SCORES]))
    else:
        parts.insert(0, Statement("No row of a table was simulated."))
    parts += [score_table(name, title, scores.get(name, {})) for name, title in (
        ("kinds", "By kind of table"), ("systems", "By system"), ("tables", "By table"))
        if scores.get(name)]
    return Section("overview", "Validation", parts)


def score_text(name, value):
    if value is None:
        return "none"
    return f"{value:,}" if name == "rows" else percent_text(value)


def score_table(name, title, scores):
    columns = [text_column(title.removeprefix("By "), scores)]
    for field, words in SCORES:
        values = [one.get(field) for one in scores.values()]
        numbers = [float("nan") if value is None else value for value in values]
        columns.append(quantity_column(words, field, numbers) if field == "rows"
                       else Column(words, numbers, "%", 0.01, 1))
    return Table(f"scores-{name}", title, columns)


def numbers_of(rows, name):
    return numpy.array([float(row[name]) for row in rows])


def errors(done):
    """Of all rows, by system; glitch rows have another mark."""
    traces = []
    for number, system in enumerate(sorted({row["system"] for row in done})):
        own = [row for row in done if row["system"] == system]
        symbols = ["x" if row["glitch"] == "yes" else number % 8 for row in own]
        traces.append({"type": "scatter", "mode": "markers", "name": system,
                       "x": numbers_of(own, "size_bytes").astype(int).tolist(),
                       "y": (100 * numbers_of(own, "error")).round(4).tolist(),
                       "marker": {"symbol": symbols, "size": 6}})
    layout = {"xaxis": axis("size (bytes)", type="log"), "yaxis": axis("error (%)")}
    return Section("errors", "Errors by size", [Chart(
        "errors-by-size", "Simulated / measured - 1", traces, layout,
        "A cross is a glitch row.")])


def tables(done, scores):
    """A chart for each table."""
    parts = []
    for number, name in enumerate(sorted({row["table"] for row in done})):
        own = sorted((row for row in done if row["table"] == name),
                     key=lambda row: float(row["size_bytes"]))
        parts.append(curves(f"table-{number}", name, own))
        notes = scores.get("notes", {}).get(name, [])
        parts += [Items(notes)] if notes else []
    return Section("tables", "Measured and simulated times", parts)


def curves(part, name, rows):
    sizes = numbers_of(rows, "size_bytes").astype(int)

    def curve(title, values, number, **more):
        return {"type": "scatter", "mode": "lines+markers", "name": title, "x": sizes.tolist(),
                "y": (values / 1e3).round(6).tolist(),
                "line": {"color": palette.SERIES[number]}, "marker": {"symbol": number}, **more}

    traces = [curve("measured", numbers_of(rows, "measured_ns"), 0),
              curve("simulated", numbers_of(rows, "simulated_ns"), 1)]
    if rows[0].get("against_ns"):
        known = [row["against_ns"] or "nan" for row in rows]
        values = [None if text == "nan" else float(text) / 1e3 for text in known]
        traces.append(curve("simulated with the other library", sizes, 2) | {"y": values})
    glitches = [row for row in rows if row["glitch"] == "yes"]
    if glitches:
        traces.append({"type": "scatter", "mode": "markers", "name": "glitch",
                       "x": numbers_of(glitches, "size_bytes").astype(int).tolist(),
                       "y": (numbers_of(glitches, "measured_ns") / 1e3).tolist(),
                       "marker": {"symbol": "x", "size": 10, "color": palette.EXPOSED}})
    layout = {"xaxis": axis("size (bytes)", type="log"), "yaxis": axis("time (us)", type="log")}
    first = rows[0]
    ranks, nodes = (count_text(int(first[word + "s"]), word) for word in ("rank", "node"))
    return Chart(part, f"{name}: {first['collective']}, {ranks} on {nodes}", traces, layout)


def worst(done):
    """Glitch rows are not the simulation's fault."""
    own = [row for row in done if row["glitch"] != "yes"]
    own.sort(key=lambda row: -abs(numpy.log1p(float(row["error"]))))
    return Section("worst", "Worst rows", [rows_table(
        "worst-rows", f"The {min(WORST, len(own))} worst rows without glitches", own[:WORST])])


def all_rows(rows):
    return Section("rows", "All rows", [rows_table("all-rows", "All rows", rows)])


def rows_table(part, title, rows):
    columns = [text_column(name, [row[name] for row in rows])
               for name in ("table", "collective")]
    columns += [make_column(name, [row[name] for row in rows], words) for name, words in (
        ("size_bytes", "size"), ("measured_ns", "measured"), ("simulated_ns", "simulated"))]
    columns.append(Column("error", [float(row["error"] or "nan") for row in rows], "%", 0.01, 1))
    columns += [text_column(name, [row.get(name, "") for row in rows]) for name in (
        "glitch", "backend", "algorithm", "protocol")]
    if any(row["message"] for row in rows):
        columns.append(sentence_column("message", [row["message"] for row in rows]))
    return Table(part, title, columns)


def iterations(path):
    file = path / "iterations.csv"
    if not file.exists():
        return None
    rows, head = read_text_rows(file, ("iteration", "part"))
    columns = [make_column(name, [row[name] for row in rows]) for name in head]
    return Section("iterations", "Whole iterations", [
        Table("iterations-table", "Measured and simulated iterations", columns)])


def left_out(scores, rows):
    lines = [f"{one['table']}: {one['reason']}" for one in scores.get("refused", [])]
    lines += [f"{one['file']}: {one['reason']}" for one in scores.get("skipped", [])]
    lost = [row for row in rows if row["size_bytes"] and not row["simulated_ns"]]
    lines += [f"{row['table']}, {row['size_bytes']} B: {row['message']}" for row in lost[:WORST]]
    lines += [f"{len(lost) - WORST:,} more; the table of all rows has them."] * (len(lost) > WORST)
    return Section("left-out", "Not simulated", [
        Items(lines) if lines else Text("Nothing was left out.")])
