# SPDX-License-Identifier: GPL-2.0-only
"""Errors of predictions: geometric means of max(s/m, m/s) - 1, signed bias, median, worst."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Errors:
    rows: int
    mean: float  # geometric mean of the absolute error
    bias: float  # geometric mean of simulated / measured, - 1
    median: float
    worst: float


def errors_of(logs):
    """Of logarithms of simulated / measured; None where there is none."""
    logs = np.asarray(logs)
    if not len(logs):
        return None
    away = np.abs(logs)
    return Errors(len(logs), *(float(np.expm1(one)) for one in (
        away.mean(), logs.mean(), np.median(away), away.max())))
