# SPDX-License-Identifier: GPL-2.0-only
"""The study of an optimisation: which bandwidths, what is to be least, under which conditions."""

import dataclasses
import pathlib

from ..quantities import parse_number
from ..study import check_known, read_base
from ..yaml_tree import read_yaml
from .linear import dimension_of, parse_constraint, rate_of

KEYS = ["bandwidths", "minimize", "total", "constraints", "tiers", "prices", "workloads"]
REQUIRED = ["bandwidths", "minimize", "total"]
GOALS = ["time", "time x cost"]
PARTS = ["link", "switch", "nic"]


@dataclasses.dataclass
class Workload:
    """`config` or `demands` is the file, the other is None."""

    name: str
    where: str
    config: pathlib.Path
    demands: pathlib.Path
    weight: float


@dataclasses.dataclass
class OptimizeStudy:
    file: pathlib.Path
    where: str
    dimensions: list  # those whose bandwidths are chosen
    goal: str  # one of GOALS
    total: float  # GB/s of an NPU over all its links in all dimensions
    total_text: str
    constraints: list
    prices: list  # {part: $ per GB/s}, by dimension; None: nobody says
    workloads: list


def read_study(file):
    """Throws StudyError."""
    file = pathlib.Path(file)
    root = read_yaml(file, "nadi optimize")
    entries = root.mapping("a study")
    check_known(entries, ["base", "optimize"], "")
    if "optimize" not in entries:
        root.fail("optimize is missing; write what to choose: optimize: {bandwidths: [...], ...}")
    return Reader(file, entries).read()


class Reader:
    """Reads one study."""

    def __init__(self, file, entries):
        self.file = file
        self.base = entries.get("base")
        self.root = entries["optimize"]
        self.entries = self.root.mapping("optimize")
        check_known(self.entries, KEYS, "optimize: ")

    def read(self):
        for key in REQUIRED:
            if key not in self.entries:
                self.root.fail(f"optimize: {key} is missing; write {key}: ...")
        return OptimizeStudy(
            file=self.file,
            where=self.root.where,
            dimensions=self.read_bandwidths(),
            goal=self.read_goal(),
            total=self.read_total(),
            total_text=self.entries["total"].text,
            constraints=[self.read_constraint(item) for item in self.list_of("constraints")],
            prices=self.read_prices(),
            workloads=self.read_workloads(),
        )

    def list_of(self, key):
        return self.entries[key].list(f"optimize: {key}") if key in self.entries else []

    def read_bandwidths(self):
        found = []
        for item in self.list_of("bandwidths"):
            path = item.scalar("optimize: bandwidths")
            dimension = dimension_of(path)
            if dimension is None or dimension in found:
                item.fail(f'optimize: bandwidths: "{path}" is not the bandwidth of another '
                          "dimension; write such as network.dimensions[0].bandwidth")
            found.append(dimension)
        if not found:
            self.entries["bandwidths"].fail("optimize: bandwidths: no keys; write at least one")
        return found

    def read_goal(self):
        text = self.entries["minimize"].scalar("optimize: minimize")
        if text not in GOALS:
            self.entries["minimize"].fail(
                f'optimize: minimize: "{text}" is not valid; write {" or ".join(GOALS)}')
        if text == "time x cost" and "prices" not in self.entries:
            self.entries["minimize"].fail("optimize: minimize: cost needs tiers and prices; write "
                                          "them too")
        return text

    def read_total(self):
        text = self.entries["total"].scalar("optimize: total")
        rate = rate_of(text)
        if not rate or rate < 0:
            self.entries["total"].fail(f'optimize: total: "{text}" is no bandwidth above 0; write '
                                       "such as 500 GB/s")
        return rate

    def read_constraint(self, item):
        text = item.scalar("optimize: constraints")
        constraint = parse_constraint(text)
        if isinstance(constraint, str):
            item.fail(f'optimize: constraints: "{text}": {constraint}; write such as '
                      "network.dimensions[1].bandwidth <= 100 GB/s")
        return constraint

    def read_prices(self):
        if ("tiers" in self.entries) != ("prices" in self.entries):
            self.root.fail("optimize: tiers and prices belong together; write both or none")
        if "tiers" not in self.entries:
            return None
        prices = {tier: self.read_tier(tier, value) for tier, value
                  in self.entries["prices"].mapping("optimize: prices").items()}
        tiers = self.list_of("tiers")
        for item in tiers:
            if item.scalar("optimize: tiers") not in prices:
                item.fail(f'optimize: tiers: "{item.text}" has no price; known: '
                          f"{', '.join(prices)}")
        if not any(any(prices[item.text].values()) for item in tiers):
            self.entries["prices"].fail("optimize: prices: all parts are free; write a price above "
                                        "0")
        return [prices[item.text] for item in tiers]

    def read_tier(self, tier, value):
        parts = value.mapping(f"optimize: prices: {tier}")
        check_known(parts, PARTS, f"optimize: prices: {tier}: ")
        return {part: self.read_number(f"prices: {tier}: {part}", item)
                for part, item in parts.items()}

    def read_number(self, place, item):
        text = item.scalar(f"optimize: {place}")
        number = parse_number(text)
        if number is None or number < 0:
            item.fail(f'optimize: {place}: "{text}" is no number from 0; write one')
        return number

    def read_workloads(self):
        items = self.list_of("workloads")
        if (self.base is None) == (not items):
            self.root.fail("optimize: workloads: either these or base say what runs; write one of "
                           "them")
        if not items:
            base = read_base(self.file, self.base)
            return [Workload(base.stem, self.base.where, base, None, 1.0)]
        return [self.read_workload(item) for item in items]

    def read_workload(self, item):
        entries = item.mapping("optimize: a workload")
        check_known(entries, ["config", "demands", "weight"], "optimize: workloads: ")
        if ("config" in entries) == ("demands" in entries):
            item.fail("optimize: workloads: write config or demands, and only one of them")
        weight = 1.0
        if "weight" in entries:
            weight = self.read_number("workloads: weight", entries["weight"])
            if not weight:
                entries["weight"].fail("optimize: workloads: weight: 0 leaves the workload out; "
                                       "write a number above 0")
        if "config" in entries:
            config = read_base(self.file, entries["config"])
            return Workload(config.stem, item.where, config, None, weight)
        name = entries["demands"].scalar("optimize: workloads: demands")
        demands = self.file.parent / name
        return Workload(demands.stem, entries["demands"].where, None, demands, weight)
