# SPDX-License-Identifier: GPL-2.0-only
"""A result as comparisons see it: times are whole picoseconds."""

from ..results.problems import DamagedResult
from ..results.result_directory import ResultDirectory

PARTS = ("compute_ns", "exposed_communication_ns", "idle_ns")


class Run(ResultDirectory):
    """A result whose parts add up. Throws as ResultDirectory does."""

    def __init__(self, path, version):
        super().__init__(path, version)
        if sum(self.time(name) for name in PARTS) != self.finish:
            raise DamagedResult(path / "summary.json", "compute_ns, exposed_communication_ns and "
                                "idle_ns do not add up to finish_time_ns")

    @property
    def finish(self):
        return self.time("finish_time_ns")

    @property
    def ranks(self):
        return self.summary["ranks"]

    @property
    def communication_by_type(self):
        """Exposed time of the slowest rank by type: {type: ps}; None where the result does not say.
        By breakdown.csv they add up to all of it; without this file, a moment counts for each type
        that is in progress."""
        if self.has("breakdown"):
            return self.exposed_of(self.slowest)
        if not isinstance(self.summary.get("communication_by_type"), dict):
            return None
        return {kind: self.time("communication_by_type", kind, "exposed_communication_ns")
                for kind in self.summary["communication_by_type"]}

    def exposed_of(self, rank):
        """By breakdown.csv: {type: ps}."""
        exposed = {}
        for row in self.exact_rows("breakdown"):
            if row["rank"] == str(rank):
                exposed[row["type"]] = exposed.get(row["type"], 0) + row["exposed_ns"]
        return exposed
