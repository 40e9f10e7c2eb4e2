# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi optimize` does."""

import os
import pathlib
import sys

from ..closing import exit_code
from ..entry import run_command
from ..errors import EXIT_DONE, EXIT_INTERRUPTED, StudyError
from ..interrupts import held_interrupts
from ..runner import Runner
from ..store import Store
from .arguments import parse_arguments
from .candidates import equal_split, make_candidate
from .cost_search import minimize_time_cost
from .inputs import read_inputs
from .model import Model, cost_of_dimensions, terms_of
from .region import make_region
from .report import Report
from .solver import minimize_time
from .study import read_study
from .verification import Simulations, search


def main(words):
    return run_command("optimize", lambda: run(parse_arguments(words)))


def run(arguments):
    binary = os.path.abspath(arguments.simulator)
    study = read_study(arguments.study)
    out = arguments.out or pathlib.Path("results", study.file.stem)
    store = Store(out.resolve(), of="bandwidth optimisation")
    store.check()
    optimization = Optimization(study, read_inputs(study, binary))
    store.prepare()
    with store.lock():
        runner = Runner(binary, None, arguments.workers, arguments.scheduler,
                        points="simulations", table="allocations.csv")
        optimization.verify(runner, store)
        if optimization.is_interrupted:
            return EXIT_INTERRUPTED  # the runner has said so; what is finished is kept
        optimization.write(store.out, binary)
    print("\n".join(optimization.report.lines(out)))
    return optimization.exit_code(store)


class Optimization:
    """One study: its model, the optimum of the model, and what the simulations say."""

    def __init__(self, study, inputs):
        """Throws StudyError where no allocation is allowed."""
        costs = study.prices and cost_of_dimensions(inputs.dimensions, study.prices)
        self.study = study
        self.inputs = inputs
        self.model = Model(tuple(terms_of(one, workload.weight) for one, workload
                                 in zip(inputs.demands, study.workloads)), costs)
        if not any(len(rank.counts) for one in self.model.workloads for rank in one.ranks):
            raise StudyError(study.where, "optimize: workloads: they send nothing over the "
                             "network; name one that communicates")
        self.region = make_region(study, inputs.dimensions, inputs.given)
        minimize = minimize_time if study.goal == "time" else minimize_time_cost
        self.optimum = minimize(self.model, self.region)
        self.candidates = [self.candidate("optimum", self.optimum.allocation),
                           self.candidate("equal split", equal_split(self.region))]
        self.search = None
        self.simulations = None

    def candidate(self, name, allocation):
        return make_candidate(name, allocation, self.model, self.region)

    def verify(self, runner, store):
        """Does nothing where only demands are known, which nobody can simulate."""
        if not any(one.config for one in self.study.workloads):
            return
        self.simulations = Simulations(self.study, self.inputs, self.model, runner, store)
        self.search = search(self.simulations, *self.candidates, self.model, self.region)
        self.candidates = self.search.candidates

    @property
    def is_interrupted(self):
        return self.search is not None and not self.search.is_complete

    def write(self, out, binary):
        self.report = Report(self.study, self.inputs, self.optimum, self.candidates, self.search)
        self.report.write(out, binary)
        if self.model.costs is None:
            print("nadi: without tiers and prices there is no figure of time against cost",
                  file=sys.stderr)
            return
        with held_interrupts():
            from .figure import draw_costs  # matplotlib takes a second to load
            from .frontier import frontier

        line = frontier(self.model, self.region, max(one.cost for one in self.candidates))
        draw_costs(self.candidates, self.report.best, line, out / "plots")

    def exit_code(self, store):
        """That of the first simulation that failed."""
        if self.search is None:
            return EXIT_DONE
        results = store.load_all(self.simulations.points.values())
        codes = [exit_code(one.exit_code) for one in results if one.status != "done"]
        return codes[0] if codes else EXIT_DONE
