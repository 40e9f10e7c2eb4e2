# SPDX-License-Identifier: GPL-2.0-only
"""The time and the cost of workloads as functions of the bandwidths.

A call takes its latency plus the longest of bytes / bandwidth over the dimensions, since chunks use
all dimensions at once. A rank takes its compute plus all its calls, without overlap. A workload
takes as long as its slowest rank, and the time that is minimised is the weighted sum of the
workloads' times (Won et al., "LIBRA", ISPASS 2024). Each bytes / bandwidth is convex, and so are
sums and maxima of convex functions: the time has no local minimum besides the global one.
"""

import dataclasses

import numpy


@dataclasses.dataclass(frozen=True)
class RankTerms:
    """constant + sum over the rows of counts x max over d of needs[row, d] / bandwidth d, in ns."""

    constant: float
    counts: numpy.ndarray
    needs: numpy.ndarray

    def time(self, allocation):
        if not len(self.counts):
            return self.constant
        return self.constant + float(self.counts @ (self.needs / allocation).max(axis=1))


@dataclasses.dataclass(frozen=True)
class WorkloadTerms:
    weight: float
    ranks: tuple

    def time(self, allocation):
        return max(rank.time(allocation) for rank in self.ranks)


@dataclasses.dataclass(frozen=True)
class Model:
    """`costs` are in $ per GB/s, by dimension; None where there are no prices."""

    workloads: tuple
    costs: numpy.ndarray

    def time(self, allocation):
        """The weighted sum of the workloads' times."""
        allocation = numpy.asarray(allocation, dtype=float)
        return sum(one.weight * one.time(allocation) for one in self.workloads)

    def cost(self, allocation):
        """In $; None where there are no prices."""
        return None if self.costs is None else float(self.costs @ numpy.asarray(allocation))


def terms_of(demands, weight):
    ranks = dict.fromkeys(rank_terms(rank, demands.dimensions) for rank in demands.ranks)
    return WorkloadTerms(weight, tuple(RankTerms(constant, numpy.array(list(rows.values())),
                                                 numpy.array(list(rows), dtype=float))
                                       for constant, rows in map(unpack, ranks)))


def unpack(terms):
    constant, rows = terms
    return constant, dict(rows)


def rank_terms(rank, dimensions):
    """(constant, ((needs, count), ...)), which can be compared: ranks that do the same are one.

    An algorithm that drives only some of an NPU's links needs as much more of its bandwidth. Calls
    whose needs are multiples of each other are longest in the same dimension, so they are one row.
    """
    constant, rows = rank.compute_ns, {}
    for call in rank.calls:
        constant += call.calls * call.latency_ns
        needs = [moved * max(1.0, dimension.links / used) if moved else 0.0
                 for moved, used, dimension in zip(call.bytes, call.links, dimensions)]
        most = max(needs)
        if most:
            direction = tuple(round(need / most, 12) for need in needs)
            rows[direction] = rows.get(direction, 0.0) + call.calls * most
    return constant, tuple(sorted(rows.items()))


def cost_of_dimensions(dimensions, prices):
    """In $ per GB/s of an NPU's bandwidth, for all NPUs; a switch needs a port and a NIC for each
    NPU, the other shapes have links only."""
    npus = numpy.prod([dimension.size for dimension in dimensions])
    parts = [("link", "switch", "nic") if dimension.shape == "switch" else ("link",)
             for dimension in dimensions]
    return npus * numpy.array([sum(price.get(part, 0.0) for part in own)
                               for price, own in zip(prices, parts)])
