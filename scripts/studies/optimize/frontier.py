# SPDX-License-Identifier: GPL-2.0-only
"""The least time for each cost, by the model: the line of the figure."""

import numpy

from .cost_search import cost_range
from .linear_program import LinearProgram

COSTS = 32
GAP = 1e-3  # of the times
ROUNDS = 8
REACH = 1.3  # how far beyond the most expensive allocation that is shown the line goes


def frontier(model, region, largest):
    """[(cost, time in ns)] from the least cost to a little more than `largest`."""
    low, high = cost_range(model, region)
    if high <= low:
        return []
    program = LinearProgram(model, region)
    costs = numpy.geomspace(low + 1e-3 * (high - low), min(high, REACH * largest), COSTS)
    return [(cost, least_time(program, cost)) for cost in costs if cost < high]


def least_time(program, cost):
    best = numpy.inf
    for _ in range(ROUNDS):
        found = program.solve(cost)
        if found is None:
            break
        allocation = program.add_tangents(found[0])
        best = min(best, program.model.time(allocation))
        program.center_on(allocation)
        if best - found[1].value <= GAP * best:
            break
    return best
