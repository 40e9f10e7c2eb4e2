# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `nadi sweep`."""

import argparse
import collections
import json
import os
import pathlib
import signal
import sys
import traceback

from . import cluster, tables
from .closing import exit_code, report
from .errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE
from .errors import SchedulerLost, UsageError, UserError
from .points import expand
from .progress import Progress
from .simulator import ask, cores, version
from .store import Store, write_whole
from .study import read_study

DESCRIPTION = """Runs the points of a study, keeps their results and draws its figures.

A study names a configuration, and lists the values that its keys take in turn: each combination of
them is a point, which is one run of the simulator. What is finished is not run again."""

EPILOG = """examples:
  nadi sweep study.yaml                   run what is not finished, write tables and figures
  nadi sweep study.yaml --dry-run         list the points, and which of them are finished
  nadi sweep study.yaml --workers 4 --out results/first-try
  nadi sweep study.yaml --scheduler tcp://host:8786

a study:
  base: quickstart.yaml                   # a configuration; its path is relative to the study
  sweep:
    "network.dimensions[0].bandwidth": [31 GB/s, 62 GB/s, 128 GB/s]
    system.inter-dimension: [baseline, themis]
  plots:
    - {kind: line, x: "network.dimensions[0].bandwidth", y: finish_time_ns,
       series: system.inter-dimension}

exit codes: 0 all points are done; 2 wrong command line; 3 invalid study; 5 interrupted: the same
command goes on; else that of the first point that is not done"""
GO_ON = "the same command goes on from here"
TABLES_SHOWN = 8  # of those of nccl-tests, on the terminal


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{message} (nadi sweep --help says more)")


def whole_number(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1')
    return int(text)


def parse_arguments(words):
    parser = Parser(prog="nadi sweep", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", metavar="STUDY", help="a YAML file")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        help="where the results go; default: results/<name of the study>")
    parser.add_argument("--workers", metavar="N", type=whole_number,
                        help="how many points run at once; default: one on each core")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="run the points on the Dask cluster of this scheduler instead of this "
                        "machine")
    parser.add_argument("--dry-run", action="store_true",
                        help="list the points and what is known of each; run nothing")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.scheduler and arguments.workers:
        raise UsageError("--workers is for points that run on this machine; leave it out with "
                         "--scheduler, whose workers are counted there")
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
        print(f"nadi: interrupted; {GO_ON}", file=sys.stderr)
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
        print(f"nadi: {len(unique) - len(missing)} of {len(unique)} points are finished already and "
              "are not run again", file=sys.stderr)
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
