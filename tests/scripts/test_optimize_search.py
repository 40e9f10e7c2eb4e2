#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The search of `nadi optimize` from the model's optimum, over times that a formula says in place of
the simulator, and what it says of its end."""

import math
import types
import unittest

import numpy
from optimize_bench import OptimizeBench

from studies.optimize.candidates import make_candidate
from studies.optimize.demands import Dimension
from studies.optimize.model import Model, RankTerms, WorkloadTerms
from studies.optimize.region import make_region
from studies.optimize.report import Report
from studies.optimize.verification import ROUNDS, End, search

TOTAL = 100.0  # GB/s


class FormulaSimulations:
    """Takes the time of an allocation from `time_of`, where NaN is a simulation that failed."""

    def __init__(self, study, time_of):
        self.study = study
        self.time_of = time_of

    def run(self, candidates):
        for one in candidates:
            time = self.time_of(one.allocation)
            one.time, one.status = (None, "failed") if math.isnan(time) else (time, "done")
        return True


class Steps(OptimizeBench):
    def search_from(self, optimum, time_of):
        """(search, report) over times of `time_of`; the equal split counts as the optimum does."""
        study = types.SimpleNamespace(goal="time", total=TOTAL, total_text="100 GB/s",
                                      where="study.yaml:1", constraints=[],
                                      dimensions=list(range(len(optimum))))
        dimensions = [Dimension("switch", 2, 1) for _ in optimum]
        region = make_region(study, dimensions, {})
        model = Model((WorkloadTerms(1.0, (RankTerms(1e6, (), ()),)),), None)
        start = make_candidate("optimum", numpy.array(optimum), model, region)
        equal = make_candidate("equal split", numpy.array(optimum), model, region)
        found = search(FormulaSimulations(study, time_of), start, equal, model, region)
        inputs = types.SimpleNamespace(dimensions=dimensions)
        bound = types.SimpleNamespace(gap=0.0)
        return found, Report(study, inputs, bound, found.candidates, found)

    def verdict(self, report):
        return " ".join(report.verdict())

    def test_where_its_steps_are_over_the_best_allocation_is_kept_and_the_reason_is_told(self):
        found, report = self.search_from([0.5, 99.5], lambda given: 1e8 / given[0])
        self.assertEqual((found.end, found.rounds), (End.OUT_OF_STEPS, ROUNDS))
        times = [one.time for one in found.candidates]
        self.assertEqual(report.fields()["time_ns"], min(times))
        self.assertLess(min(times), times[0] / 1.1**ROUNDS)
        self.assertAlmostEqual(report.fields()["bandwidths"][0], 1e8 / min(times), places=6)
        self.assertFalse(report.fields()["verified"])
        told = self.verdict(report)
        self.assertIn(f"the search stopped after {ROUNDS} steps, and a neighbour is still better",
                      told)
        self.assertIn(f"{min(times) / 1e6:.6g} ms", told)
        self.assertNotIn("failed", told)

    def test_a_simulation_that_fails_leaves_the_best_of_the_others(self):
        found, report = self.search_from(
            [50.0, 50.0], lambda given: math.nan if given[1] > 54 else 1e8 / given[0])
        self.assertEqual(found.end, End.NOT_ALL_SIMULATED)
        self.assertAlmostEqual(report.fields()["bandwidths"][0], 55)
        self.assertAlmostEqual(report.fields()["time_ns"], 1e8 / 55)
        self.assertFalse(report.fields()["verified"])
        self.assertIn("simulations failed", self.verdict(report))
        self.assertIn("The best of those that were simulated: 55 GB/s", self.verdict(report))

    def test_dimensions_that_limit_the_time_together_are_raised_together(self):
        demands = numpy.array([10.0, 30.0, 60.0])  # the time is least in proportion to them
        found, report = self.search_from([40.0, 20.0, 40.0],  # dimensions 1 and 2 take 1.5e6
                                         lambda given: 1e6 * float((demands / given).max()))
        self.assertEqual(found.end, End.NONE_BETTER)
        self.assertIn("optimum, dimensions 1 and 2 +10 %", [one.name for one in found.candidates])
        self.assertLess(report.fields()["time_ns"], 1.1e6)
        self.assertTrue(report.fields()["verified"])

    def test_the_verdict_tells_the_optimum_of_the_model_from_where_the_search_ended(self):
        found, report = self.search_from([50.0, 50.0], lambda given: 1e6 + abs(given[0] - 54) * 1e4)
        first, second = report.verdict()
        count = len(found.candidates)
        self.assertRegex(first, f"^Verified by {count} simulated allocations. Simulation takes ")
        self.assertRegex(second, "^A neighbour of the model's optimum was better; after "
                         f"{found.rounds} steps?, at .* of a link ..* ms., no neighbour is.$")
        _, report = self.search_from([50.0, 50.0], lambda given: 1e6 + abs(given[0] - 50) * 1e4)
        (only,) = report.verdict()
        self.assertIn(" simulated allocations: no neighbour is better. Simulation takes ", only)

    def test_all_but_one_are_raised_together_too(self):
        demands = numpy.array([10.0, 20.0, 30.0, 40.0])
        found, _ = self.search_from([55.0, 10.0, 15.0, 20.0],
                                    lambda given: 1e6 * float((demands / given).max()))
        self.assertIn("optimum, dimensions 1 and 2 and 3 +10 %",
                      [one.name for one in found.candidates])
        self.assertLess(found.best.time, 1.1e6)


if __name__ == "__main__":
    unittest.main()
