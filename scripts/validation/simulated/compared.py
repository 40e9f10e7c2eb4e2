# SPDX-License-Identifier: GPL-2.0-only
"""Rows of measured tables with what the simulator says of them. Times are in us."""

import dataclasses
import math

from ..measured_table import MeasuredTable


@dataclasses.dataclass
class ComparedRow:
    """`simulated` is None where there is no result; `message` then says why."""

    size: int  # bytes
    measured: float
    glitch: bool = False
    in_place: float | None = None  # the same, measured in place
    backend: str = ""
    simulated: float | None = None
    against: float | None = None  # simulated with the library that is compared
    algorithm: str = ""
    protocol: str = ""
    channels: str = ""
    message: str = ""

    def error(self):
        """log(simulated / measured)."""
        return math.log(self.simulated / self.measured)

    def error_against(self):
        return math.log(self.against / self.measured)

    def noise(self):
        return abs(math.log(self.in_place / self.measured))


@dataclasses.dataclass
class ComparedTable:
    """`refusal` says why a table cannot be simulated at all. `notes` are what was guessed."""

    name: str
    system: str
    collective: str
    ranks: int
    nodes: int
    rows: list
    notes: list
    refusal: str = ""
    is_forced: bool = False  # the algorithm is known, not chosen by the library

    def kinds(self):
        """The sets to which it belongs, as in the calibration."""
        where = "several nodes" if self.nodes > 1 else "one node, library's choice"
        if not self.is_forced:
            return [where]
        return ["known algorithm", *([where] if self.nodes > 1 else [])]

    def done(self):
        return [row for row in self.rows if row.simulated is not None]


def compare(table: MeasuredTable, notes):
    """Nothing is simulated yet."""
    side = table.side
    rows = [ComparedRow(int(row.size), row.time, row.glitch, table.floor.get(row.size))
            for row in table.rows]
    return ComparedTable(table.name, table.system, side.collective, side.ranks, side.nodes, rows,
                         list(notes))


def refuse(table, reason):
    compared = compare(table, table.side.notes)
    compared.refusal = reason
    for row in compared.rows:
        row.message = reason
    return compared
