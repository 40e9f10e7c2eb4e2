# SPDX-License-Identifier: GPL-2.0-only
"""Which allocations are allowed: the total, the constraints, and bandwidths that are given."""

import dataclasses

import numpy
from scipy.optimize import linprog

from ..errors import StudyError

LEAST_SHARE = 1e-4  # of the total: no dimension has less, so that every link exists
TOLERANCE = 1e-7  # of the total: allocations that miss a condition by less are allowed


@dataclasses.dataclass(frozen=True)
class Condition:
    """sum of row[d] x bandwidth d, of an NPU, is at most `bound`, or equal to it."""

    text: str
    row: numpy.ndarray
    bound: float
    is_equality: bool


@dataclasses.dataclass(frozen=True)
class Region:
    """`least` and `most` are bounds of each bandwidth: equal for one that is given."""

    total: float
    conditions: tuple
    least: numpy.ndarray
    most: numpy.ndarray

    def rows(self, is_equality):
        """(matrix, bounds) of the equalities, or of the others."""
        chosen = [one for one in self.conditions if one.is_equality == is_equality]
        matrix = numpy.array([one.row for one in chosen]).reshape(len(chosen), len(self.least))
        return matrix, numpy.array([one.bound for one in chosen])

    def has(self, allocation):
        """Whether it is allowed."""
        slack = TOLERANCE * self.total
        for one in self.conditions:
            over = one.row @ allocation - one.bound
            reach = slack * max(1.0, abs(one.row).max())
            if over > reach or (one.is_equality and over < -reach):
                return False
        return bool(numpy.all(allocation >= self.least - slack) and
                    numpy.all(allocation <= self.most + slack))

    def free(self):
        """The dimensions whose bandwidths are chosen."""
        return [d for d in range(len(self.least)) if self.least[d] < self.most[d]]


def make_region(study, dimensions, given):
    """`given` are the bandwidths of the dimensions that are not chosen: {dimension: GB/s}.

    Throws StudyError, with the conditions that contradict each other."""
    count = len(dimensions)
    conditions = [Condition(f"total = {study.total_text}", numpy.ones(count), study.total, True)]
    for constraint in study.constraints:
        row = numpy.zeros(count)
        for dimension, weight in constraint.weights.items():
            row[dimension] = weight / dimensions[dimension].links
        conditions.append(
            Condition(constraint.text, row, constraint.bound, constraint.relation == "="))
    least = numpy.full(count, LEAST_SHARE * study.total)
    most = numpy.full(count, study.total)
    for dimension, bandwidth in given.items():
        least[dimension] = most[dimension] = bandwidth
    region = Region(study.total, tuple(conditions), least, most)
    check_feasible(region, study.where)
    return region


def check_feasible(region, where):
    if is_feasible(region):
        return
    needed = list(region.conditions)
    for condition in region.conditions:  # those left in the end contradict each other
        others = [one for one in needed if one is not condition]
        if not is_feasible(dataclasses.replace(region, conditions=tuple(others))):
            needed = others
    told = "; ".join(one.text for one in needed)
    raise StudyError(where, f"optimize: these cannot all hold: {told}; relax one of them")


def is_feasible(region):
    count = len(region.least)
    matrix, bounds = region.rows(False)
    equal, values = region.rows(True)
    scale = region.total
    done = linprog(numpy.zeros(count), matrix, bounds / scale, equal, values / scale,
                   numpy.column_stack([region.least, region.most]) / scale, method="highs")
    return done.status == 0


def nearest(region, wanted, dimension):
    """The allowed allocation next to `wanted` whose bandwidth `dimension` is that of `wanted`; None
    where there is none. Next to: the sum of the relative differences is least."""
    count, scale = len(wanted), region.total
    matrix, bounds = region.rows(False)
    equal, values = region.rows(True)
    steps = numpy.eye(count) / wanted[:, None] * scale  # |x - wanted| / wanted <= t
    upper = numpy.block([[steps, -numpy.eye(count)], [-steps, -numpy.eye(count)],
                         [matrix, numpy.zeros((len(matrix), count))]])
    sides = numpy.concatenate([numpy.ones(count), -numpy.ones(count), bounds / scale])
    pins = numpy.eye(count)[[dimension]]
    equal = numpy.hstack([numpy.vstack([equal, pins]), numpy.zeros((len(equal) + 1, count))])
    values = numpy.append(values, wanted[dimension]) / scale
    limits = [*numpy.column_stack([region.least, region.most]) / scale, *[(0, None)] * count]
    objective = numpy.concatenate([numpy.zeros(count), numpy.ones(count)])
    done = linprog(objective, upper, sides, equal, values, limits, method="highs")
    return done.x[:count] * scale if done.status == 0 else None
