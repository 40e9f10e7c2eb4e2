# SPDX-License-Identifier: GPL-2.0-only
"""The files of one result, each read when it is needed."""

import csv
import functools
import json
import re

import yaml

from ..errors import UsageError, UserError
from ..identity import parse

TIME = re.compile(r"-?\d+(\.\d{1,3})?")
csv.field_size_limit(1 << 30)  # names come from traces, and may be long
NEEDED = {
    "ranks": ("rank", "finish_ns"),
    "breakdown": ("rank", "type", "exposed_ns"),
    "collectives": ("name", "type", "communicator", "start_ns", "end_ns", "size_bytes"),
    "links": ("from", "to", "bytes", "utilization"),
}
COUNTS = ("bytes", "packets", "ecn_marks", "pauses", "drops", "retransmitted_bytes",
          "max_queue_bytes", "size_bytes")  # columns that are whole numbers
PARTS = ("compute_ns", "exposed_communication_ns", "idle_ns")
SUMMARY = ("status", "finish_time_ns", "backend", "ranks", "version", *PARTS)


class Damaged(UserError):
    """A file of a result is not what the simulator writes."""

    def __init__(self, file, problem):
        super().__init__(f"{file}: {problem}; run the simulation again")


class Run:
    """A result of `nadi run`, or of a point of a sweep. `version` is that of this program, such as
    "0.1.0+g1a2b3c4".

    Throws UsageError for a directory that holds none; Damaged; UserError for a result of a newer
    version."""

    def __init__(self, path, version):
        self.path = path
        self.summary = read_summary(path)
        check_version(path, self.summary["version"], version)
        self.table = functools.cache(self.read_table)
        if sum(self.time(name) for name in PARTS) != self.finish:
            raise Damaged(path / "summary.json", "compute_ns, exposed_communication_ns and idle_ns "
                          "do not add up to finish_time_ns")

    def time(self, name):
        """A time of the summary in ps."""
        return picoseconds(self.summary[name], self.path / "summary.json", name)

    @property
    def finish(self):
        return self.time("finish_time_ns")

    @property
    def ranks(self):
        return int(self.summary["ranks"])

    @functools.cached_property
    def configuration(self):
        """The effective one, in dictionaries, lists and texts."""
        file = self.path / "config.yaml"
        try:
            found = parse(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise Damaged(file, "is no configuration") from error
        if not isinstance(found, dict):
            raise Damaged(file, "is no configuration")
        return found

    @functools.cached_property
    def slowest(self):
        """The number of the slowest rank: of several, the lowest."""
        rows = self.table("ranks")
        if len(rows) != self.ranks:
            raise Damaged(self.path / "ranks.csv", f"has {len(rows)} ranks, but summary.json says "
                          f"{self.ranks}")
        return max(range(len(rows)), key=lambda rank: (rows[rank]["finish_ns"], -rank))

    @property
    def communication_by_type(self):
        """Exposed time of the slowest rank by type: {type: ps}; None where the result does not say.
        By breakdown.csv they add up to all of it; without this file, a moment counts for each type
        that is in progress."""
        if (self.path / "breakdown.csv").exists():
            exposed = {}
            for row in self.table("breakdown"):
                if row["rank"] == str(self.slowest):
                    exposed[row["type"]] = exposed.get(row["type"], 0) + row["exposed_ns"]
            return exposed
        if not isinstance(self.summary.get("communication_by_type"), dict):
            return None
        file = self.path / "summary.json"
        return {kind: picoseconds(fields.get("exposed_communication_ns"), file, kind)
                for kind, fields in self.summary["communication_by_type"].items()}

    def read_table(self, name):
        """Its rows, with numbers in place of their texts; times are in ps, under the names that the
        file gives them."""
        file = self.path / f"{name}.csv"
        if not file.exists():
            raise Damaged(file, "is missing")
        check_end(file)
        try:
            with open(file, newline="", encoding="utf-8") as stream:
                reader = csv.DictReader(stream, strict=True)
                missing = [one for one in NEEDED[name] if one not in (reader.fieldnames or [])]
                if missing:
                    raise Damaged(file, f"has no column {missing[0]}")
                readers = {column: reader_of(column) for column in reader.fieldnames}
                readers = {column: read for column, read in readers.items() if read}
                return [with_numbers(row, readers, file, line)
                        for line, row in enumerate(reader, 2)]
        except (csv.Error, UnicodeDecodeError) as error:
            raise Damaged(file, f"is no table ({error})") from error


def with_numbers(row, readers, file, line):
    """A time may be absent, as in rows of collectives that were not recorded."""
    if None in row or None in row.values():
        raise Damaged(f"{file}:{line}", "has another number of fields than the first line")
    for name, read in readers.items():
        row[name] = read(row[name], f"{file}:{line}", name)
    return row


def reader_of(column):
    """What makes a number of a text, or None for a column of texts."""
    if column.endswith("_ns"):
        return lambda text, place, name: picoseconds(text, place, name) if text else None
    if column in COUNTS:
        return lambda text, place, name: number(text, int, place, name)
    if column == "utilization":
        return lambda text, place, name: number(text, float, place, name)
    return None


def number(text, kind, place, name):
    try:
        return kind(text)
    except ValueError as error:
        raise Damaged(place, f'{name} is "{text}", which is no number') from error


def picoseconds(text, place, name):
    """Of a time in ns with up to three decimals."""
    if not isinstance(text, str) or not TIME.fullmatch(text):
        raise Damaged(place, f'{name} is "{text}", which is no time')
    whole, _, decimals = text.partition(".")
    return int(whole + f"{decimals:0<3}")


def check_end(file):
    """A file that is whole ends with a line break."""
    with open(file, "rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 1))
        if stream.read() != b"\n":
            raise Damaged(file, "is cut off: its last line has no end")


def read_summary(path):
    if (path / "points").is_dir():
        raise UsageError(f'"{path}" holds the results of a sweep; name its points, such as '
                         f'{path / "points" / "<id>"}')
    file = path / "summary.json"
    if not file.exists() or not (path / "config.yaml").exists():
        raise UsageError(f'"{path}" holds no result: a run leaves config.yaml and summary.json; '
                         "name such a directory")
    try:
        summary = json.loads(file.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise Damaged(file, "is no JSON, or is cut off") from error
    missing = [name for name in SUMMARY if not isinstance(summary, dict) or name not in summary]
    if missing:
        raise Damaged(file, f"has no field {missing[0]}")
    return summary


def check_version(path, version, own):
    """A version counts up to its commit: 0.1.0+g1a2b3c4 is as new as 0.1.0."""
    if numbers_of(version) > numbers_of(own):
        raise UserError(f'{path}: was written by version {version}, which is newer than this '
                        f"program ({own}); compare it with that version")


def numbers_of(version):
    return [int(part) for part in re.match(r"[\d.]*", str(version))[0].split(".") if part]
