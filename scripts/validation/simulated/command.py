# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi validate` does."""

import dataclasses
import os
import sys

from report.command import write_report
from studies import simulator
from studies.entry import run_command
from studies.errors import EXIT_CONFIG, EXIT_DONE, EXIT_INTERRUPTED
from studies.interrupts import held_interrupts
from studies.store import Store, write_whole

from ..iterations.content import iteration_parts
from ..iterations.runs import Runs
from ..iterations.tables import iterations_csv, iterations_json
from ..iterations.validation import compare_iterations, is_done, read_descriptions
from ..presets import GPUS, WITHOUT_GPU
from ..reading import read_tables
from . import closing
from .arguments import parse_arguments
from .content import Findings, make_content
from .markdown import make_markdown
from .scores import score_all
from .simulation import make_subjects, read_results, run_rows, with_preset
from .subject import SubjectMaker
from .tables import validation_csv, validation_json

PRESETS = [name for name in GPUS if name != WITHOUT_GPU]


def main(words):
    return run_command("validate", lambda: run(parse_arguments(words, PRESETS)))


def run(arguments):
    arguments.simulator = os.path.abspath(arguments.simulator)
    store = Store(arguments.out.resolve(), "validation", "rows")
    store.check()
    reading = read_tables(arguments.tables, store.out)
    descriptions = list(with_own_names(read_descriptions(reading, arguments.data)))
    for file, why in reading.unusable:
        print(f"nadi validate: {file}: {why}", file=sys.stderr)
    if not reading.tables and not descriptions:
        return refuse_all(reading)
    maker = SubjectMaker(arguments.simulator, store.out / "configurations", arguments.config,
                         arguments.against)
    store.prepare()
    with store.lock():
        subjects, refused = make_subjects(chosen_tables(reading, arguments), maker)
        is_complete = run_rows(subjects, store, arguments)
        read_results(subjects, store)
        iterations = []
        if is_complete:
            runs = Runs(arguments.simulator, store, arguments.workers)
            iterations, is_complete = compare_iterations(descriptions, runs)
        findings = make_findings(subjects, refused, reading, arguments, iterations)
        write_results(findings, store.out)
        if not is_complete:
            return EXIT_INTERRUPTED
        write_pages(findings, store.out)
        write_report(store.out, arguments.simulator)
    print("\n".join(closing.report(findings, arguments.out)))
    is_one_simulated = any(table.done() for table in findings.tables) or any(
        map(is_done, findings.iterations))
    return EXIT_CONFIG if reading.unusable or not is_one_simulated else EXIT_DONE


def refuse_all(reading):
    """Nothing can be simulated, so no results are written. What was unusable has been told."""
    for file, why in [*reading.refused, *reading.skipped]:
        print(f"nadi validate: {file}: {why}", file=sys.stderr)
    if not reading.unusable and not reading.refused:
        print("nadi validate: no measured table was found", file=sys.stderr)
    return EXIT_CONFIG


def chosen_tables(reading, arguments):
    """Each file once, under a name of its own."""
    tables = {}
    for table in reading.tables:
        tables.setdefault(table.file.resolve(), table)
    tables = list(with_own_names(tables.values()))
    return with_preset(tables, arguments.preset) if arguments.preset else tables


def with_own_names(measured):
    """Tables or descriptions: files of several folders may have one name."""
    taken = {}
    for one in measured:
        count = taken[one.name] = taken.get(one.name, 0) + 1
        name = f"{one.name} ({count})" if count > 1 else one.name
        yield dataclasses.replace(one, name=name)


def make_findings(subjects, refused, reading, arguments, iterations):
    tables = [*(subject.compared for subject in subjects), *refused]
    tables.sort(key=lambda table: table.name)
    unread = [*reading.unusable, *reading.refused]
    return Findings(tables, score_all(tables), unread, reading.skipped, arguments.against,
                    simulator.version(arguments.simulator), iterations)


def write_results(findings, out):
    tables, unread = findings.tables, findings.unread
    write_whole(out / "validation.csv", validation_csv(tables, unread))
    iterations = iterations_json(findings.iterations)
    text = validation_json(findings.scores, tables, unread, findings.skipped, iterations)
    write_whole(out / "validation.json", text)
    if findings.iterations:
        write_whole(out / "iterations.csv", iterations_csv(findings.iterations))


def write_pages(findings, out):
    if any(table.done() for table in findings.tables):
        with held_interrupts():
            from .figures import draw_figures  # takes a second to load

        draw_figures(findings.tables, out, findings.against)
    content = make_content(findings, iteration_parts(findings.iterations))
    write_whole(out / "validation.md", make_markdown(content))
