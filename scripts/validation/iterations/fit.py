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
FACTOR = 16.0  # of the first grid: how far a speed may be from the middle of the simulated ones
LEAST = 1e-9  # ms; far beyond the simulated speeds, a straight line may go below zero


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
    search = Search(times, measured, passes, list(range(len(measured))) if rows is None else rows)
    width = 1.0
    for _ in range(ROUNDS):
        search.look_around(width, with_host)
        width *= SHRINK
    return Fitted(float(1 / search.slowness), float(search.host))


class Search:
    """The best numbers so far: at first the middle of the simulated speeds, without a host."""

    def __init__(self, times, measured, passes, rows):
        self.times = times
        self.rows = rows
        self.measured = np.array(measured)[rows]
        self.passes = np.array(passes)[rows]
        self.slowness = np.sqrt(times.slowness[0] * times.slowness[-1])
        self.host = 0.0
        self.most_host = np.min(self.measured / self.passes)  # then nothing is left for kernels

    def look_around(self, width, with_host):
        """Takes the best point of a grid around the best one; `width` is 1 for the first grid."""
        grid = np.linspace(-width, width, STEPS)
        slowness = self.slowness * FACTOR**grid
        hosts = np.clip(self.host + self.most_host * grid, 0, self.most_host)
        hosts = hosts if with_host else np.zeros(1)
        squares = self.squares(slowness, hosts)
        best = np.unravel_index(np.argmin(squares), squares.shape)
        self.slowness, self.host = slowness[best[0]], hosts[best[1]]

    def squares(self, slowness, hosts):
        """[slowness, host] of the sums."""
        simulated = np.maximum(self.times.at(slowness)[:, self.rows], LEAST)
        predicted = simulated[:, None, :] + hosts[None, :, None] * self.passes
        return np.sum(np.log(predicted / self.measured) ** 2, axis=2)


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
