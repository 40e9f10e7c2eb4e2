#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The optimum of the model is the best there is: against LIBRA's cases and against other ways."""

import time
import unittest

import numpy
import scipy.optimize

from optimize_bench import OptimizeBench

from studies.optimize.cost_search import minimize_time_cost
from studies.optimize.demands import Call, Demands, Dimension, Rank
from studies.optimize.linear import parse_constraint
from studies.optimize.region import LEAST_SHARE
from studies.optimize.solver import minimize_time

# (workload, stack): equal split, best time and its bandwidths, gain of the best time x cost.
PUBLISHED = {
    ("GPT-3", "3D"): (770.742, 727.440, (397.5, 90.0, 12.46), 5.20),
    ("MSFT-1T", "3D"): (254.165, 209.686, (402.2, 23.5, 74.3), 4.50),
    ("Turing-NLG", "3D"): (336.930, 330.626, (468.9, 27.35, 3.79), 5.26),
    ("ResNet-50", "3D"): (1.669, 1.299, (468.9, 27.35, 3.79), 6.33),
    ("GPT-3", "4D"): (775.045, 722.412, (338.4, 84.6, 58.2, 18.8), 6.75),
    ("MSFT-1T", "4D"): (260.479, 209.686, (321.7, 93.8, 10.05, 74.4), 5.16),
    ("Turing-NLG", "4D"): (337.582, 330.626, (375.1, 109.4, 11.72, 3.79), 7.60),
    ("ResNet-50", "4D"): (1.707, 1.299, (375.1, 109.4, 11.72, 3.79), 7.89),
}


def random_demands(draws, dimensions):
    """Of workloads with several kinds of ranks."""
    sizes = tuple(Dimension("ring", 4, 2) for _ in range(dimensions))

    def rank():
        calls = [Call(tuple(draws.uniform(0, 1e9, dimensions) * (draws.random(dimensions) < 0.7)),
                      (numpy.inf,) * dimensions, draws.uniform(0, 1e4), draws.integers(1, 9))
                 for _ in range(draws.integers(1, 5))]
        return Rank(draws.uniform(0, 1e8), tuple(calls))

    return [Demands(sizes, tuple(rank() for _ in range(draws.integers(1, 4))))
            for _ in range(draws.integers(1, 3))]


def random_allocations(draws, region, count):
    """Allowed ones, of a region without further constraints."""
    shares = draws.dirichlet(numpy.ones(len(region.least)), count)
    return region.total * (LEAST_SHARE + (1 - len(region.least) * LEAST_SHARE) * shares)


class Libra(OptimizeBench):
    def test_the_published_cases_are_met_to_the_printed_digits(self):
        for (workload, stack), (equal, best, bandwidths, _) in PUBLISHED.items():
            model, region = self.libra_problem(workload, stack)
            optimum = minimize_time(model, region)
            split = numpy.full(len(bandwidths), 500 / len(bandwidths))
            self.assertAlmostEqual(model.time(split) / 1e6, equal, delta=5.1e-4)
            self.assertAlmostEqual(optimum.value / 1e6, best, delta=5.1e-4)
            self.assertLess(abs(optimum.allocation / bandwidths - 1).max(), 2e-3)
            self.assertLess(optimum.gap, 1e-9)

    def test_the_published_products_of_time_and_cost_are_reached_or_passed(self):
        """The product is flat where it is least, and the published ones have three digits."""
        for (workload, stack), (*_, gain) in PUBLISHED.items():
            model, region = self.libra_problem(workload, stack)
            optimum = minimize_time_cost(model, region)
            split = numpy.full(len(region.least), 500 / len(region.least))
            found = model.time(split) * model.cost(split) / optimum.value
            self.assertGreater(found, gain - 5.1e-3)
            self.assertLess(found, 1.01 * gain)
            self.assertLess(optimum.gap, 1e-6)

    def test_the_published_constraints_are_met(self):
        """500 GB/s in the first dimension, not more in the second than there, nor in the third than
        in the second; 200 GB/s in the last two. Constraints are on links: 2 of a ring's NPU, 7 of a
        fully connected one's."""
        texts = ["{0} = 250 GB/s", "2 * {0} >= 7 * {1}", "7 * {1} >= 2 * {2}",
                 "2 * {2} + {3} = 200 GB/s"]
        paths = [f"network.dimensions[{one}].bandwidth" for one in range(4)]
        constraints = [parse_constraint(text.format(*paths)) for text in texts]
        model, region = self.libra_problem("GPT-3", "4D", 1000.0, constraints)
        optimum = minimize_time(model, region)
        self.assertAlmostEqual(optimum.value / 1e6, 708.439, delta=5.1e-4)
        for found, published in zip(optimum.allocation, (500, 300, 151.18, 48.82)):
            self.assertAlmostEqual(found, published, delta=0.02)

    def test_one_all_reduce_gets_bandwidths_in_proportion_to_its_bytes(self):
        """The closed form of pure data parallelism."""
        moved = numpy.array([2e9 * 7 / 8, 2e9 / 8 * 127 / 128])
        demands = Demands((Dimension("ring", 8, 2), Dimension("switch", 128, 1)),
                          (Rank(0.0, (Call(tuple(moved), (2, 1), 0.0, 1),)),))
        optimum = minimize_time(*self.problem([demands], [{}, {}], 100.0))
        for found, exact in zip(optimum.allocation, 100 * moved / moved.sum()):
            self.assertAlmostEqual(found, exact, delta=1e-4)
        self.assertAlmostEqual(optimum.allocation[0], 87.59, delta=5e-3)

    def test_each_takes_less_than_a_second(self):
        begin = time.monotonic()
        model, region = self.libra_problem("MSFT-1T", "4D")
        minimize_time(model, region)
        minimize_time_cost(model, region)
        self.assertLess(time.monotonic() - begin, 2.0)


class Optimality(OptimizeBench):
    def setUp(self):
        super().setUp()
        self.draws = numpy.random.default_rng(18)

    def random_problem(self):
        dimensions = int(self.draws.integers(2, 5))
        prices = [{"link": price} for price in self.draws.uniform(1, 50, dimensions)]
        return self.problem(random_demands(self.draws, dimensions), prices, 300.0)

    def test_random_starts_of_another_solver_come_to_the_same_time(self):
        for _ in range(6):
            model, region = self.random_problem()
            optimum = minimize_time(model, region)
            for start in random_allocations(self.draws, region, 3):
                found = self.descend(model, region, start)
                self.assertGreater(found, optimum.value * (1 - 1e-9))
                self.assertLess(found, optimum.value * 1.02)

    def descend(self, model, region, start):
        """The best time that is found from a start without derivatives, in logarithms of shares."""
        def time_at(logarithms):
            shares = numpy.exp(logarithms - logarithms.max())
            return model.time(numpy.maximum(region.total * shares / shares.sum(), region.least))

        for _ in range(4):  # a simplex that has become flat begins anew
            done = scipy.optimize.minimize(time_at, numpy.log(start), method="Nelder-Mead",
                                           options={"maxfev": 1500, "xatol": 1e-9})
            start = numpy.exp(done.x - done.x.max())
        shares = start / start.sum()
        clipped = numpy.maximum(region.total * shares, region.least)
        return model.time(clipped * region.total / clipped.sum())

    def test_no_allocation_of_a_swept_neighbourhood_is_better(self):
        for _ in range(20):
            model, region = self.random_problem()
            for minimize, value in ((minimize_time, model.time),
                                    (minimize_time_cost,
                                     lambda one: model.time(one) * model.cost(one))):
                optimum = minimize(model, region)
                self.assertTrue(region.has(optimum.allocation))
                self.assertLess(optimum.gap, 1e-6)
                self.assertAlmostEqual(value(optimum.allocation) / optimum.value, 1.0, places=12)
                for other in random_allocations(self.draws, region, 100):
                    for share in (0.01, 0.1, 1.0):
                        moved = (1 - share) * optimum.allocation + share * other
                        self.assertGreaterEqual(value(moved), optimum.value * (1 - optimum.gap))

    def test_bytes_and_times_of_many_orders_of_magnitude_are_solved_too(self):
        for _ in range(40):
            size = int(self.draws.integers(1, 6))
            dimensions = tuple(Dimension("ring", 4, 2) for _ in range(size))
            calls = [Call(tuple(10 ** self.draws.uniform(0, 11, size)), (2,) * size, 0.0,
                          10 ** self.draws.uniform(0, 4)) for _ in range(6)]
            demands = Demands(dimensions, (Rank(10 ** self.draws.uniform(0, 9), tuple(calls)),))
            total = 10 ** self.draws.uniform(0, 4)
            optimum = minimize_time(*self.problem([demands], [{}] * size, total))
            self.assertLess(optimum.gap, 1e-6)

    def test_the_time_is_convex_between_any_two_allocations(self):
        model, region = self.random_problem()
        one, other = (random_allocations(self.draws, region, 200) for _ in range(2))
        for left, right in zip(one, other):
            middle = model.time((left + right) / 2)
            self.assertLessEqual(middle, (model.time(left) + model.time(right)) / 2 * (1 + 1e-12))

    def test_a_dimension_without_bytes_keeps_the_least_share(self):
        demands = Demands((Dimension("ring", 4, 2), Dimension("ring", 4, 2)),
                          (Rank(1e6, (Call((1e9, 0.0), (2, 2), 0.0, 1),)),))
        optimum = minimize_time(*self.problem([demands], [{}, {}], 100.0))
        self.assertAlmostEqual(optimum.allocation[1], 100 * LEAST_SHARE, places=9)

    def test_what_drives_half_of_the_links_needs_twice_the_bandwidth(self):
        half = Demands((Dimension("ring", 4, 2),), (Rank(0.0, (Call((1e9,), (1,), 0.0, 1),)),))
        model, _ = self.problem([half], [{}], 100.0)
        self.assertEqual(model.time([100.0]), 2e9 / 100)

    def test_a_job_is_as_slow_as_its_slowest_rank(self):
        ranks = [Rank(5e6, ()), Rank(0.0, (Call((1e9,), (1,), 25.0, 3),))]
        demands = Demands((Dimension("switch", 4, 1),), tuple(ranks))
        model, _ = self.problem([demands], [{}], 100.0)
        self.assertEqual(model.time([100.0]), 3 * (25 + 1e9 / 100))
        self.assertEqual(model.time([1e6]), 5e6)

    def test_weights_add_up_the_times_of_workloads(self):
        from studies.optimize.model import Model, terms_of

        ranks = (Rank(0.0, (Call((1e9,), (1,), 0.0, 1),)),)
        demands = Demands((Dimension("switch", 4, 1),), ranks)
        model = Model((terms_of(demands, 1.0), terms_of(demands, 2.5)), None)
        self.assertEqual(model.time([100.0]), 3.5 * 1e7)


class Parts(unittest.TestCase):
    def parse(self, text):
        paths = [f"network.dimensions[{one}].bandwidth" for one in range(3)]
        return parse_constraint(text.format(*paths))

    def test_constraints_have_terms_on_both_sides(self):
        for text, weights, relation, bound in [
            ("{1} <= 100 GB/s", {1: 1.0}, "<=", 100.0),
            ("{0} >= {1}", {0: -1.0, 1: 1.0}, "<=", 0.0),
            ("{0} + {1} = 1.6 Tb/s", {0: 1.0, 1: 1.0}, "=", 200.0),
            ("2 * {0} - 0.5 * {2} <= 10 GB/s + {1}", {0: 2.0, 2: -0.5, 1: -1.0}, "<=", 10.0),
            ("{0} - {1} >= 0", {0: -1.0, 1: 1.0}, "<=", 0.0),
        ]:
            found = self.parse(text)
            self.assertEqual((found.weights, found.relation), (weights, relation))
            self.assertAlmostEqual(found.bound, bound)

    def test_what_is_no_constraint_is_said(self):
        for text, problem in [
            ("{0}", "has not one of <=, >= and ="),
            ("{0} <= {1} <= {2}", "has not one of <=, >= and ="),
            ("{0} <= 100", '"100" is neither a bandwidth nor a key of one'),
            ("{0} <= 100 GB", '"100 GB" is neither a bandwidth nor a key of one'),
            ("seed <= 1 GB/s", '"seed" is neither a bandwidth nor a key of one'),
            ("{0} * {1} <= 1 GB/s", '"network.dimensions[0].bandwidth * network.dimensions[1]'
             '.bandwidth" is neither a bandwidth nor a key of one'),
        ]:
            self.assertEqual(self.parse(text), problem)


if __name__ == "__main__":
    unittest.main()
