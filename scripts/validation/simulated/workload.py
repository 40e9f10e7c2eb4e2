# SPDX-License-Identifier: GPL-2.0-only
"""A row of a measured table as a workload, and where its time stands in the results."""

import dataclasses

from studies.tables import read_rows

COUNTS_ALL = ("all-gather",)  # whose size is the shard of a rank unless the configuration says so


def make_workload(side, size):
    """The section `workload` for a size in bytes, as nccl-tests counts it."""
    ranks = {"ranks": str(side.ranks)}
    if side.collective == "send-receive":
        return ranks | {"flows": [
            {"src": rank, "dst": (rank + 1) % side.ranks, "size": f"{size} B"}
            for rank in range(side.ranks)
        ]}
    call = {"type": side.collective, "size": f"{size} B"}
    if side.collective in COUNTS_ALL:
        call["size-means"] = "total"
    return ranks | {"collective": call}


def bytes_sent(side, size):
    """By all ranks together, of an algorithm that sends nothing twice."""
    if side.collective == "send-receive":
        return side.ranks * size
    rounds = 2 if side.collective == "all-reduce" else 1
    return rounds * (side.ranks - 1) * size


@dataclasses.dataclass(frozen=True)
class Simulated:
    """What a run says of a row. What ran is empty where the library does not say it."""

    time: float  # us
    algorithm: str = ""
    protocol: str = ""
    channels: str = ""


def read_simulated(directory, summary):
    """Of the results of a run; `summary` has the fields of its summary.json."""
    calls = read_rows(directory / "collectives.csv")
    if not calls:
        return Simulated(float(summary["finish_time_ns"]) / 1e3, "send-receive")
    call = calls[0]
    return Simulated(float(call["duration_ns"]) / 1e3, *(call.get(name, "") for name in (
        "algorithm", "protocol", "channels")))
