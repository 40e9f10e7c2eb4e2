# SPDX-License-Identifier: GPL-2.0-only
"""The linear program whose value is below the time of every allowed allocation.

Its variables are a share b of the total for each dimension, u >= 1/b, the longest term z of each
row, and the time t of each workload. The time is linear in u. Only u >= 1/b is not linear: 1/b is
convex, so it lies above its tangents 2/p - b/p^2, and the program has those at some points p. With
more points its value comes nearer to the least time.
"""

import dataclasses

import numpy
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

from ..errors import UserError

FIRST_POINTS = 12  # in each dimension, evenly spread over the logarithms
OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclasses.dataclass(frozen=True)
class Bound:
    """The time of every allowed allocation of cost c is at least value + slope x (c - cost)."""

    value: float
    slope: float
    cost: float


class LinearProgram:
    """Of a model on a region. `points` are shares of the total."""

    def __init__(self, model, region):
        self.model = model
        self.region = region
        self.dimensions = len(region.least)
        self.scale = model.time(numpy.full(self.dimensions, region.total / self.dimensions)) or 1.0
        self.rows, self.sides = [], []
        self.lay_out()
        self.add_workloads()
        matrix, bounds = region.rows(False)
        for row, bound in zip(matrix, bounds):
            self.add_row(enumerate(row), bound / region.total)
        self.fixed = self.matrix()
        self.tangents, self.tangent_sides = [], []
        for share in numpy.geomspace(self.low.min(), 1.0, FIRST_POINTS):
            self.add_tangents(numpy.full(self.dimensions, share))

    def lay_out(self):
        """Numbers the variables: b, u, then z of every row, then t of every workload."""
        ranks = [rank for one in self.model.workloads for rank in one.ranks]
        self.low = self.region.least / self.region.total
        self.high = self.region.most / self.region.total
        needs = [need.max() for rank in ranks for need in self.scaled_needs(rank)]
        longest = 1.0 / self.low.min()
        self.first_z = 2 * self.dimensions
        self.first_t = self.first_z + len(needs)
        slowest = [one.time(self.region.least) / self.scale for one in self.model.workloads]
        self.limits = numpy.array(
            [*zip(self.low, self.high), *zip(1 / self.high, 1 / self.low),
             *((0.0, need * longest) for need in needs), *((0.0, time) for time in slowest)])
        self.objective = numpy.zeros(len(self.limits))
        self.objective[self.first_t:] = [one.weight for one in self.model.workloads]

    def scaled_needs(self, rank):
        """Of all calls of each row, so that the numbers of the program are of one size."""
        return rank.counts[:, None] * rank.needs / (self.region.total * self.scale)

    def add_row(self, entries, side):
        self.rows.append(list(entries))
        self.sides.append(side)

    def add_workloads(self):
        z = self.first_z
        for number, workload in enumerate(self.model.workloads):
            for rank in workload.ranks:
                entries = []
                for needs in self.scaled_needs(rank):
                    self.add_longest(z, needs)
                    entries.append((z, 1.0))
                    z += 1
                self.add_row([*entries, (self.first_t + number, -1.0)],
                             -rank.constant / self.scale)

    def add_longest(self, z, needs):
        for dimension, need in enumerate(needs):
            if need:
                self.add_row([(self.dimensions + dimension, need), (z, -1.0)], 0.0)

    def matrix(self):
        places = [(number, column, value) for number, row in enumerate(self.rows)
                  for column, value in row]
        numbers, columns, values = zip(*places)
        return csr_matrix((values, (numbers, columns)), (len(self.rows), len(self.limits)))

    def add_tangents(self, shares):
        """At a point of each dimension, as -p u - b/p <= -2, whose numbers are of one size."""
        for dimension, share in enumerate(shares):
            self.tangents.append([(dimension, -1.0 / share), (self.dimensions + dimension, -share)])
            self.tangent_sides.append(-2.0)

    def solve(self, cost=None):
        """(allocation, Bound); with a cost, among the allocations that cost as much."""
        rows = [(number, column, value) for number, row in enumerate(self.tangents)
                for column, value in row]
        numbers, columns, values = zip(*rows)
        shape = (len(self.tangents), len(self.limits))
        upper = vstack([self.fixed, csr_matrix((values, (numbers, columns)), shape)], "csr")
        sides = numpy.array([*self.sides, *self.tangent_sides])
        equal, levels = self.equalities(cost)
        done = linprog(self.objective, upper, sides, equal, levels, self.limits,
                       method="highs", options=OPTIONS)
        if done.status != 0:
            raise UserError(f"the linear solver ended without a result: {done.message}")
        bound = self.bound_by_duality(done, (upper, sides), (equal, levels))
        slope = done.eqlin.marginals[-1] * self.scale / self.cost_unit() if cost else 0.0
        return done.x[:self.dimensions] * self.region.total, Bound(bound, slope, cost or 0.0)

    def cost_unit(self):
        return self.model.cost(self.region.most)

    def equalities(self, cost):
        matrix, values = self.region.rows(True)
        values = values / self.region.total
        if cost is not None:
            unit = self.cost_unit()
            matrix = numpy.vstack([matrix, self.model.costs * self.region.total / unit])
            values = numpy.append(values, cost / unit)
        empty = numpy.zeros((len(matrix), len(self.limits) - self.dimensions))
        return numpy.hstack([matrix, empty]), values

    def bound_by_duality(self, done, upper, equal):
        """A value below the program's, whatever the solver's rounding: any multipliers of the right
        sign give one, as each variable has a least and a largest value."""
        multipliers = numpy.minimum(done.ineqlin.marginals, 0.0)
        reduced = self.objective - upper[0].T @ multipliers - equal[0].T @ done.eqlin.marginals
        corners = numpy.minimum(reduced * self.limits[:, 0], reduced * self.limits[:, 1])
        value = multipliers @ upper[1] + done.eqlin.marginals @ equal[1] + corners.sum()
        return value * self.scale
