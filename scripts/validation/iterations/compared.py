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
    rows."""

    plan: object
    measured: float
    simulated: float | None = None
    unseen: float | None = None
    with_host: float | None = None
    with_host_unseen: float | None = None
    message: str = ""


@dataclasses.dataclass
class ComparedTraining:
    """`speed` is the fitted compute speed in TFLOP/s, of one number; `speed_with_host` and `host`,
    in ms for each layer and micro-batch, are fitted together."""

    name: str
    what: str
    rows: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    speed: float | None = None
    speed_with_host: float | None = None
    host: float | None = None
    message: str = ""


def share(simulated, measured):
    """The error, simulated / measured - 1; None without a time."""
    return None if simulated is None else simulated / measured - 1
