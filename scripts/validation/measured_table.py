# SPDX-License-Identifier: GPL-2.0-only
"""A table of measured times, and what in it is noise."""

import dataclasses
import math
import pathlib
import re

from .side_file import SideFile

GLITCH_FROM = 8 << 20  # bytes: smaller sizes change protocol, which may be a real step down
GLITCH_SHARE = 0.85  # of the time of twice the size
SHAPE = re.compile(r"_\d+n\d+[gr]")  # nodes and ranks in a dataset's name


@dataclasses.dataclass
class Row:
    size: float  # bytes, as nccl-tests counts them
    time: float  # us
    glitch: bool = False


@dataclasses.dataclass
class MeasuredTable:
    """The rows of one run, by rising size. `floor` holds the times of the same run in place."""

    name: str
    file: pathlib.Path
    side: SideFile
    rows: list
    floor: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.rows.sort(key=lambda row: row.size)
        mark_glitches(self.rows)

    @property
    def system(self):
        """What the name of the dataset begins with, which tables of one system share; without such
        a name, the system that the side file names."""
        name, *shape = SHAPE.split(self.file.stem)
        return name if shape else self.side.system or name

    def noise(self, smallest=0):
        """|log(in place / out of place)| of the rows from `smallest` bytes on."""
        return [
            abs(math.log(self.floor[row.size] / row.time))
            for row in self.rows
            if row.size >= smallest and row.size in self.floor
        ]


def mark_glitches(rows):
    """A row that takes almost as long as one of twice its size: the machine was disturbed.

    Requires: rows by rising size.
    """
    for row, larger in zip(rows, rows[1:]):
        twice = 1.5 * row.size < larger.size < 2.5 * row.size
        row.glitch = twice and row.size >= GLITCH_FROM and row.time > GLITCH_SHARE * larger.time
