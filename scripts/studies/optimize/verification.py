# SPDX-License-Identifier: GPL-2.0-only
"""Simulates allocations, and goes on where a neighbour of the best one is better."""

import dataclasses

from ..points import Point, configure_all
from .candidates import around

LEAST_GAIN = 1e-4  # a neighbour that is better by less counts as equal
ROUNDS = 20


def link_text(bandwidth, dimension):
    """Of a link, as a configuration has it; `bandwidth` is an NPU's over all its links."""
    return f"{bandwidth / dimension.links:.6f}".rstrip("0").rstrip(".") + " GB/s"


def settings_of(study, dimensions, allocation):
    """{path: text} of the bandwidths that are chosen."""
    return {f"network.dimensions[{one}].bandwidth": link_text(allocation[one], dimensions[one])
            for one in study.dimensions}


@dataclasses.dataclass
class Search:
    """What the simulations came to. `best` is the allowed allocation whose neighbours are not
    better, or None where simulations failed or were interrupted."""

    candidates: list
    best: object
    rounds: int
    is_complete: bool


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
    one, as long as one of them is better."""
    goal = simulations.study.goal
    candidates = [optimum, equal, *around(optimum, model, region)]
    is_complete = simulations.run(candidates)
    best, rounds = optimum, 0
    while is_complete and all(one.time is not None for one in candidates):
        better = min((one for one in candidates if one.is_allowed),
                     key=lambda one: one.value(goal, one.time))
        if better.value(goal, better.time) > (1 - LEAST_GAIN) * best.value(goal, best.time):
            return Search(candidates, best, rounds, True)
        if rounds == ROUNDS:
            break
        best, rounds = better, rounds + 1
        center = dataclasses.replace(best, name=f"step {rounds}")
        new = around(center, model, region)
        candidates += new
        is_complete = simulations.run(new)
    return Search(candidates, None, rounds, is_complete)
