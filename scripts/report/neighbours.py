# SPDX-License-Identifier: GPL-2.0-only
"""What goes on around a collective: what ended before it, overlaps with it, and starts after it."""

import dataclasses

import numpy

from .words import short, time_text

NAME_LENGTH = 60


@dataclasses.dataclass
class Around:
    """Texts, empty where there is nothing; `count` is how many overlap."""

    before: str
    beside: str
    after: str
    count: int


class Neighbours:
    """Of the rows of collectives.csv."""

    def __init__(self, rows):
        self.names = rows["name"].to_numpy()
        self.start = rows.start_ns.to_numpy(float)
        self.end = rows.end_ns.to_numpy(float)
        self.by_start = numpy.argsort(self.start, kind="stable")
        self.by_end = numpy.argsort(self.end, kind="stable")

    def describe(self, row):
        start, end = self.start[row], self.end[row]
        overlap = numpy.minimum(self.end, end) - numpy.maximum(self.start, start)
        overlap[row] = 0
        beside = int(overlap.argmax())
        return Around(self.last_before(row, start),
                      self.named(beside, f"both for {time_text(overlap[beside])}")
                      if overlap[beside] > 0 else "",
                      self.first_after(row, end), int((overlap > 0).sum()))

    def last_before(self, row, time):
        place = int(numpy.searchsorted(self.end[self.by_end], time, "right")) - 1
        while place >= 0 and self.by_end[place] == row:
            place -= 1
        if place < 0:
            return ""
        other = self.by_end[place]
        return self.named(other, f"{time_text(time - self.end[other])} earlier")

    def first_after(self, row, time):
        place = int(numpy.searchsorted(self.start[self.by_start], time, "left"))
        while place < len(self.start) and self.by_start[place] == row:
            place += 1
        if place == len(self.start):
            return ""
        other = self.by_start[place]
        return self.named(other, f"{time_text(self.start[other] - time)} later")

    def named(self, row, words):
        return f"{short(self.names[row], NAME_LENGTH)} ({words})"
