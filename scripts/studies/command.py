# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `nadi sweep`."""

import argparse
import json
import os
import pathlib
import signal
import sys
import traceback

from . import cluster, tables
from .errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE
from .errors import SchedulerLost, UsageError, UserError
from .points import expand
from .progress import Progress
from .simulator import ask, cores
from .store import Store, write_whole
from .study import read_study

DESCRIPTION = """Runs the points of a study, keeps their results and draws its figures.
Points that are finished are not run again."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{message} (nadi sweep --help says more)")


def whole_number(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1')
    return int(text)


def parse_arguments(words):
    parser = Parser(prog="nadi sweep", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("study", metavar="STUDY", help="the study, a YAML file")
    parser.add_argument(
        "--out", metavar="DIR", type=pathlib.Path, help="where results go; default results/<name>"
    )
    parser.add_argument(
        "--workers", metavar="N", type=whole_number, help="processes; default the cores"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster that exists: tcp://host:8786"
    )
    parser.add_argument("--dry-run", action="store_true", help="list the points, run nothing")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.scheduler and arguments.workers:
        raise UsageError("--workers is for a cluster of this machine's own; leave it out with "
                         "--scheduler")
    return arguments


def main(words):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # names may be what a terminal cannot show
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run(parse_arguments(words))
    except UserError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("nadi: interrupted, run the same command to go on", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a list has seen enough
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
    return report(points, results, out)


def list_points(points, store):
    """What the results say of each point; the exit code is that of the first invalid one."""
    for point in points:
        print(f"{point.id}  {status_of(point, store):11} {point.describe()}")
        if point.refusal:
            print(" " * 14 + point.refusal.message)
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
        print(f"nadi: {len(unique) - len(missing)} points were finished before", file=sys.stderr)
    for point in missing:
        store.forget(point)
    progress = Progress(len(missing))
    try:
        for point in missing:
            if point.refusal:
                progress.add(settle(store, point, point.refusal.code, point.refusal.message))
        run_valid(arguments, study, [one for one in missing if not one.refusal], store, progress)
    except (KeyboardInterrupt, SchedulerLost) as stopped:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # what is left to write takes no time
        reason = str(stopped) or "interrupted"
        progress.say(f"{progress.text()}; {reason}, run the same command to go on")
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
        store.keep_failure(point, code, message or "it ended without a result")
        result = store.load(point)
    if result.status == "done":
        return ""
    return f"{point.id} ({point.describe()}): {result.status}: {result.summary['exit_reason']}"


def write_tables(study, points, results, store):
    write_whole(store.out / "results.csv", tables.results_csv(points, results))
    write_whole(store.out / "cost.csv", tables.cost_csv(points, results))
    if tables.is_collective_study(study, points):
        text = tables.nccl_table(points, results, store)
        write_whole(store.out / "table.txt", text)
        print(text)


def report(points, results, out):
    """The exit code is that of the first point that is not done."""
    done = sum(result.status == "done" for result in results)
    print(f"{done} of {len(points)} points done\nresults: {out}")
    codes = [exit_code(result.exit_code) for result in results if result.status != "done"]
    return codes[0] if codes else EXIT_DONE


def exit_code(code):
    """Of a sweep whose first point that is not done ended with `code`: where that is none, or a
    signal, another try may do better."""
    return int(code) if str(code).isdigit() else EXIT_INTERRUPTED
