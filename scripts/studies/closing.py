# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep says at its end: how many points are done, and what is in which file."""

import collections

from .errors import EXIT_DONE, EXIT_INTERRUPTED

FILES = {
    "results.csv": "a row for each point: its values, its times and counts",
    "cost.csv": "how long each run took, and how much memory",
    "table.txt": "time and bandwidth by size, as nccl-tests prints them",
    "report.html": "the points in one page, with plots whose axes can be chosen",
    "points": "all files of each run, under the id of its point",
}


def report(points, results, store, out):
    """The exit code is that of the first point that is not done."""
    print("\n".join([*summary(results, len(points)), f"results: {out}", *list_files(store)]))
    codes = [exit_code(result.exit_code) for result in results if result.status != "done"]
    return codes[0] if codes else EXIT_DONE


def summary(results, count):
    """A line for each way in which points ended."""
    counts = collections.Counter(result.status for result in results)
    lines = [f"{counts['done']} of {count} points done"]
    if counts["stuck"]:
        lines.append(f"{counts['stuck']} stuck: the simulated job cannot finish; waits.json in the "
                     "point's folder says who waits for whom")
    if counts["failed"]:
        lines.append(f"{counts['failed']} failed: the column exit_reason of results.csv says why; "
                     "the same command tries them again")
    return lines


def list_files(store):
    """What there is, a line each."""
    lines = [f"  {name:12} {words}" for name, words in FILES.items() if (store.out / name).exists()]
    plots = sorted(file.name for file in (store.out / "plots").glob("*")
                   if file.suffix in (".png", ".md"))
    return lines + [f"  {'plots':12} {', '.join(plots)}"] * bool(plots)


def exit_code(code):
    """Of a sweep whose first point that is not done ended with `code`. A point without an exit
    code, or ended by a signal, counts as interrupted: another try may succeed."""
    return int(code) if str(code).isdigit() else EXIT_INTERRUPTED
