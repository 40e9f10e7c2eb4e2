# SPDX-License-Identifier: GPL-2.0-only
"""What can be drawn, with its unit: the numbers of the results and of the swept values."""

import json
import math
import pathlib
import re

from .errors import suggest

SUMMARY_FIELDS = (
    "finish_time_ns",
    "ranks",
    "compute_ns",
    "communication_ns",
    "exposed_communication_ns",
    "idle_ns",
    "bytes_sent",
    "packets",
    "packet_hops",
    "events",
    "mechanisms.ecn_marks",
    "mechanisms.pauses",
    "mechanisms.cnps",
    "mechanisms.retransmissions",
    "mechanisms.reroutes",
    "mechanisms.trains",
    "mechanisms.drops",
    "serving.throughput_in",  # of a cluster that serves, as those that follow
    "serving.throughput_out",
    "serving.goodput",
)
# Of summary.json and failure.json, what may be a column of results.csv: names as they are, and those
# of mappings, which stand before a dot.
PLAIN_FIELDS = ("status", "exit_reason", "exit_code", "finish_time_ns", "backend", "ranks",
                "compute_ns", "communication_ns", "exposed_communication_ns", "idle_ns",
                "bytes_sent", "packets", "packet_hops", "events", "wall_time_s",
                "peak_memory_bytes", "seed", "version", "digest", "warnings", "waiting_ns", "build",
                "notes")
MAPPED_FIELDS = ("mechanisms", "communication_by_type", "memo", "memory", "in_network", "serving",
                 "search")
SEARCH_FIELDS = ("search.found", "search.kept")  # of a study that searches, beside the summary's
# The quantities of each table, as the simulator declares them: a test of its writes this file. What
# a configuration must ask for (flows, series) is last.
TABLE_COLUMNS = {
    table: tuple(columns)
    for table, columns in json.loads(
        (pathlib.Path(__file__).parent / "columns.json").read_text()
    ).items()
}
DERIVED = {"flows": ("goodput_gbps",), "series": ("rate_gbps",)}  # of other columns
USED = "used(links)"


def mean(values):
    return sum(values) / len(values)


def jain(values):
    """1 when all have the same, 1/n when one of n has all; None when nobody has anything."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def gap(values):
    """The longest way from one value to the next larger one."""
    ordered = sorted(values)
    return max((after - before for before, after in zip(ordered, ordered[1:])), default=0.0)


def percentile(share):
    """Of the nearest rank."""
    return lambda values: sorted(values)[math.ceil(share * len(values)) - 1]


FUNCTIONS = {"min": min, "max": max, "mean": mean, "sum": sum, "jain": jain, "gap": gap,
             "p50": percentile(0.5), "p90": percentile(0.9), "p99": percentile(0.99)}  # fmt: skip
FUNCTION_WORDS = {"jain": "Jain's index", "gap": "longest gap"}
SERVING_WORDS = {
    "serving.throughput_in": "tokens/s of prompts",
    "serving.throughput_out": "tokens/s of answers",
    "serving.goodput": "requests/s that keep the SLO",
    "search.found": "largest value at which the SLO is kept",
    "search.kept": "share of requests that keep the SLO",
}
COLUMN_WORDS = {
    "algbw": "algorithm bandwidth",
    "busbw": "bus bandwidth",
    "cnps": "CNPs",
    "ecn_marks": "ECN marks",
    "fct": "completion time",
    "ideal_fct": "ideal completion time",
    "nccl_size": "size as nccl-tests counts",
    "tpot": "time for each further token",
    "ttft": "time to the first token",
}
CALL = re.compile(rf"({'|'.join(FUNCTIONS)})\(([a-z]+\.[A-Za-z_]+)\)")
ANY_CALL = re.compile(r"(\w*)\((\w+)\.(\w+)\)")  # whether there is such a function or column
ANY_COLUMN = re.compile(r"(\w+)\.(\w+)")

TIMES = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
POWERS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
SIZES = {f"{prefix}B": factor for prefix, factor in (POWERS | BINARY).items()}
RATES = {f"{unit}/s": factor for unit, factor in SIZES.items()} | {
    f"{prefix}b/s": factor / 8 for prefix, factor in POWERS.items()
}
FLOP_RATES = {f"{prefix}FLOP/s": factor for prefix, factor in POWERS.items()}
REQUEST_RATES = {"/s": 1.0, "/min": 1 / 60}
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
QUANTITY = re.compile(r"([0-9.eE+-]+?) ?([A-Za-z/][A-Za-z/]*)")


def parse_quantity(text):
    """(number, unit, units of its kind) of "62 GB/s"; a bare number has the unit ""."""
    number = parse_number(text)
    if number is not None:
        return number, "", {"": 1.0}
    found = QUANTITY.fullmatch(text)
    for units in (TIMES, SIZES, RATES, FLOP_RATES, REQUEST_RATES):
        if found and found[2] in units:
            number = parse_number(found[1])
            return None if number is None else (number, found[2], units)
    return None


def nanoseconds(text):
    """Of a time such as "10 us"; None where the text is no time that passes."""
    found = parse_quantity(text) if isinstance(text, str) else None
    if found is None or found[2] is not TIMES or not found[0] > 0:
        return None
    return found[0] * TIMES[found[1]]


def whole_intervals(finish, interval):
    """How many intervals had ended at the finish."""
    return math.floor(finish / interval * (1 + 1e-12))


def parse_number(text):
    """None for what is none, or has no end. To Python, 4_8 is a number too; to nobody else."""
    number = float(text) if NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def as_numbers(texts):
    """(numbers, unit) of quantities of one kind, in the first one's unit; else None."""
    parsed = [parse_quantity(text) for text in texts]
    if not parsed or None in parsed or any(one[2] is not parsed[0][2] for one in parsed if one[1]):
        return None
    if any(one[1] == "" for one in parsed) and any(one[1] for one in parsed):
        return None
    unit, units = parsed[0][1], parsed[0][2]
    return [number * units[own] / units[unit] for number, own, _ in parsed], unit


def are_positive(texts):
    """Whether they can stand on a logarithmic axis."""
    numbers = as_numbers(texts)
    return numbers is not None and min(numbers[0]) > 0


def columns_of(table):
    return TABLE_COLUMNS.get(table, ()) + DERIVED.get(table, ())


def is_column(name):
    table, _, column = name.partition(".")
    return column in columns_of(table)


def misnamed(name):
    """What is wrong with a column such as links.drop, or a function of one such as p95(links.drops);
    "" where the name is of neither form, or right."""
    call = ANY_CALL.fullmatch(name)
    function, table, column = call.groups() if call else ("", *split_column(name))
    if table not in TABLE_COLUMNS:
        return ""
    if column not in columns_of(table):
        nearest = nearest_column(table, column)
        return f'{table}.csv has no column "{column}" that is a number{nearest}'
    if call and function not in FUNCTIONS:
        return f'"{function}" is no function; known: {", ".join(FUNCTIONS)}'
    return ""


def split_column(name):
    """(table, column); twice "" where it is no such name."""
    found = ANY_COLUMN.fullmatch(name)
    return found.groups() if found else ("", "")


def nearest_column(table, column):
    """What to write instead of it; often only its unit is missing."""
    known = columns_of(table)
    with_unit = [one for one in known if one.startswith(f"{column}_")]
    return f" (did you mean {with_unit[0]}?)" if with_unit else suggest(column, known)


def is_measure(name):
    """Whether a point has one number of this name: of its summary, or such as max(links.drops)."""
    found = CALL.fullmatch(name)
    return name in (*SUMMARY_FIELDS, *SEARCH_FIELDS, USED) or (found is not None and is_column(found[2]))


def is_over_time(name):
    """Whether a point has a number of this name for each interval of its series.csv."""
    found = CALL.fullmatch(name)
    column = found[2] if found and found[1] != "gap" else name
    return column.startswith("series.") and is_column(column)


def is_result_column(name):
    """Whether results.csv may have a column of this name that a run tells."""
    mapping, dot, _ = name.partition(".")
    return name in PLAIN_FIELDS or bool(dot and mapping in MAPPED_FIELDS)


def table_of(name):
    """The table that a number comes from; "" for those of the summary."""
    found = CALL.fullmatch(name)
    if name == USED:
        return "links"
    return (found[2] if found else name).partition(".")[0] if found or is_column(name) else ""


def unit_of(name):
    """The unit in which the results give a number; "" where it has none."""
    if name.startswith("jain("):
        return ""
    name = name.rstrip(")")
    for suffix, unit in (("_ns", "ns"), ("_gbps", "Gb/s"), ("_GBps", "GB/s")):
        if name.endswith(suffix):
            return unit
    return "B" if name.endswith("bytes") or name == "bytes_sent" else ""


def words_of(name, is_one=False):
    """finish_time_ns -> finish time; max(links.max_queue_bytes) -> max of links' max queue, or
    link's max queue where there `is_one`, of which any function is the same."""
    if name in SERVING_WORDS:
        return SERVING_WORDS[name]
    found = CALL.fullmatch(name)
    if found and not is_one:
        return f"{FUNCTION_WORDS.get(found[1], found[1])} of {words_of(found[2])}"
    if name == USED:
        return "share of the links' bandwidth used"
    table, dot, column = (found[2] if found else name).rpartition(".")
    for suffix in ("_ns", "_gbps", "_GBps", "_bytes"):
        column = column.removesuffix(suffix)
    words = COLUMN_WORDS.get(column, column.replace("_", " "))
    if not dot or table == "mechanisms":
        return words
    table = "links" if table == "series" else table
    return f"{table.removesuffix('s')}'s {words}" if is_one else f"{table}' {words}"


def readable_unit(name, values):
    """(unit, how many of the results' unit it is): so that the largest value is 1 or more."""
    unit = unit_of(name)
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    for units in (TIMES, {key: SIZES[key] for key in ("B", "KB", "MB", "GB", "TB")}):
        if unit in units:
            fitting = [key for key in units if units[unit] <= units[key] <= largest * units[unit]]
            best = fitting[-1] if fitting else unit
            return best, units[best] / units[unit]
    return unit, 1.0
