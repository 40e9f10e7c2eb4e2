# SPDX-License-Identifier: GPL-2.0-only
"""How far a sweep is: on a terminal one line that changes, elsewhere a line now and then."""

import collections
import dataclasses
import sys
import time

SECONDS_BETWEEN_LINES = 20
FAILURES_TOLD = 10


def duration(seconds):
    """About this long, in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


@dataclasses.dataclass(frozen=True)
class Failure:
    """Of `count` things that ended for one reason; `first` names the first of them, and `ended`
    says how: failed, or is stuck."""

    first: str
    ended: str
    reason: str
    count: int = 1

    def line(self):
        if self.count == 1:
            return f"nadi: {self.first} {self.ended}: {self.reason}"
        return f"nadi: {self.first} and {self.count - 1} more {self.ended}: {self.reason}"


class Progress:
    """Of `total` things; `clock` is the time now, in seconds; `table` says why things failed."""

    def __init__(self, total, things="points run", stream=None, clock=time.monotonic,
                 table="results.csv"):
        self.total = total
        self.things = things
        self.table = table
        self.stream = stream or sys.stderr
        self.clock = clock
        self.is_terminal = self.stream.isatty()
        self.started = self.shown = clock()
        self.done = 0
        self.failed = 0
        self.told = {}  # the first failure of each reason
        self.repeats = collections.Counter()  # how often each reason came again

    def text(self):
        """The time that is left: as if each point took as long as the mean of those done."""
        text = f"nadi: {self.done} of {self.total} {self.things}"
        if self.failed:
            text += f", {self.failed} failed"
        if 0 < self.done < self.total:
            elapsed = self.clock() - self.started
            text += f", about {duration(elapsed / self.done * (self.total - self.done))} left"
        return text

    def show(self):
        if self.is_terminal:
            self.stream.write(f"\r\033[K{self.text()}")
        elif self.clock() - self.shown >= SECONDS_BETWEEN_LINES:
            self.stream.write(self.text() + "\n")
        else:
            return
        self.shown = self.clock()
        self.stream.flush()

    def add(self, failure=None):
        """One more thing has ended, or, with a Failure, those that it is of."""
        self.done += failure.count if failure else 1
        if failure:
            self.failed += failure.count
            self.tell(failure)
        self.show()

    def tell(self, failure):
        """A reason once."""
        if failure.reason in self.told:
            self.repeats[failure.reason] += failure.count
            return
        self.told[failure.reason] = failure
        if len(self.told) <= FAILURES_TOLD:
            self.say(failure.line())
        if len(self.told) == FAILURES_TOLD:
            self.say(f"nadi: of further points that fail, {self.table} has the reasons")

    def tell_repeats(self):
        """At the end."""
        for failure in list(self.told.values())[:FAILURES_TOLD]:
            if self.repeats[failure.reason]:
                self.say(f"nadi: {self.repeats[failure.reason]} more for the same reason as "
                         f"{failure.first}")

    def say(self, line):
        self.clear()
        self.stream.write(line + "\n")
        self.stream.flush()

    def clear(self):
        if self.is_terminal:
            self.stream.write("\r\033[K")
            self.stream.flush()
