# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi sweep` does."""

import collections
import json
import os
import pathlib
import sys

from . import tables
from .arguments import parse_arguments
from .closing import exit_code, report
from .entry import run_command
from .errors import EXIT_DONE, EXIT_INTERRUPTED
from .interrupts import held_interrupts
from .plot_needs import check_plots
from .points import expand
from .runner import Runner
from .search import run_search, search_ends
from .simulator import ask
from .store import Store, write_whole
from .study import read_study

TABLES_SHOWN = 8  # of those of nccl-tests, on the terminal


def main(words):
    return run_command("sweep", lambda: run(parse_arguments(words)))


def run(arguments):
    binary = os.path.abspath(arguments.simulator)
    study = read_study(arguments.study, json.loads(ask(binary, "schema")))
    out = arguments.out or pathlib.Path("results", study.file.stem)
    store = Store(out.resolve())
    store.check()
    points = known_points(study, binary)
    if arguments.dry_run:
        return list_points(points, store)
    store.prepare()  # a study that is refused leaves no directory
    with store.lock():
        runner = Runner(binary, lambda _: study.base, arguments.workers, arguments.scheduler)
        points, results, is_complete = run_points(study, points, runner, store)
        if points:
            write_tables(study, points, results, store)
        if not is_complete:
            return EXIT_INTERRUPTED
        written = draw_plots(study, points, results, store)
    if arguments.report:
        with held_interrupts():
            from report.command import write_report  # takes a second to load

        write_report(out, binary)
        written.append(store.out / "report.html")
    return report(points, results, store, out, written)


def draw_plots(study, points, results, store):
    """The files that were written."""
    if not study.plots:
        return []
    with held_interrupts():
        from . import plot_drawing  # takes a second to load

    return plot_drawing.draw_all(study, points, results, store)


def known_points(study, binary):
    """Those that are known before any has run. Throws StudyError."""
    if study.search:
        return search_ends(study, binary)
    points = expand(study, binary)
    check_plots(study, points)
    return points


def run_points(study, points, runner, store):
    """(points, their results, whether nothing stopped it)."""
    if study.search:
        return run_search(study, points, runner, store)
    is_complete = runner.run_missing(points, store)
    return points, store.load_all(points), is_complete


def list_points(points, store):
    """What the results say of each point; the exit code is that of the first invalid one."""
    reasons = collections.Counter(point.refusal.message for point in points if point.refusal)
    for point in points:
        print(f"{point.id}  {status_of(point, store):11} {point.describe()}")
        if point.refusal:
            count = reasons.pop(point.refusal.message, 0)  # each is told once
            print_reason(point.refusal.message, count)
    counts = collections.Counter(status_of(point, store) for point in points)
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(f"nadi: {len(points)} points: {told}; nothing was run", file=sys.stderr)
    codes = [exit_code(point.refusal.code) for point in points if point.refusal]
    return codes[0] if codes else EXIT_DONE


def print_reason(reason, count):
    """Why so many points are invalid; nothing for none."""
    if count:
        print(" " * 14 + reason + f" ({count} points)" * (count > 1))


def status_of(point, store):
    if point.refusal:
        return "invalid"
    result = store.load(point)
    return result.status if result else "to run"


def write_tables(study, points, results, store):
    write_whole(store.out / "results.csv", tables.results_csv(points, results))
    write_whole(store.out / "cost.csv", tables.cost_csv(points, results))
    if tables.is_collective_study(study, points):
        found = tables.nccl_tables(study, points, results, store)
        write_whole(store.out / "table.txt", "\n".join(found))
        print("\n".join(found[:TABLES_SHOWN]))
        if len(found) > TABLES_SHOWN:
            print(f"... and {len(found) - TABLES_SHOWN} more tables in table.txt\n")
    else:
        (store.out / "table.txt").unlink(missing_ok=True)  # of an earlier form of the study
