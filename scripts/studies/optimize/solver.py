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
    lowest = 0.0
    for count in range(1, ROUNDS + 1):
        found = program.solve()
        if found is None:
            break
        allocation, bound = found
        allocation = program.add_tangents(allocation)
        if model.time(allocation) < program.time:
            program.center_on(allocation)
        lowest = max(lowest, bound.value)
        if program.time - lowest <= GAP * program.time:
            break
    return Optimum(program.center, program.time, max(0.0, 1 - lowest / program.time), count)
