# SPDX-License-Identifier: GPL-2.0-only
"""The page of a sweep: what came of the points, and a chart whose axes are chosen on the page."""

import collections
import dataclasses
import shlex

from studies.errors import UsageError
from studies.quantities import SEARCH_FIELDS, SUMMARY_FIELDS, words_of

from .parts import (OTHER_KEYS, Command, Explorer, Facts, Missing, Section, Statement, Table,
                    sentence_column, text_column)
from .text_tables import make_column, read_text_rows, written_column
from .words import count_text

DEFAULT_FILE = "report.html"
NEEDED = ("id", "variant", "status")
FIRST_FIELD = "exit_reason"  # behind the swept keys
FINISH = "finish_time_ns"
POINTS_LISTED = 20_000
MEASURES = (*SUMMARY_FIELDS, *SEARCH_FIELDS)
RESULT_ENDINGS = ("_ns", "_bytes", "exit_reason")
SENTENCES = ("exit_reason", "warnings", "notes")
TEXTS = ("id", "variant", "status", "backend", "version", "digest", "build")


def is_sweep(path):
    return (path / "points").is_dir()


@dataclasses.dataclass
class Points:
    """The rows of results.csv, {column: text}. `head` are its columns, and `keys` those of them
    that the study chose, without those that are always empty."""

    rows: list
    head: list
    keys: list

    @property
    def done(self):
        return [row for row in self.rows if row["status"] == "done"]

    def columns(self, rows, names):
        """A column for each name that has values in these rows."""
        titles = self.titles()
        texts = {name: [row[name] for row in rows] for name in names if name in self.head}
        return [self.column(name, own, titles[name]) for name, own in texts.items() if any(own)]

    def column(self, name, texts, title):
        """What is a name is a text, even if it has digits only."""
        if name in TEXTS:
            return text_column(title, texts)
        if name in SENTENCES:
            return sentence_column(title, texts)
        return written_column(title, texts) if name in self.keys else make_column(
            name, texts, title)

    def titles(self):
        """{column: title}: keys have their names, and results words; but their names where the
        words are the title of another column."""
        words = {name: name if name in self.keys else title_of(name) for name in self.head}
        counts = collections.Counter(words.values())
        return {name: name if counts[title] > 1 else title for name, title in words.items()}


def read_points(file):
    rows, head = read_text_rows(file, NEEDED)
    swept = head[len(NEEDED):head.index(FIRST_FIELD)] if FIRST_FIELD in head else head[len(NEEDED):]
    return Points(rows, head, [key for key in ("variant", *swept) if any(row[key] for row in rows)])


def sweep_sections(path):
    """The sections of the sweep in the directory `path`, in their order."""
    file = path / "results.csv"
    if (path / "optimum.json").exists():
        raise UsageError(f'"{path}" holds an optimisation, of which there is no page; '
                         f"{instead_of_optimisation(path)}")
    if not file.exists():
        raise UsageError(f'"{path}" has no results.csv: its sweep or optimisation has not ended; '
                         "wait for it, or give its command again")
    points = read_points(file)
    listed = dataclasses.replace(points, rows=points.rows[:POINTS_LISTED])
    sections = [verdict(path, points), table_of(listed, len(points.rows)), explorer(listed),
                summaries(listed), failures(listed)]
    return [section for section in sections if section]


def instead_of_optimisation(path):
    """What to do; of files of demands nothing is simulated."""
    if any((path / "points").iterdir()):
        return f'name one of its simulations: "{path / "points"}/<id>"'
    return "allocations.csv has what it compared"


def verdict(path, points):
    counts = collections.Counter(row["status"] for row in points.rows)
    words = f"{counts['done']:,} of {count_text(len(points.rows), 'point')} done."
    facts = [(status, f"{count:,}") for status, count in counts.items()]
    varied = [(key, count_text(len({row[key] for row in points.rows}), "value"))
              for key in points.keys]
    return Section("verdict", "Verdict", [Statement(words), Facts(facts + varied), Command(
        f"nadi sweep STUDY.yaml --out {shlex.quote(str(path))} --report")])


def title_of(name):
    """The unit of a result stands behind its title."""
    return words_of(name) if name in MEASURES or name.endswith(RESULT_ENDINGS) else name


def table_of(points, count):
    note = "" if len(points.rows) == count else (
        f"This page has the first {len(points.rows):,} of {count:,} points.")
    return Section("points", "Points", [Table(
        "points-table", "All points", points.columns(points.rows, points.head), note)])


def explorer(points):
    if not points.done or FINISH not in points.head:
        return Section("explore", "Plots", [Missing("plots", "No point is done.")])
    titles = points.titles()
    measures = [name for name in points.head if name in MEASURES or "_ns" in name]
    columns = points.columns(points.done, dict.fromkeys([*points.keys, *measures, "id"]))
    numbers = [column.title for column in columns if column.unit is not None]
    own_keys = [key for key in points.keys if any(row[key] for row in points.done)]
    varying = [key for key in own_keys
               if len({row[key] for row in points.done}) > 1] or own_keys
    x = next((key for key in varying if key in numbers), varying[0] if varying else "id")
    series = first_series(points.done, x, [key for key in varying if key != x])
    return Section("explore", "Plots", [Explorer(
        "explorer", "Any number of the points over any other", columns, own_keys, x,
        titles[FINISH], series,
        "Points that are not done are left out. Normalisation divides each series by one of its "
        "own values.")])


def first_series(rows, x, keys):
    """The first key whose series have one point at each x; if there is none, all of them."""
    known = (key for key in keys if len({(row[key], row[x]) for row in rows}) == len(rows))
    return next(known, OTHER_KEYS if keys else "")


def summaries(points):
    """What each run came to, in words and parts of its time."""
    run = [row for row in points.rows if row["status"] in ("done", "stuck", "interrupted")]
    if not run:
        return None
    names = ["id", *points.keys, "status", "finish_time_ns", "compute_ns",
             "exposed_communication_ns", "idle_ns", "notes", "warnings"]
    return Section("summaries", "Summaries", [Table(
        "summaries-table", "What each run came to", points.columns(run, names),
        "All files of a run are in points/<id>; nadi report points/<id> makes its own page.")])


def failures(points):
    lost = [row for row in points.rows if row["status"] != "done"]
    if not lost:
        return None
    return Section("failures", "Points that are not done", [Table(
        "failures-table", "Why they are not done",
        points.columns(lost, ["id", *points.keys, "status", FIRST_FIELD]))])
