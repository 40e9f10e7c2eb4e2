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
    """`least` and `most` are bounds of each bandwidth: equal for one that is given. `inside` is an
    allowed allocation, any."""

    total: float
    conditions: tuple
    least: numpy.ndarray
    most: numpy.ndarray
    inside: numpy.ndarray = None

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
    inside = find_inside(region)
    if inside is None:
        fail(region, study.where, given)
    return dataclasses.replace(region, inside=inside)


def fail(region, where, given):
    """Names the conditions that cannot all hold, and no others."""
    needed = list(region.conditions)
    for condition in region.conditions:  # those left in the end contradict each other
        others = [one for one in needed if one is not condition]
        if find_inside(dataclasses.replace(region, conditions=tuple(others))) is None:
            needed = others
    told = "; ".join(one.text for one in needed)
    if given:
        rates = ", ".join(f"{rate:g} GB/s of an NPU in dimension {dimension}"
                          for dimension, rate in given.items())
        told += f", with {rates} as the configuration has it"
    raise StudyError(where, f"optimize: these cannot all hold: {told}; relax one of them")


def find_inside(region):
    """An allowed allocation in which the smallest share is as large as may be; None where there is
    none."""
    count, scale = len(region.least), region.total
    matrix, bounds = region.rows(False)
    equal, values = region.rows(True)
    free = numpy.array([[float(low < high)] for low, high in zip(region.least, region.most)])
    smallest = numpy.hstack([-numpy.eye(count), free])  # -b + s <= 0, of bandwidths to be chosen
    upper = numpy.vstack([numpy.hstack([matrix, numpy.zeros((len(matrix), 1))]), smallest])
    sides = numpy.concatenate([bounds / scale, numpy.zeros(count)])
    equal = numpy.hstack([equal, numpy.zeros((len(equal), 1))])
    limits = [*numpy.column_stack([region.least, region.most]) / scale, (0, 1)]
    objective = numpy.append(numpy.zeros(count), -1.0)
    done = linprog(objective, upper, sides, equal, values / scale, limits, method="highs")
    return done.x[:count] * scale if done.status == 0 else None


def nearest(region, wanted, dimensions):
    """The allowed allocation next to `wanted` whose bandwidths of these dimensions are those of
    `wanted`; None where there is none. Next to: the sum of the relative differences is least."""
    count, scale = len(wanted), region.total
    matrix, bounds = region.rows(False)
    equal, values = region.rows(True)
    steps = numpy.eye(count) / wanted[:, None] * scale  # |x - wanted| / wanted <= t
    upper = numpy.block([[steps, -numpy.eye(count)], [-steps, -numpy.eye(count)],
                         [matrix, numpy.zeros((len(matrix), count))]])
    sides = numpy.concatenate([numpy.ones(count), -numpy.ones(count), bounds / scale])
    pins = numpy.vstack([equal, numpy.eye(count)[dimensions]])
    equal = numpy.hstack([pins, numpy.zeros_like(pins)])
    values = numpy.append(values, wanted[dimensions]) / scale
    limits = [*numpy.column_stack([region.least, region.most]) / scale, *[(0, None)] * count]
    objective = numpy.concatenate([numpy.zeros(count), numpy.ones(count)])
    done = linprog(objective, upper, sides, equal, values, limits, method="highs")
    return done.x[:count] * scale if done.status == 0 else None
