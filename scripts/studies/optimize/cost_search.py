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
INSETS = (0.0, 1e-9, 1e-7, 1e-5)  # of the range of costs, tried where the solver fails at its end


def minimize_time_cost(model, region):
    program = LinearProgram(model, region)
    ends = cost_range(model, region)
    best, value, lowest = region.inside, product_of(model, region.inside), 0.0
    cost, lines = model.cost(best), []
    for count in range(1, ROUNDS + 1):
        found = solve_near(program, cost, ends)
        if found is None:
            break
        lines.append(found[1])
        allocation = program.add_tangents(found[0])
        if product_of(model, allocation) < value:
            best, value = allocation, product_of(model, allocation)
        program.center_on(allocation)
        lowest, cost = least_product(lines, ends)
        if value - lowest <= GAP * value:
            break
    return Optimum(best, value, max(0.0, 1 - lowest / value), count)


def product_of(model, allocation):
    return model.time(allocation) * model.cost(allocation)


def solve_near(program, cost, ends):
    """At this cost, or a little within the range: the least cost of all may be lost to rounding."""
    for center in (program.center, program.region.inside):
        program.center_on(center)
        for inset in INSETS:
            margin = inset * (ends[1] - ends[0])
            found = program.solve(min(max(cost, ends[0] + margin), ends[1] - margin))
            if found is not None:
                return found
    return None


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
