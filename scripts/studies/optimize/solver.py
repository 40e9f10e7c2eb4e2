# SPDX-License-Identifier: GPL-2.0-only
"""The allocation of least time, with a proof of how near it is to the best."""

import dataclasses

import numpy

from .linear_program import LinearProgram

GAP = 1e-10  # that is tried for; what is reached is certified
ROUNDS = 60


@dataclasses.dataclass(frozen=True)
class Optimum:
    """`value` is the goal's at the allocation. No allowed allocation has one below
    value x (1 - gap)."""

    allocation: numpy.ndarray
    value: float
    gap: float
    programs: int  # linear programs that were solved


def minimize_time(model, region):
    """Adds tangents where the program's solution lies, until its value meets the time there."""
    program = LinearProgram(model, region)
    best, lowest = (numpy.inf, None), 0.0
    for count in range(1, ROUNDS + 1):
        allocation, bound = program.solve()
        allocation = numpy.clip(allocation, region.least, region.most)
        best = min(best, (model.time(allocation), count, allocation))
        lowest = max(lowest, bound.value)
        if best[0] - lowest <= GAP * best[0]:
            break
        program.add_tangents(allocation / region.total)
    gap = max(0.0, (best[0] - lowest) / best[0]) if best[0] else 0.0
    return Optimum(best[-1], best[0], gap, count)
