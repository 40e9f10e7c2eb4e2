# SPDX-License-Identifier: GPL-2.0-only
"""From tables to compared tables: makes the subjects, runs their rows, reads the results."""

import concurrent.futures
import contextlib
import dataclasses

from studies import simulator
from studies.progress import Progress
from studies.runner import Runner

from ..refusal import Refusal
from .compared import refuse
from .subject import Subject, SubjectMaker
from .workload import read_simulated


def make_subjects(tables, maker: SubjectMaker):
    """(subjects, refused tables), each in the order of the tables."""
    subjects, refused = [], []
    progress = Progress(len(tables), "tables prepared")
    with (
        concurrent.futures.ThreadPoolExecutor(simulator.cores()) as pool,
        contextlib.closing(pool.map(make_or_refuse, tables, [maker] * len(tables))) as answers,
    ):
        for made in answers:
            (subjects if isinstance(made, Subject) else refused).append(made)
            progress.add()
    progress.clear()
    return subjects, refused


def make_or_refuse(table, maker):
    """A subject, or the compared table with the reason of its refusal."""
    try:
        return maker.make(table)
    except Refusal as refusal:
        return refuse(table, str(refusal))


def with_preset(tables, preset):
    """The tables, with this preset for their GPUs."""
    return [dataclasses.replace(table, side=dataclasses.replace(table.side, preset=preset))
            for table in tables]


def run_rows(subjects, store, arguments):
    """Returns whether nothing stopped it. What takes longest begins first."""
    points = [point for one in subjects for point in [*one.points, *one.against]]
    points.sort(key=lambda point: -point.bytes_sent)
    runner = Runner(arguments.simulator, lambda point: point.base, arguments.workers,
                    points="rows", table="validation.csv")
    return runner.run_missing(points, store)


def read_results(subjects, store):
    """Writes into the compared rows what is kept of their runs."""
    for subject in subjects:
        for row, point in zip(subject.compared.rows, subject.points):
            read_row(row, point, store)
        for row, point in zip(subject.compared.rows, subject.against):
            result = store.load(point)
            if result and result.status == "done":
                row.against = read_simulated(store.directory(point), result.summary).time


def read_row(row, point, store):
    result = store.load(point)
    if result is None:
        row.message = "not run: interrupted"
    elif result.status != "done":
        row.message = result.summary["exit_reason"]
    else:
        found = read_simulated(store.directory(point), result.summary)
        row.simulated = found.time
        row.algorithm, row.protocol = found.algorithm, found.protocol
        row.channels = found.channels
