# SPDX-License-Identifier: GPL-2.0-only
"""The page of a sweep: what came of the points, and a chart whose axes are chosen on the page."""

import collections
import shlex

from studies.errors import UsageError
from studies.quantities import SUMMARY_FIELDS, words_of

from .parts import (Command, Explorer, Facts, Missing, Section, Statement, Table, sentence_column,
                    text_column)
from .text_tables import make_column, read_text_rows
from .words import count_text

DEFAULT_FILE = "report.html"
NEEDED = ("id", "variant", "status")
FIRST_FIELD = "exit_reason"  # behind the swept keys
FINISH = words_of("finish_time_ns")
POINTS_LISTED = 20_000
RESULT_ENDINGS = ("_ns", "_bytes", "exit_reason")
SENTENCES = ("exit_reason", "warnings", "notes")
TEXTS = ("id", "variant", "status", "backend", "version", "digest", "build")


def is_sweep(path):
    return (path / "points").is_dir()


def sweep_sections(path):
    """The sections of the sweep in the directory `path`, in their order."""
    file = path / "results.csv"
    if (path / "optimum.json").exists():
        raise UsageError(f'"{path}" holds an optimisation, of which there is no page; name one of '
                         f'its simulations: "{path / "points"}/<id>"')
    if not file.exists():
        raise UsageError(f'"{path}" has no results.csv: the sweep has not ended; run it again')
    rows, head = read_text_rows(file, NEEDED)
    swept = head[len(NEEDED):head.index(FIRST_FIELD)] if FIRST_FIELD in head else head[len(NEEDED):]
    rows = rows[:POINTS_LISTED]
    keys = [key for key in ("variant", *swept) if any(row[key] for row in rows)]
    sections = [verdict(path, rows, keys), points(rows, head), explorer(rows, head, keys),
                summaries(rows, keys), failures(rows, keys)]
    return [section for section in sections if section]


def verdict(path, rows, keys):
    counts = collections.Counter(row["status"] for row in rows)
    words = f"{counts['done']:,} of {count_text(len(rows), 'point')} done."
    facts = [(status, f"{count:,}") for status, count in counts.items()]
    varied = [(key, f"{count_text(len({row[key] for row in rows}), 'value')}") for key in keys]
    return Section("verdict", "Verdict", [Statement(words), Facts(facts + varied), Command(
        f"nadi sweep STUDY.yaml --out {shlex.quote(str(path))} --report")])


def columns_of(rows, names):
    """A column for each name that has values. What is a name is a text, even if it has digits
    only."""
    made = []
    for name in names:
        texts = [row[name] for row in rows]
        if any(texts):
            made.append(column_of(name, texts))
    return made


def column_of(name, texts):
    if name in SENTENCES:
        return sentence_column(title_of(name), texts)
    if name in TEXTS:
        return text_column(name, texts)
    return make_column(name, texts, title_of(name))


def title_of(name):
    """Swept keys keep their names; the unit of a result stands behind its title."""
    return words_of(name) if name in SUMMARY_FIELDS or name.endswith(RESULT_ENDINGS) else name


def points(rows, head):
    return Section("points", "Points", [
        Table("points-table", "All points", columns_of(rows, head))])


def explorer(rows, head, keys):
    done = [row for row in rows if row["status"] == "done"]
    measures = [name for name in head if name in SUMMARY_FIELDS or name.endswith("_ns")]
    columns = columns_of(done, dict.fromkeys([*keys, *measures, "id"]))
    titles = [column.title for column in columns]
    numbers = [column.title for column in columns if column.unit is not None]
    if not done or FINISH not in numbers:
        return Section("explore", "Plots", [Missing("plots", "No point is done.")])
    own_keys = [key for key in keys if key in titles]
    varying = [key for key in own_keys if len({row[key] for row in done}) > 1] or own_keys
    x = next((key for key in varying if key in numbers), varying[0] if varying else "id")
    series = next((key for key in varying if key != x), "")
    return Section("explore", "Plots", [Explorer(
        "explorer", "Any number of the points over any other", columns, own_keys, x,
        FINISH, series,
        "Points that are not done are left out. Normalisation divides each series by one of its "
        "own values.")])


def summaries(rows, keys):
    """What each run came to, in words and parts of its time."""
    done = [row for row in rows if row["status"] in ("done", "stuck", "interrupted")]
    if not done:
        return None
    names = ["id", *keys, "status", "finish_time_ns", "compute_ns", "exposed_communication_ns",
             "idle_ns", "notes", "warnings"]
    columns = columns_of(done, [name for name in names if name in done[0]])
    return Section("summaries", "Summaries", [Table(
        "summaries-table", "What each run came to", columns,
        "All files of a run are in points/<id>; nadi report points/<id> makes its own page.")])


def failures(rows, keys):
    lost = [row for row in rows if row["status"] != "done"]
    if not lost:
        return None
    names = ["id", *keys, "status", *([FIRST_FIELD] if FIRST_FIELD in lost[0] else [])]
    return Section("failures", "Points that are not done", [Table(
        "failures-table", "Why they are not done", columns_of(lost, names))])
