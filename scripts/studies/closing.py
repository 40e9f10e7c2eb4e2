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


def report(points, results, store, out, written):
    """`written` are the plots and pages of this run. The exit code is that of the first point that
    is not done."""
    lines = [*summary(results, len(points)), f"results: {out}", *list_files(store, written)]
    print("\n".join(lines))
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


def list_files(store, written):
    """What this run left, a line each; then what an earlier run left in the same place."""
    pages, folder = [store.out / "report.html"], store.out / "plots"
    plots = sorted(file for file in folder.glob("*") if file.suffix in (".png", ".md"))
    earlier = [file for file in pages + plots if file.exists() and file not in written]
    lines = [f"  {name:12} {words}" for name, words in FILES.items()
             if (store.out / name).exists() and store.out / name not in earlier]
    lines += line_of("plots", [file.name for file in plots if file not in earlier])
    return lines + line_of("earlier", [str(file.relative_to(store.out)) for file in earlier],
                           "; not of this run")


def line_of(title, names, words=""):
    """Nothing without names."""
    return [f"  {title:12} {', '.join(names)}{words}"] * bool(names)


def exit_code(code):
    """Of a sweep whose first point that is not done ended with `code`. A point without an exit
    code, or ended by a signal, counts as interrupted: another try may succeed."""
    return int(code) if str(code).isdigit() else EXIT_INTERRUPTED
