# SPDX-License-Identifier: GPL-2.0-only
"""Iterations with what the simulator says of them. Times are in ms."""

import dataclasses


@dataclasses.dataclass
class ComparedPart:
    """A part of a recorded iteration, measured, replayed and simulated; None where there is no
    time."""

    name: str
    measured: float
    replayed: float | None = None
    simulated: float | None = None


@dataclasses.dataclass
class ComparedRecording:
    """`message` says why nothing, or not all, was simulated."""

    name: str
    what: str
    ranks: int = 0
    parts: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    message: str = ""


@dataclasses.dataclass
class ComparedIteration:
    """A row of a table. `simulated` is with the speed alone; `with_host` with the speed and the
    time of the host for each layer. The times of `unseen` are predicted by a fit to the other
    rows. `by_micro_batch`, of rows with pipeline stages, has the speed that fits the rows of equal
    micro-batches without stages."""

    plan: object
    measured: float
    simulated: float | None = None
    unseen: float | None = None
    with_host: float | None = None
    with_host_unseen: float | None = None
    by_micro_batch: float | None = None
    message: str = ""


@dataclasses.dataclass
class ComparedTraining:
    """`speed` is the fitted compute speed in TFLOP/s, of one number; `speed_with_host` and `host`,
    in ms for each layer and micro-batch, are fitted together. `speeds` has that of each size of
    micro-batch, by its rows without stages."""

    name: str
    what: str
    rows: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    speed: float | None = None
    speed_with_host: float | None = None
    host: float | None = None
    speeds: dict = dataclasses.field(default_factory=dict)
    message: str = ""


def share(simulated, measured):
    """The error, simulated / measured - 1; None without a time."""
    return None if simulated is None else simulated / measured - 1
