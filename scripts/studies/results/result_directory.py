# SPDX-License-Identifier: GPL-2.0-only
"""The files of one run, each read once and when it is needed."""

import functools
import json
import re

import yaml

from ..errors import UsageError
from ..identity import parse
from ..interrupts import held_interrupts
from .csv_columns import read_columns
from .exact_rows import exact_rows, picoseconds
from .problems import DamagedResult, NewerResult

NEEDED = {
    "ranks": ("rank", "finish_ns", "compute_ns", "communication_ns", "exposed_communication_ns",
              "idle_ns", "bytes_sent"),
    "collectives": ("id", "name", "type", "algorithm", "communicator", "ranks", "size_bytes",
                    "nccl_size_bytes", "start_ns", "end_ns", "duration_ns", "algbw_GBps",
                    "busbw_GBps", "lower_bound_ns"),
    "communication": ("rank", "type", "communicator", "calls", "size_bytes", "communication_ns",
                      "exposed_communication_ns"),
    "breakdown": ("rank", "type", "communicator", "calls", "bytes", "communication_ns",
                  "exposed_ns"),
    "links": ("from", "to", "bandwidth_gbps", "bytes", "packets", "utilization", "max_queue_bytes",
              "ecn_marks", "pauses", "paused_ns", "drops", "retransmitted_bytes"),
    "flows": ("size_bytes", "start_ns", "end_ns", "fct_ns", "ideal_fct_ns", "slowdown"),
    "series": ("time_ns", "from", "to", "queue_bytes", "utilization"),
}  # fmt: skip
SUMMARY = ("status", "exit_reason", "finish_time_ns", "backend", "ranks", "compute_ns",
           "communication_ns", "exposed_communication_ns", "idle_ns", "bytes_sent", "packets",
           "version", "mechanisms", "warnings")  # fmt: skip
STATES = ("done", "stuck", "interrupted")
ALWAYS = ("ranks",)  # tables that every run leaves
SELECTED = ("flows", "series")  # tables that can be very long: only the needed columns are kept


class ResultDirectory:
    """A result of `nadi run`, or of a point of a sweep. `version` is that of this program, such as
    "0.1.0+g1a2b3c4".

    Throws UsageError for a directory that holds none, DamagedResult and NewerResult."""

    def __init__(self, path, version):
        self.path = path
        self.summary = read_summary(path)
        check_version(path / "summary.json", self.summary["version"], version)
        self.table = functools.cache(self.read_table)
        self.exact_rows = functools.cache(self.read_exact_rows)

    @property
    def status(self):
        return self.summary["status"]

    @functools.cached_property
    def exact_summary(self):
        """Its numbers are texts as the file has them."""
        return read_json(self.path / "summary.json", parse_float=str, parse_int=str)

    def time(self, name, *below):
        """A time of the summary in ps, exactly. `below` are the fields that lead on to it."""
        value = self.exact_summary[name]
        for one in below:
            value = value.get(one) if isinstance(value, dict) else None
        return picoseconds(value, self.path / "summary.json", ".".join((name, *below)))

    @functools.cached_property
    def configuration(self):
        """The effective one, in dictionaries, lists and texts."""
        file = self.path / "config.yaml"
        try:
            found = parse(file.read_text(encoding="utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise DamagedResult(file, "is no configuration") from error
        if not isinstance(found, dict):
            raise DamagedResult(file, "is no configuration")
        return found

    def setting(self, *keys):
        """The value of a key as plain text, list or mapping; None where it is absent."""
        place = self.configuration
        for key in keys:
            place = place.get(key) if isinstance(place, dict) else None
        return place

    def has(self, name):
        """Whether the run left this table."""
        return self.file_of(name).exists()

    def file_of(self, name):
        return self.path / f"{name}.csv"

    def read_columns(self, name):
        file = self.file_of(name)
        if not file.exists():
            raise DamagedResult(file, "is missing")
        columns = read_columns(file, NEEDED[name], NEEDED[name] if name in SELECTED else None)
        if name == "ranks" and len(columns["rank"]) != self.summary["ranks"]:
            raise DamagedResult(file, f"has {len(columns['rank'])} ranks, but summary.json says "
                                f"{self.summary['ranks']}")
        return columns

    def read_table(self, name):
        """The rows as a table of pandas; None where the run left no such file, which it may.
        Throws DamagedResult."""
        with held_interrupts():
            from .number_table import number_table  # pandas takes half a second to load

        if name not in ALWAYS and not self.has(name):
            return None
        return number_table(self.file_of(name), self.read_columns(name))

    def read_exact_rows(self, name):
        """The rows, with times in ps. Throws DamagedResult, as where there is no such file."""
        return exact_rows(self.file_of(name), self.read_columns(name))

    @functools.cached_property
    def waits(self):
        """Who waits for whom; None where the job was not stuck."""
        file = self.path / "waits.json"
        if not file.exists():
            return None
        waits = read_json(file)
        for name in ("causes", "cycle", "ranks"):
            if not isinstance(waits.get(name), list):
                raise DamagedResult(file, f"has no list {name}")
        return waits

    @functools.cached_property
    def slowest(self):
        """The number of the slowest rank: of several, the lowest."""
        rows = self.exact_rows("ranks")
        return max(range(len(rows)), key=lambda rank: (rows[rank]["finish_ns"], -rank))


def read_summary(path):
    if (path / "points").is_dir():
        raise UsageError(f'"{path}" holds the results of a sweep; name its points, such as '
                         f'{path / "points" / "<id>"}')
    file = path / "summary.json"
    if not file.exists() or not (path / "config.yaml").exists():
        raise UsageError(f'"{path}" holds no result: a run leaves config.yaml and summary.json; '
                         "name such a directory")
    summary = read_json(file)
    missing = [name for name in SUMMARY if name not in summary]
    if missing:
        raise DamagedResult(file, f"has no field {missing[0]}")
    if summary["status"] not in STATES:
        raise DamagedResult(file, f"has a status other than {', '.join(STATES)}")
    return summary


def read_json(file, **readers):
    """The fields of a mapping; `readers` as json.loads has them."""
    try:
        fields = json.loads(file.read_text(encoding="utf-8"), **readers)
    except (ValueError, RecursionError) as error:
        raise DamagedResult(file, "is no JSON, or is cut off") from error
    if not isinstance(fields, dict):
        raise DamagedResult(file, "is no mapping")
    return fields


def check_version(file, version, own):
    """A version counts up to its commit: 0.1.0+g1a2b3c4 is as new as 0.1.0."""
    if numbers_of(version) > numbers_of(own):
        raise NewerResult(file, version, own)


def numbers_of(version):
    return [int(part) for part in re.match(r"[\d.]*", str(version))[0].split(".") if part]
