# SPDX-License-Identifier: GPL-2.0-only
"""Which compute speed makes simulated iterations as long as measured ones.

The time of a simulated iteration is almost a straight line over 1 / speed: computation is
proportional to it, and communication that nothing hides is constant. So times of a few simulated
speeds give those between by interpolation, and a fit needs few simulations.
"""

import dataclasses

import numpy as np

STEPS = 41  # of a grid, in each direction
ROUNDS = 14  # each has a grid around the best point of the round before
SHRINK = 0.4  # of the width of the grid from round to round


@dataclasses.dataclass(frozen=True)
class Fitted:
    """`speed` in TFLOP/s; `host` in ms for each pass of a layer, 0 where it is not fitted."""

    speed: float
    host: float = 0.0


class SimulatedTimes:
    """Times of iterations, in ms, for any speed, from those of at least two simulated speeds."""

    def __init__(self, times):
        """`times` is {speed: [ms of each iteration]}."""
        speeds = sorted(times, reverse=True)
        self.slowness = np.array([1 / speed for speed in speeds])
        self.times = np.array([times[speed] for speed in speeds])

    def at(self, slowness):
        """[slowness, iteration] of an array of 1 / speed; straight on beyond the simulated ones."""
        upper = np.clip(np.searchsorted(self.slowness, slowness), 1, len(self.slowness) - 1)
        low, high = self.slowness[upper - 1], self.slowness[upper]
        part = ((slowness - low) / (high - low))[:, None]
        return (1 - part) * self.times[upper - 1] + part * self.times[upper]


def fit(times, measured, passes, rows=None, with_host=False):
    """The numbers with the least sum of squares of log(predicted / measured) over `rows`, all by
    default. `passes` are the passes of layers of each iteration."""
    rows = list(range(len(measured))) if rows is None else rows
    measured, passes = np.array(measured)[rows], np.array(passes)[rows]
    # log2 of the slowness, relative to the middle one; the share of the host in the shortest pass
    center, width = np.zeros(2), np.array([4.0, 0.5])
    center[1] = width[1]
    middle = np.sqrt(times.slowness[0] * times.slowness[-1])
    longest_host = float(np.min(measured / passes))
    for _ in range(ROUNDS):
        slowness = middle * 2.0 ** (center[0] + width[0] * np.linspace(-1, 1, STEPS))
        hosts = np.clip(center[1] + width[1] * np.linspace(-1, 1, STEPS), 0, 1)
        hosts = longest_host * hosts if with_host else np.zeros(1)
        simulated = np.maximum(times.at(slowness)[:, rows], 1e-9)
        predicted = simulated[:, None, :] + hosts[None, :, None] * passes
        squares = np.sum(np.log(predicted / measured) ** 2, axis=2)
        best = np.unravel_index(np.argmin(squares), squares.shape)
        center[0] = np.log2(slowness[best[0]] / middle)
        center[1] = hosts[best[1]] / longest_host
        width *= SHRINK
    return Fitted(float(1 / slowness[best[0]]), float(hosts[best[1]]))


def predict(times, fitted, passes):
    """Times of all iterations, in ms."""
    return times.at(np.array([1 / fitted.speed]))[0] + fitted.host * np.array(passes)


def predict_unseen(times, measured, passes, with_host=False):
    """The time of each iteration by a fit to all others, in ms."""
    found = []
    for one in range(len(measured)):
        others = [row for row in range(len(measured)) if row != one]
        fitted = fit(times, measured, passes, others, with_host)
        found.append(float(predict(times, fitted, passes)[one]))
    return found
