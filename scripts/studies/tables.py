# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a study: results.csv, cost.csv, and for a collective the tables of nccl-tests.

They are made of what is kept of the points, in sweep order, so that nothing in them depends on
which worker ran which point, and when. A sweep without plots writes them too. So they do without
pandas, which takes long to load.
"""

import csv
import io

from .store import COST

SIZE = "workload.collective.size"


def csv_text(columns, rows):
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def field_names(results, others):
    """Of all summaries but `others`, in their order; a failure has the few that any summary has."""
    names = {}
    for result in sorted(results, key=lambda result: -len(result.summary)):
        names |= dict.fromkeys(result.summary)
    return [name for name in names if name not in COST and name not in others]


def results_csv(points, results):
    """`results` are those of the points, in their order."""
    _, *swept = points[0].coordinates
    columns = ["id", "variant", "status", *swept]
    columns += field_names(results, [*columns, "exit_code"])
    rows = [
        {**result.summary, **point.coordinates, "id": point.id}
        for point, result in zip(points, results)
    ]
    return csv_text(columns, rows)


def cost_csv(points, results):
    rows = [{**result.summary, "id": point.id} for point, result in zip(points, results)]
    return csv_text(["id", *COST], rows)


def is_collective_study(study, points):
    """Whether every point is one collective, and its size varies, or nothing does."""
    varying = [name for name, texts in study.columns().items() if len(texts) > 1]
    if SIZE not in study.sweep or (varying and SIZE not in varying):
        return False
    valid = [point.configuration["workload"] for point in points if not point.refusal]
    collectives = [workload.get("collective") for workload in valid]
    return valid != [] and all(isinstance(one, dict) and "type" in one for one in collectives)


def nccl_tables(study, points, results, store):
    """The tables as nccl-tests prints them, one for each combination of what varies beside the
    size; that combination stands above it, as nccl-tests writes what is no number: after a #."""
    varying = [name for name, texts in study.columns().items()
               if len(texts) > 1 and name not in (SIZE, *study.labels())]
    tables = {}
    for point, result in zip(points, results):
        key = tuple(f"# {name}: {point.coordinates[name]}" for name in varying)
        tables.setdefault(key, []).append((point, result))
    return ["\n".join([*key, *nccl_table(rows, store)]) + "\n" for key, rows in tables.items()]


def nccl_table(rows, store):
    """Its lines. The lower bound stands beside; calls that repeat are averaged."""
    lines = [
        f"{'size':>14} {'time':>14} {'algbw':>10} {'busbw':>10} {'lower bound':>14}",
        f"{'(B)':>14} {'(us)':>14} {'(GB/s)':>10} {'(GB/s)':>10} {'(us)':>14}",
    ]
    for point, result in rows:
        calls = read_rows(store.directory(point) / "collectives.csv")
        if result.status != "done" or not calls:
            lines.append(f"{point.coordinates[SIZE]:>14} {result.status:>14}")
            continue
        size, time, bound, algbw, busbw = averages(calls)
        lines.append(
            f"{size:>14.0f} {time / 1e3:>14.3f} {algbw:>10.3f} {busbw:>10.3f} {bound / 1e3:>14.3f}"
        )
    return lines


def averages(rows):
    """Size, mean time and bound; the bandwidths are those of the mean time."""
    size = float(rows[0]["nccl_size_bytes"])
    time = sum(float(row["duration_ns"]) for row in rows) / len(rows)
    bound = sum(float(row["lower_bound_ns"]) for row in rows) / len(rows)
    algbw = size / time if time else 0.0
    first = float(rows[0]["algbw_GBps"])
    factor = float(rows[0]["busbw_GBps"]) / first if first else 0.0
    return size, time, bound, algbw, algbw * factor


def read_rows(file):
    """The rows of a CSV file; none where there is no file."""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError:
        return []
