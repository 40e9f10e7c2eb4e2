# SPDX-License-Identifier: GPL-2.0-only
"""Runs the points of which no result is kept."""

import collections.abc
import contextlib
import dataclasses
import os
import sys

from . import cluster
from .entry import GO_ON
from .errors import SchedulerLost
from .interrupts import ignore_interrupts
from .progress import Failure, Progress
from .simulator import cores, version


@dataclasses.dataclass
class Runner:
    """`base_of` says of a point in which file the configuration is that its settings change.
    `points` is what the progress line calls the points, `table` the file that says why one failed.
    """

    simulator: str
    base_of: collections.abc.Callable
    workers: int | None = None  # None: one on each core
    scheduler: str | None = None  # None: this machine
    points: str = "points"
    table: str = "results.csv"
    stack: contextlib.ExitStack = None  # of one_cluster
    client: object = None  # likewise, once it was needed

    @contextlib.contextmanager
    def one_cluster(self):
        """Meanwhile, all calls of run_missing use the same workers."""
        with contextlib.ExitStack() as self.stack:
            yield
        self.stack = self.client = None

    def run_missing(self, points, store):
        """Runs what is not finished. Returns whether nothing stopped it."""
        unique = {point.id: point for point in points}.values()
        missing = [point for point in unique if not store.is_finished(point)]
        self.tell_what_is_kept(len(unique), missing, store)
        for point in missing:
            store.forget(point)
        progress = Progress(len(missing), f"{self.points} run", table=self.table)
        try:
            for group in refused_alike(missing):
                progress.add(settle_refused(store, group))
            self.run_valid([one for one in missing if not one.refusal], store, progress)
        except (KeyboardInterrupt, SchedulerLost) as stopped:
            ignore_interrupts()
            self.close_cluster()
            reason = str(stopped) or "interrupted"
            progress.tell_repeats()
            count = f"{progress.done} of {len(missing)} {self.points}"
            progress.say(f"nadi: {reason} after {count}; {GO_ON}")
            return False
        progress.tell_repeats()
        progress.clear()
        store.clear_staging()
        return True

    def tell_what_is_kept(self, count, missing, store):
        if len(missing) < count:
            finished = f"{count - len(missing)} of {count} {self.points}"
            print(f"nadi: {finished} are finished already and are not run again", file=sys.stderr)
        others = store.count_of_other_builds(version(self.simulator)) if missing else 0
        if others:
            print(f"nadi: {others} results in {store.points} are of another build of Nadi; they "
                  "stay there and are not used", file=sys.stderr)

    def run_valid(self, points, store, progress):
        def command_of(point):
            binary = os.path.abspath(self.simulator)
            return cluster.command(binary, self.base_of(point), point, store.directory(point))

        if not points:
            return
        progress.show()
        with self.connect(len(points)) as client:
            for point, code, message in cluster.run_points(client, points, command_of):
                progress.add(settle(store, point, code, message))

    def close_cluster(self):
        """Of one_cluster, before its end."""
        if self.stack is not None:
            self.stack.close()
            self.client = None

    def connect(self, count):
        workers = self.workers or cores()
        if self.stack is None:
            return cluster.connect(self.scheduler, min(workers, count))
        if self.client is None:
            self.client = self.stack.enter_context(cluster.connect(self.scheduler, workers))
        return contextlib.nullcontext(self.client)


def refused_alike(points):
    """Those that the simulator refuses, in a list for each reason: it often is in the base."""
    groups = {}
    for point in points:
        if point.refusal:
            reason = point.refusal.code, point.refusal.message
            groups.setdefault(reason, []).append(point)
    return groups.values()


def settle_refused(store, points):
    """The Failure of points that are refused for one reason. Requires: one at least."""
    failures = [settle(store, one, one.refusal.code, one.refusal.message) for one in points]
    return dataclasses.replace(failures[0], count=len(points))


def settle(store, point, code, message):
    """Keeps how a point ended; its Failure unless it is done."""
    result = store.load(point)
    if result is None or not result.is_finished:
        store.keep_failure(point, code, message or "the simulator ended without a result")
        result = store.load(point)
    if result.status == "done":
        return None
    ended = "failed" if result.status == "failed" else f"is {result.status}"
    who = f"point {point.id} ({point.describe()})"
    return Failure(who, ended, result.summary["exit_reason"])
