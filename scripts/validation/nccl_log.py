# SPDX-License-Identifier: GPL-2.0-only
"""The output of nccl-tests and rccl-tests as it is, and the tables that `nadi sweep` prints in that
form: rows, and what the comments say of the run."""

import math
import re

from .measured_table import Row
from .refusal import Refusal

HEADER = re.compile(r"#\s+size\s+count\s+type")
RANK = re.compile(r"Rank\s+(\d+)\s.*?\bon\s+(\S+)\s+device\s+(\d+)\s+\[[^\]]*\]\s*(.*)")
GPUS = re.compile(r"\bnGpus\s+(\d+)")
VERSION = re.compile(r"\b(?:NCCL|RCCL) version[ :]+(\d+\.\d+(?:\.\d+)?)")
LIBRARY = re.compile(r"\bnccl-library=(\d+)")
TEST = re.compile(
    r"\b(all_reduce|all_gather|reduce_scatter|broadcast|reduce|alltoall|sendrecv)_perf\b"
)
NADI = re.compile(r"^# nadi: (\S+), (\d+) ranks(, single calls)?", re.MULTILINE)
BY_NAME = re.compile(
    r"(all[-_]?reduce|all[-_]?gather|reduce[-_]?scatter|broadcast|alltoall|sendrecv|reduce)", re.I
)


def is_log(text):
    return HEADER.search(text) is not None


def read_log_rows(file, text):
    """(rows out of place, {size: time in place}); lines of a libraries' log between are passed."""
    rows, floor = [], {}
    names = []
    for number, line in enumerate(text.splitlines(), 1):
        if HEADER.search(line):
            names = line.lstrip("# ").split()
            continue
        words = line.split()
        if names and len(words) >= len(names) and words[0].isdigit():
            read_line(f"{file.name}:{number}", names, words, rows, floor)
    if not rows:
        raise Refusal(f"{file.name} has the head of an nccl-tests table, but no row")
    if len({row.size for row in rows}) < len(rows):
        raise Refusal(f"{file.name} has several times for one size; write each table in a file of "
                      "its own")
    return rows, floor


def read_line(where, names, words, rows, floor):
    """Columns are found by the header; the first `time` is out of place, the second in place."""
    times = [words[at] for at, name in enumerate(names) if name == "time"]
    size = float(words[0])
    if not times or size <= 0:
        return
    rows.append(Row(size, positive(where, times[0])))
    if len(times) > 1:
        floor[size] = positive(where, times[1])


def positive(where, text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise Refusal(f'{where}: the time is "{text}"; the log is damaged')
    return number


def describe_log(file, text):
    """{key of a side file: text}, as far as the log says it."""
    found = {}
    ranks = {int(one[1]): (one[2], one[4].strip()) for one in RANK.finditer(text)}
    if ranks:
        found["ranks"] = str(len(ranks))
        found["nodes"] = str(len({host for host, _ in ranks.values()}))
        found["gpu"] = next(iter(ranks.values()))[1]
    test = TEST.search(text) or BY_NAME.search(file.stem)
    if test:
        found["collective"] = test[1]
    per_process = GPUS.search(text)
    if per_process and ranks:
        single = int(per_process[1]) * int(found["nodes"]) == len(ranks)
        found["launch"] = "process-per-node" if single else "process-per-gpu"
    version = find_version(text)
    if version:
        found["nccl_version"] = version
    own = NADI.search(text)
    if own:
        found |= {"collective": own[1], "ranks": own[2], "calls": "single" if own[3] else ""}
    return found


def find_version(text):
    said = VERSION.search(text)
    if said:
        return said[1]
    library = LIBRARY.search(text)
    return split_version(int(library[1])) if library else ""


def split_version(code):
    """21903 is 2.19.3; before 2.9 the code had four digits, 2804 for 2.8.4."""
    major, rest = divmod(code, 10000 if code >= 10000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"
