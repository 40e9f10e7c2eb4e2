# SPDX-License-Identifier: GPL-2.0-only
"""The tables of a study: results.csv, cost.csv, and for a collective the tables of nccl-tests.

They are made of what is kept of the points, in sweep order, so that nothing in them depends on
which worker ran which point, and when. A sweep without plots writes them too. So they do without
pandas, which takes long to load.
"""

import csv
import io
import itertools

from .store import COST

SIZE = "workload.collective.size"
NCCL_NAMES = ("size", "count", "type", "redop", "time", "algbw", "busbw", "algorithm", "protocol",
              "channels", "lower-bound")
NCCL_UNITS = ("(B)", "(elements)", "", "", "(us)", "(GB/s)", "(GB/s)", "", "", "", "(us)")
NCCL_WIDTH = 7  # of a column at least
CHAINS = ("broadcast", "reduce")
SINGLE_CALLS = (", single calls (system.library.calls: back-to-back gives the mean of many, as "
                "nccl-tests prints it)")
# Counted are the elements of one rank's share.
COUNTED_BY_RANK = ("all-gather", "reduce-scatter", "all-to-all", "gather", "scatter")


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
    """Its lines. Elements are bytes, as a simulation knows no types. The time of calls
    that repeat is that of all by their number.
    What Nadi adds stands in the last columns. `nadi validate` reads the table back."""
    calls = [read_rows(store.directory(point) / "collectives.csv") for point, _ in rows]
    known = next(filter(None, calls), None)
    lines = [f"# nadi: {known[0]['type']}, {known[0]['ranks']} ranks"] if known else []
    if known and are_single_chains(rows, known):
        lines[0] += SINGLE_CALLS
    cells = [nccl_cells(own) if result.status == "done" and own
             else [f"{point.coordinates[SIZE]}", result.status]
             for (point, result), own in zip(rows, calls)]
    head, units, *body = aligned([NCCL_NAMES, NCCL_UNITS, *cells])
    return [*lines, "#" + head[1:], "#" + units[1:], *body]


def are_single_chains(rows, calls):
    """Whether the points tell the time of one call of a chain, of which nccl-tests prints the mean
    of many calls that overlap. Calls that repeat do not overlap unless the library says so."""
    libraries = [point.configuration["system"].get("library") for point, _ in rows
                 if point.configuration]
    are_single = any(isinstance(one, dict) and one.get("calls") == "single" for one in libraries)
    return are_single and calls[0]["type"] in CHAINS


def aligned(rows):
    """Lines whose columns end below each other, the first with room for a mark before it."""
    columns = itertools.zip_longest(*rows, fillvalue="")
    widths = [max(NCCL_WIDTH, *map(len, column)) for column in columns]
    return [" ".join(f"{text:>{width}}" for text, width in zip(row, widths)) for row in rows]


def nccl_cells(calls):
    """The texts of a row, from the calls of one point."""
    size, time, bound, algbw, busbw = averages(calls)
    first = calls[0]
    shares = int(first["ranks"]) if first["type"] in COUNTED_BY_RANK else 1
    operation = "sum" if "reduce" in first["type"] else "none"
    ran = [first.get(name) or "-" for name in ("algorithm", "protocol", "channels")]
    return [f"{size:.0f}", f"{size / shares:.0f}", "int8", operation, f"{time / 1e3:.3f}",
            f"{algbw:.3f}", f"{busbw:.3f}", *ran, f"{bound / 1e3:.3f}"]


def averages(rows):
    """Size, time and mean bound of a call; the bandwidths are those of the time.
    The time is that from the first start to the last end, by the number of calls, as nccl-tests
    has it. The mean of the durations would be longer: the root of a broadcast begins its next call
    before the others have ended this one."""
    size = float(rows[0]["nccl_size_bytes"])
    first, last = (edge(float(row[name]) for row in rows)
                   for edge, name in ((min, "start_ns"), (max, "end_ns")))
    time = (last - first) / len(rows)
    bound = sum(float(row["lower_bound_ns"]) for row in rows) / len(rows)
    algbw = size / time if time else 0.0
    alone = float(rows[0]["algbw_GBps"] or 0)  # empty where ranks bring different sizes
    factor = float(rows[0]["busbw_GBps"]) / alone if alone else 0.0
    return size, time, bound, algbw, algbw * factor


def read_rows(file):
    """The rows of a CSV file; none where there is no file."""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))
    except FileNotFoundError:
        return []
