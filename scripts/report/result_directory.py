# SPDX-License-Identifier: GPL-2.0-only
"""The files of one run, each read once and when it is needed."""

import functools
import json

from studies.errors import StudyError, UsageError
from studies.yaml_tree import read_yaml

from .problems import DamagedResult, NewerResult
from .result_tables import read_table

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


class ResultDirectory:
    """A result of `nadi run`. `version` is that of this program, such as "0.1.0+g1a2b3c4".

    Throws UsageError for a directory that holds none, DamagedResult and NewerResult."""

    def __init__(self, path, version):
        self.path = path
        self.summary = read_summary(path)
        check_version(path / "summary.json", self.summary["version"], version)
        self.table = functools.cache(self.read_table)

    @property
    def status(self):
        return self.summary["status"]

    @functools.cached_property
    def config(self):
        """The effective configuration, in dictionaries, lists and texts."""
        file = self.path / "config.yaml"
        try:
            return read_yaml(file, str(file)).mapping("the configuration")
        except StudyError as error:
            raise DamagedResult(file, "is no configuration") from error

    def setting(self, *keys):
        """The value of a key as plain text, list or mapping; None where it is absent."""
        place = {key: value.plain() for key, value in self.config.items()}
        for key in keys:
            place = place.get(key) if isinstance(place, dict) else None
        return place

    def read_table(self, name):
        """The rows; None where the run left no such file."""
        file = self.path / f"{name}.csv"
        if not file.exists():
            return None
        only = NEEDED[name] if name in ("flows", "series") else None
        rows = read_table(file, NEEDED[name], only)
        if name == "ranks" and len(rows) != self.summary["ranks"]:
            raise DamagedResult(file, f"has {len(rows)} ranks, but summary.json says "
                                f"{self.summary['ranks']}")
        return rows

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

    @property
    def slowest(self):
        """The number of the slowest rank: of several, the lowest."""
        return int(self.table("ranks").finish_ns.to_numpy().argmax())


def read_summary(path):
    file = path / "summary.json"
    if not file.exists() or not (path / "config.yaml").exists():
        raise UsageError(f'"{path}" holds no result: config.yaml and summary.json are what a run '
                         "leaves; name such a directory")
    summary = read_json(file)
    missing = [name for name in SUMMARY if name not in summary]
    if missing:
        raise DamagedResult(file, f"has no field {missing[0]}")
    if summary["status"] not in STATES:
        raise DamagedResult(file, f"has a status other than {', '.join(STATES)}")
    return summary


def read_json(file):
    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedResult(file, "is no JSON, or is cut off") from error
    if not isinstance(fields, dict):
        raise DamagedResult(file, "is no mapping")
    return fields


def check_version(file, version, own):
    """A version counts up to its commit: 0.1.0+g1a2b3c4 is as new as 0.1.0."""
    if numbers_of(version) > numbers_of(own):
        raise NewerResult(file, version, own)


def numbers_of(version):
    parts = str(version).split("+")[0].split("-")[0].split(".")
    return tuple(int(part) if part.isdigit() else 0 for part in parts)
