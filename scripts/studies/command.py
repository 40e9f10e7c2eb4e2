# SPDX-License-Identifier: GPL-2.0-only
"""The command line of `nadi sweep`."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys

from . import cluster, tables
from .errors import EXIT_DONE, EXIT_INTERRUPTED, UsageError, UserError
from .points import expand
from .progress import Progress
from .store import Store, write_whole
from .study import read_study

TOP = pathlib.Path(__file__).resolve().parents[2]
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
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build", help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.scheduler and arguments.workers:
        raise UsageError("--workers is for a cluster of this machine's own; leave it out with "
                         "--scheduler")
    return arguments


def ask(binary, *words):
    """What the simulator prints."""
    try:
        done = subprocess.run([binary, *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UsageError(f'cannot run the simulator "{binary}"; build it first') from error
    return done.stdout


def main(words):
    try:
        return run(parse_arguments(words))
    except UserError as error:
        print(error, file=sys.stderr)
        return error.code
    except BrokenPipeError:  # the reader of a list has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE


def run(arguments):
    binary = (arguments.build / "cli/nadi").resolve()
    study = read_study(arguments.study, json.loads(ask(binary, "schema")))
    points = expand(study, ask(binary, "--version").strip())
    out = arguments.out or pathlib.Path("results", study.file.stem)
    store = Store(out.resolve())
    store.check()
    if arguments.dry_run:
        return list_points(points, store)
    store.prepare()
    if not run_missing(arguments, study, points, store, binary):
        return EXIT_INTERRUPTED
    results = [store.load(point) for point in points]
    write_tables(study, points, results, store)
    if study.plots:
        from . import plot_drawing  # takes a second to load

        plot_drawing.draw_all(study, points, results, store)
    return report(points, results, out)


def list_points(points, store):
    for point in points:
        result = store.load(point)
        print(f"{point.id}  {result.status if result else 'to run':11} {point.describe()}")
    return EXIT_DONE


def run_missing(arguments, study, points, store, binary):
    """Runs what is not finished. Returns whether nobody interrupted it."""
    unique = {point.id: point for point in points}.values()
    missing = [point for point in unique if not store.is_finished(point)]
    if len(missing) < len(unique):
        print(f"nadi: {len(unique) - len(missing)} points were finished before", file=sys.stderr)
    if not missing:
        return True
    for point in missing:
        store.forget(point)

    def command_of(point):
        return cluster.command(binary, study.base, point, store.directory(point))

    progress = Progress(len(missing))
    progress.show()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        workers = min(arguments.workers or cluster.cores(), len(missing))
        with cluster.connect(arguments.scheduler, workers) as client:
            for point, code, message in cluster.run_points(client, missing, command_of):
                progress.add(settle(store, point, code, message))
    except KeyboardInterrupt:
        progress.say(f"{progress.text()}; interrupted, run the same command to go on")
        return False
    progress.clear()
    return True


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
    if tables.is_collective_study(study):
        text = tables.nccl_table(points, results, store)
        write_whole(store.out / "table.txt", text)
        print(text)


def report(points, results, out):
    """The exit code is that of the first point that is not done."""
    done = sum(result.status == "done" for result in results)
    print(f"{done} of {len(points)} points done\nresults: {out}")
    codes = [exit_code(result) for result in results if result.status != "done"]
    return codes[0] if codes else EXIT_DONE


def exit_code(result):
    if result.status == "stuck":
        return 4
    code = result.summary["exit_code"]
    return int(code) if code.isdigit() else EXIT_INTERRUPTED
