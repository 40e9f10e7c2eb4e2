# SPDX-License-Identifier: GPL-2.0-only
"""The allocations that are simulated: the optimum, the equal split, and what is around them."""

import dataclasses
import itertools

import numpy

from .region import nearest

STEPS = (0.02, 0.10)  # of a bandwidth that is raised at the others' cost


@dataclasses.dataclass
class Candidate:
    """`time` is None until it was simulated, and if that failed. Both times in ns, weighted sums
    over the workloads."""

    name: str
    allocation: numpy.ndarray
    is_allowed: bool
    model_time: float
    cost: float
    time: float = None
    status: str = "not simulated"

    def value(self, goal, time):
        return time if goal == "time" else time * self.cost


def make_candidate(name, allocation, model, region):
    return Candidate(name, allocation, region.has(allocation), model.time(allocation),
                     model.cost(allocation))


def equal_split(region):
    """What is not given, in equal parts."""
    free = region.free()
    allocation = region.least.copy()
    allocation[free] = (region.total - sum(numpy.delete(region.least, free))) / len(free)
    return allocation


def around(center, model, region):
    """Each bandwidth raised by each step; the others are lowered in proportion, or as little
    differently as the constraints allow. Steps that they do not allow at all are left out."""
    return neighbours(center, ((one,) for one in region.free()), model, region)


def around_jointly(center, model, region):
    """The same with several bandwidths raised at once: each two of them, and all but one. Where
    several dimensions limit the time together, raising one of them gains nothing."""
    free = region.free()
    several = [*itertools.combinations(free, 2), *itertools.combinations(free, len(free) - 1)]
    chosen = dict.fromkeys(one for one in several if 1 < len(one) < len(free))
    return neighbours(center, chosen, model, region)


def neighbours(center, choices, model, region):
    """Of each choice of dimensions that are raised."""
    found = []
    for dimensions in choices:
        words = " and ".join(map(str, dimensions))
        for step in STEPS:
            allocation = raised(center.allocation, list(dimensions), 1 + step, region)
            if allocation is not None:
                name = (f"{center.name}, dimension{'s' * (len(dimensions) > 1)} {words} "
                        f"+{100 * step:.0f} %")
                found.append(make_candidate(name, allocation, model, region))
    return found


def raised(allocation, dimensions, factor, region):
    others = [one for one in region.free() if one not in dimensions]
    left = allocation[others].sum() - (factor - 1) * allocation[dimensions].sum()
    if left <= 0:
        return None
    wanted = allocation.copy()
    wanted[dimensions] *= factor
    wanted[others] *= left / allocation[others].sum()
    return nearest(region, wanted, dimensions)
