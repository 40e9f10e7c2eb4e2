# SPDX-License-Identifier: GPL-2.0-only
"""The allocation of least time x cost, with a proof of how near it is to the best.

The product is not convex. But the least time T(c) of the allocations that cost c is a convex
function of c, since time is convex and cost is linear. Each linear program with the cost c gives a
line that T lies above for all costs: its multiplier for the cost is the slope. So T lies above the
highest of the lines, and the product above c x the highest line. That is least at a corner, where
two lines meet, or at an end: between them c x (a + s c) is concave for a falling line, and grows
for a rising one, as the line is above zero. The search solves the next program at the corner with
the least product, until that product meets the best one of an allocation.
"""

import numpy
from scipy.optimize import linprog

from .linear_program import LinearProgram
from .solver import Optimum

GAP = 1e-9
ROUNDS = 200
INSET = 1e-9  # of the range of costs: a program with the least cost itself may be lost to rounding


def minimize_time_cost(model, region):
    program = LinearProgram(model, region)
    ends = cost_range(model, region)
    lines, costs = [], list(ends)
    best, lowest = (numpy.inf, None), 0.0
    for count in range(1, ROUNDS + 1):
        cost = costs.pop() if costs else None
        if cost is None:
            lowest, cost = least_product(lines, ends)
            if best[0] - lowest <= GAP * best[0]:
                break
        inset = INSET * (ends[1] - ends[0])
        allocation, line = program.solve(min(max(cost, ends[0] + inset), ends[1] - inset))
        allocation = numpy.clip(allocation, region.least, region.most)
        product = model.time(allocation) * model.cost(allocation)
        best = min(best, (product, count, allocation))
        lines.append(line)
        program.add_tangents(allocation / region.total)
    return Optimum(best[-1], best[0], max(0.0, (best[0] - lowest) / best[0]), count)


def cost_range(model, region):
    """The least and the largest cost of an allowed allocation."""
    matrix, bounds = region.rows(False)
    equal, values = region.rows(True)
    limits = numpy.column_stack([region.least, region.most]) / region.total
    found = [linprog(sign * model.costs, matrix, bounds / region.total, equal,
                     values / region.total, limits, method="highs").x for sign in (1.0, -1.0)]
    return tuple(model.cost(allocation * region.total) for allocation in found)


def least_product(lines, ends):
    """(least of c x the highest line at c, that c) over the costs between the ends."""
    values = numpy.array([line.value - line.slope * line.cost for line in lines])
    slopes = numpy.array([line.slope for line in lines])
    with numpy.errstate(divide="ignore", invalid="ignore"):
        meet = (values[:, None] - values) / (slopes - slopes[:, None])
    inside = meet[(meet > ends[0]) & (meet < ends[1])]
    costs = numpy.unique(numpy.concatenate([ends, inside]))
    products = costs * (values + numpy.outer(costs, slopes)).max(axis=1)
    least = int(products.argmin())
    return products[least], costs[least]
