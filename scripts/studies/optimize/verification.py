# SPDX-License-Identifier: GPL-2.0-only
"""Simulates allocations, and goes on where a neighbour of the best one is better."""

import dataclasses
import enum

from ..points import Point, configure_all
from .candidates import around, around_jointly

LEAST_GAIN = 1e-4  # a neighbour that is better by less counts as equal
ROUNDS = 20


def link_text(bandwidth, dimension):
    """Of a link, as a configuration has it; `bandwidth` is an NPU's over all its links."""
    return f"{bandwidth / dimension.links:.6f}".rstrip("0").rstrip(".") + " GB/s"


def settings_of(study, dimensions, allocation):
    """{path: text} of the bandwidths that are chosen."""
    return {f"network.dimensions[{one}].bandwidth": link_text(allocation[one], dimensions[one])
            for one in study.dimensions}


class End(enum.Enum):
    """Why a search ended."""

    NONE_BETTER = enum.auto()  # no neighbour of the best allocation is better than it
    OUT_OF_STEPS = enum.auto()  # a neighbour is still better, but ROUNDS steps are done
    NOT_ALL_SIMULATED = enum.auto()  # simulations failed or were interrupted


@dataclasses.dataclass
class Search:
    """What the simulations came to. `best` is the best allowed allocation that was simulated, or
    None where there is none."""

    candidates: list
    best: object
    rounds: int
    is_complete: bool
    end: End


class Simulations:
    """Runs the configurations of a study at allocations, with the machinery of a sweep."""

    def __init__(self, study, inputs, model, runner, store):
        self.study = study
        self.inputs = inputs
        self.model = model
        self.runner = runner
        self.store = store
        self.points = {}  # by id
        self.configs = {str(number): one for number, one in enumerate(study.workloads)
                        if one.config}
        runner.base_of = self.base_of

    def base_of(self, point):
        return self.configs[point.coordinates["workload"]].config

    def run(self, candidates):
        """Fills in their times. Returns whether nothing stopped it."""
        points = {id(one): self.points_of(one) for one in candidates}
        whole = [point for own in points.values() for point in own]
        configure_all(whole, self.base_of, self.runner.simulator)
        self.points |= {point.id: point for point in whole}
        is_complete = self.runner.run_missing(whole, self.store)
        for candidate in candidates:
            self.read(candidate, points[id(candidate)])
        return is_complete

    def points_of(self, candidate):
        settings = settings_of(self.study, self.inputs.dimensions, candidate.allocation)
        return [Point({"workload": number, "allocation": candidate.name} | settings,
                      [f"{path}={text}" for path, text in settings.items()])
                for number in self.configs]

    def read(self, candidate, points):
        """The time of a workload that is not simulated is the model's."""
        results = self.store.load_all(points)
        failed = [one.status for one in results if one.status != "done"]
        candidate.status = failed[0] if failed else "done"
        if failed:
            return
        simulated = dict(zip(self.configs, results))
        candidate.time = 0.0
        for number, workload in enumerate(self.model.workloads):
            result = simulated.get(str(number))
            candidate.time += workload.weight * (
                float(result.summary["finish_time_ns"]) if result
                else workload.time(candidate.allocation))


def search(simulations, optimum, equal, model, region):
    """Simulates the optimum, its neighbours and the equal split; then the neighbours of the best
    one, as long as one of them is better. Those with several bandwidths raised are simulated where
    none with a single one is better."""
    goal = simulations.study.goal
    candidates, rounds, is_complete = [], 0, True
    center, best = optimum, optimum
    new, joint = [optimum, equal, *around(optimum, model, region)], None
    while True:
        candidates += new
        is_complete = simulations.run(new)
        better = best_simulated(candidates, goal)
        if not is_complete or any(one.time is None for one in new):
            return Search(candidates, better, rounds, is_complete, End.NOT_ALL_SIMULATED)
        if is_clearly_better(better, best, goal):
            if rounds == ROUNDS:
                return Search(candidates, better, rounds, True, End.OUT_OF_STEPS)
            best, rounds = better, rounds + 1
            center = dataclasses.replace(best, name=f"step {rounds}")
            new, joint = around(center, model, region), None
        elif joint is None and (joint := around_jointly(center, model, region)):
            new = joint
        else:
            return Search(candidates, best, rounds, True, End.NONE_BETTER)


def best_simulated(candidates, goal):
    """The best allowed one of those that were simulated; None where there is none."""
    simulated = [one for one in candidates if one.is_allowed and one.time is not None]
    return min(simulated, key=lambda one: one.value(goal, one.time), default=None)


def is_clearly_better(one, other, goal):
    return one.value(goal, one.time) <= (1 - LEAST_GAIN) * other.value(goal, other.time)
