# SPDX-License-Identifier: GPL-2.0-only
"""The linear program whose value is below the time of every allowed allocation.

Its variables are the bandwidth b of each dimension, u >= 1/b, the longest term z of each row, and
the time t of each workload. The time is linear in u. Only u >= 1/b is not linear: 1/b is convex, so
it lies above its tangents 2/p - b/p^2, and the program has those at some points p. With more points
its value comes nearer to the least time.

A solver is exact where the numbers of a program are near 1. So b is counted in units of the best
allocation known, u in units of its inverse, and times in units of its time.
"""

import dataclasses

import numpy
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

FIRST_POINTS = 12  # in each dimension, evenly spread over the logarithms
STRICT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclasses.dataclass(frozen=True)
class Bound:
    """The time of every allowed allocation of cost c is at least value + slope x (c - cost)."""

    value: float
    slope: float
    cost: float


class LinearProgram:
    """Of a model on a region. `points` are the allocations at which 1/b has its tangents."""

    def __init__(self, model, region):
        self.model = model
        self.region = region
        self.ranks = [(number, rank) for number, one in enumerate(model.workloads)
                      for rank in one.ranks]
        rows = [rank.counts[:, None] * rank.needs for _, rank in self.ranks if len(rank.counts)]
        self.needs = numpy.vstack(rows)
        self.rank_of_row = numpy.repeat(range(len(self.ranks)),
                                        [len(rank.counts) for _, rank in self.ranks])
        count = len(region.least)
        shares = numpy.geomspace((region.least / region.total).min(), 1.0, FIRST_POINTS)
        self.points = [numpy.full(count, share * region.total) for share in shares]
        self.center_on(region.inside)

    def center_on(self, allocation):
        """Makes it the unit of the bandwidths, and its time that of times."""
        self.center, self.time = allocation, self.model.time(allocation)

    def add_tangents(self, allocation):
        """At that point. Returns the allocation within its bounds, which a solver may miss."""
        allocation = numpy.clip(allocation, self.region.least, self.region.most)
        self.points.append(allocation)
        return allocation

    def solve(self, cost=None):
        """(allocation, Bound); with a cost, among the allocations that cost as much. None where the
        solver fails, as it may near the end, when programs differ by less than it can tell."""
        upper, sides = self.inequalities()
        equal, levels = self.equalities(cost)
        limits, objective = self.limits(), self.objective()
        for options in (STRICT, {}):
            done = linprog(objective, upper, sides, equal, levels, limits, method="highs",
                           options=options)
            if done.status == 0:
                value = bound_by_duality(done, objective, limits, (upper, sides), (equal, levels))
                slope = done.eqlin.marginals[-1] * self.time / self.cost_unit() if cost else 0.0
                allocation = done.x[:len(self.center)] * self.center
                return allocation, Bound(value * self.time, slope, cost or 0.0)
        return None

    def sizes(self):
        """How many variables b, u, z and t there are, each with what comes before it."""
        return numpy.cumsum([0, len(self.center), len(self.center), len(self.needs),
                             len(self.model.workloads)])

    def inequalities(self):
        """(matrix, sides) of matrix x variables <= sides."""
        blocks = [self.longest_terms(), self.rank_times(), self.conditions(), self.tangents()]
        return (vstack([matrix for matrix, _ in blocks], "csr"),
                numpy.concatenate([sides for _, sides in blocks]))

    def longest_terms(self):
        """need u - z <= 0, for each need."""
        _, u, z, *_ = self.sizes()
        rows, dimensions = self.needs.nonzero()
        scaled = self.needs[rows, dimensions] / self.center[dimensions] / self.time
        lines = numpy.arange(len(rows))
        return self.matrix(len(rows), (lines, u + dimensions, scaled),
                           (lines, z + rows, -numpy.ones(len(rows)))), numpy.zeros(len(rows))

    def rank_times(self):
        """The terms of a rank, and its constant, are at most the time of its workload."""
        _, _, z, t, _ = self.sizes()
        workloads = numpy.array([number for number, _ in self.ranks])
        constants = numpy.array([rank.constant for _, rank in self.ranks])
        matrix = self.matrix(
            len(self.ranks),
            (self.rank_of_row, z + numpy.arange(len(self.needs)), numpy.ones(len(self.needs))),
            (numpy.arange(len(self.ranks)), t + workloads, -numpy.ones(len(self.ranks))))
        return matrix, -constants / self.time

    def conditions(self):
        rows, bounds = self.region.rows(False)
        return self.padded(rows * self.center / self.region.total), bounds / self.region.total

    def tangents(self):
        """-u p - b / p <= -2, for each point p of each dimension."""
        count = len(self.center)
        ratios = (numpy.array(self.points) / self.center).ravel()
        lines = numpy.arange(len(ratios))
        dimensions = numpy.tile(range(count), len(self.points))
        return self.matrix(len(ratios), (lines, dimensions, -1 / ratios),
                           (lines, count + dimensions, -ratios)), numpy.full(len(ratios), -2.0)

    def matrix(self, rows, *entries):
        """Of (rows, columns, values)."""
        numbers, columns, values = (numpy.concatenate(one) for one in zip(*entries))
        return csr_matrix((values, (numbers, columns)), (rows, self.sizes()[-1]))

    def padded(self, rows):
        """With zeros for all variables but the bandwidths."""
        return csr_matrix(numpy.hstack([rows, numpy.zeros(
            (len(rows), self.sizes()[-1] - len(self.center)))]))

    def equalities(self, cost):
        rows, levels = self.region.rows(True)
        rows, levels = rows * self.center / self.region.total, levels / self.region.total
        if cost is not None:
            unit = self.cost_unit()
            rows = numpy.vstack([rows, self.model.costs * self.center / unit])
            levels = numpy.append(levels, cost / unit)
        return self.padded(rows), levels

    def cost_unit(self):
        return self.model.cost(self.center)

    def limits(self):
        """The least and the largest value of each variable that an allowed allocation can have."""
        region = self.region
        longest = (self.needs / region.least).max(axis=1)
        slowest = numpy.array([one.time(region.least) for one in self.model.workloads])
        low = numpy.concatenate([region.least / self.center, self.center / region.most,
                                 numpy.zeros(len(longest) + len(slowest))])
        high = numpy.concatenate([region.most / self.center, self.center / region.least,
                                  longest / self.time, slowest / self.time])
        return numpy.column_stack([low, high])

    def objective(self):
        weights = [one.weight for one in self.model.workloads]
        return numpy.concatenate([numpy.zeros(self.sizes()[3]), weights])


def bound_by_duality(done, objective, limits, upper, equal):
    """A value below the program's, whatever the solver rounds: any multipliers of the right sign
    give one, as each variable has a least and a largest value."""
    multipliers = numpy.minimum(done.ineqlin.marginals, 0.0)
    reduced = objective - upper[0].T @ multipliers - equal[0].T @ done.eqlin.marginals
    corners = numpy.minimum(reduced * limits[:, 0], reduced * limits[:, 1])
    return multipliers @ upper[1] + done.eqlin.marginals @ equal[1] + corners.sum()
