# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a table of measured iterations: how the model was spread over ranks, and its time."""

import csv
import dataclasses
import json

from ..refusal import Refusal

COLUMNS = ("cluster", "nodes", "pp_stages", "dp", "tp", "mbs", "gbs", "iter_time_s",
           "layers_per_stage")
MS_PER_S = 1e3


@dataclasses.dataclass(frozen=True)
class Plan:
    """`batch` and `micro_batch` count sequences; `stages` has the layers of each pipeline stage,
    where the embedding and the head count as layers too."""

    nodes: int
    pp: int
    dp: int
    tp: int
    batch: int
    micro_batch: int
    stages: tuple

    @property
    def micro_batches(self):
        """Of one copy of the model."""
        return self.batch // (self.dp * self.micro_batch)

    @property
    def layer_passes(self):
        """How many passes of a layer, forward and backward, follow one another in an iteration: all
        of the longest stage, and once those of each other stage, while the pipeline fills and
        drains."""
        longest = max(self.stages)
        return self.micro_batches * longest + sum(self.stages) - longest

    def workload(self):
        """The keys of workload.generate that are the plan's."""
        return {"batch": str(self.batch), "micro-batch": str(self.micro_batch),
                "tp": str(self.tp), "pp": str(self.pp), "dp": str(self.dp)}

    def describe(self):
        return (f"{self.nodes}n pp{self.pp} dp{self.dp} tp{self.tp} "
                f"mbs{self.micro_batch} gbs{self.batch}")


def read_plans(file, cluster):
    """([(plan, measured ms)] of a cluster, names of the other clusters). Throws Refusal."""
    with open(file, newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise Refusal(f'{file.name} has no column "{missing[0]}"; it needs '
                          f"{', '.join(COLUMNS)}")
        rows = list(enumerate(reader, 2))
    others = sorted({row["cluster"] for _, row in rows if row["cluster"] != cluster})
    found = [read_row(f"{file.name}:{line}", row) for line, row in rows
             if row["cluster"] == cluster]
    if not found:
        raise Refusal(f'{file.name} has no row of the cluster "{cluster}"; it has '
                      f"{', '.join(others)}")
    return found, others


def read_row(where, row):
    """Throws Refusal."""
    try:
        copies = [int(one) for one in row["dp"].split("x")]
        stages = tuple(int(one) for one in json.loads(row["layers_per_stage"]))
        plan = Plan(*(int(row[name]) for name in ("nodes", "pp_stages")), copies[0],
                    *(int(row[name]) for name in ("tp", "gbs", "mbs")), stages)
        measured = float(row["iter_time_s"]) * MS_PER_S
    except (ValueError, TypeError) as error:
        raise Refusal(f"{where}: {error}; write numbers as in the other rows") from error
    check_plan(where, plan, copies, measured)
    return plan, measured


def check_plan(where, plan, copies, measured):
    if min(plan.nodes, plan.pp, plan.tp, plan.batch, plan.micro_batch, *copies) < 1:
        raise Refusal(f"{where}: a count is below 1; every count is at least 1")
    if len(plan.stages) != plan.pp:
        raise Refusal(f"{where}: layers_per_stage has {len(plan.stages)} stages, pp_stages "
                      f"{plan.pp}; both count the stages")
    if len(set(copies)) != 1 or len(copies) not in (1, plan.pp):
        raise Refusal(f"{where}: the stages have different dp; the model has one dp for all")
    if plan.batch % (plan.dp * plan.micro_batch):
        raise Refusal(f"{where}: gbs is no multiple of dp * mbs; it must be one")
    if measured <= 0:
        raise Refusal(f"{where}: iter_time_s is not above 0; write the measured seconds")
