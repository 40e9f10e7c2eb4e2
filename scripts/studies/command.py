# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi sweep` does."""

import collections
import json
import os
import pathlib
import signal
import sys
import traceback

from . import cluster, tables
from .arguments import parse_arguments
from .closing import exit_code, report
from .errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE
from .errors import SchedulerLost, UsageError, UserError
from .points import expand
from .progress import Progress
from .simulator import ask, cores, version
from .store import Store, write_whole
from .study import read_study

GO_ON = "the same command goes on from here"
TABLES_SHOWN = 8  # of those of nccl-tests, on the terminal


def main(words):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a terminal may lack letters of a name
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(parse_arguments(words))
    except UserError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(f"nadi: interrupted; {GO_ON}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the program that reads the output has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except OSError as error:
        file = error.filename2 or error.filename
        print(f'nadi sweep: "{file}": {error.strerror}', file=sys.stderr)
        return EXIT_USAGE
    except Exception:
        print("nadi sweep: a bug of ours, please report it with the study:", file=sys.stderr)
        traceback.print_exc()
        return EXIT_BUG


def run(arguments):
    binary = os.path.abspath(arguments.simulator)
    study = read_study(arguments.study, json.loads(ask(binary, "schema")))
    out = arguments.out or pathlib.Path("results", study.file.stem)
    store = Store(out.resolve())
    store.check()
    if arguments.dry_run:
        return list_points(expand(study, binary), store)
    store.prepare()
    with store.lock():
        points = expand(study, binary)
        is_complete = run_missing(arguments, study, points, store)
        results = store.load_all(points)
        write_tables(study, points, results, store)
        if not is_complete:
            return EXIT_INTERRUPTED
        if study.plots:
            from . import plot_drawing  # takes a second to load

            plot_drawing.draw_all(study, points, results, store)
    return report(points, results, store, out)


def list_points(points, store):
    """What the results say of each point; the exit code is that of the first invalid one."""
    for point in points:
        print(f"{point.id}  {status_of(point, store):11} {point.describe()}")
        if point.refusal:
            print(" " * 14 + point.refusal.message)
    counts = collections.Counter(status_of(point, store) for point in points)
    told = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(f"nadi: {len(points)} points: {told}; nothing was run", file=sys.stderr)
    codes = [exit_code(point.refusal.code) for point in points if point.refusal]
    return codes[0] if codes else EXIT_DONE


def status_of(point, store):
    if point.refusal:
        return "invalid"
    result = store.load(point)
    return result.status if result else "to run"


def run_missing(arguments, study, points, store):
    """Runs what is not finished. Returns whether nothing stopped it."""
    unique = {point.id: point for point in points}.values()
    missing = [point for point in unique if not store.is_finished(point)]
    if len(missing) < len(unique):
        finished = f"{len(unique) - len(missing)} of {len(unique)} points"
        print(f"nadi: {finished} are finished already and are not run again", file=sys.stderr)
    others = store.count_of_other_builds(version(arguments.simulator)) if missing else 0
    if others:
        print(f"nadi: {others} results in {store.points} are of another build of Nadi; they stay "
              "there and are not used", file=sys.stderr)
    for point in missing:
        store.forget(point)
    progress = Progress(len(missing))
    try:
        for point in missing:
            if point.refusal:
                progress.add(settle(store, point, point.refusal.code, point.refusal.message))
        run_valid(arguments, study, [one for one in missing if not one.refusal], store, progress)
    except (KeyboardInterrupt, SchedulerLost) as stopped:
        cluster.ignore_interrupts()
        reason = str(stopped) or "interrupted"
        progress.say(f"nadi: {reason} after {progress.done} of {len(missing)} points; {GO_ON}")
        return False
    progress.clear()
    store.clear_staging()
    return True


def run_valid(arguments, study, points, store, progress):
    def command_of(point):
        directory = store.directory(point)
        return cluster.command(os.path.abspath(arguments.simulator), study.base, point, directory)

    if not points:
        return
    progress.show()
    workers = min(arguments.workers or cores(), len(points))
    with cluster.connect(arguments.scheduler, workers) as client:
        for point, code, message in cluster.run_points(client, points, command_of):
            progress.add(settle(store, point, code, message))


def settle(store, point, code, message):
    """Keeps how a point ended; a line about it unless it is done."""
    result = store.load(point)
    if result is None or not result.is_finished:
        store.keep_failure(point, code, message or "the simulator ended without a result")
        result = store.load(point)
    if result.status == "done":
        return ""
    reason = result.summary["exit_reason"]
    ended = "failed" if result.status == "failed" else f"is {result.status}"
    return f"nadi: point {point.id} ({point.describe()}) {ended}: {reason}"


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
