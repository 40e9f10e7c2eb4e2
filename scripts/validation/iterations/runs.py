# SPDX-License-Identifier: GPL-2.0-only
"""Runs of whole iterations: their points, and what is kept of them."""

from studies import simulator
from studies.identity import point_id
from studies.points import Point, configure
from studies.runner import Runner

from ..refusal import Refusal
from ..simulated.subject import RowPoint, write_configuration


class Runs:
    """Makes and runs points; what the store has is not run again."""

    def __init__(self, binary, store, workers):
        self.binary = binary
        self.store = store
        self.workers = workers

    def write_base(self, name, workload, sections):
        """The configuration that `settings` of points change."""
        base = self.store.out / "configurations/iterations" / f"{name}.yaml"
        write_configuration(base, {"workload": workload} | sections)
        return base

    def make_point(self, base, coordinates, settings):
        """Throws Refusal with the simulator's message."""
        effective, refusal = configure(base, Point({}, settings), self.binary)
        if refusal:
            raise Refusal(refusal.message)
        version = simulator.version(self.binary)
        return RowPoint(coordinates, settings, point_id(effective, version), effective, base=base)

    def run(self, points):
        """Returns whether nothing stopped it."""
        runner = Runner(self.binary, lambda point: point.base, self.workers,
                        points="iterations", table="iterations.csv")
        return runner.run_missing(points, self.store)

    def summary(self, point):
        """The fields of its summary.json. Throws Refusal where the run has no result."""
        result = self.store.load(point)
        if result is None:
            raise Refusal("not run: interrupted")
        if result.status != "done":
            raise Refusal(result.summary["exit_reason"])
        return result.summary

    def directory(self, point):
        return self.store.directory(point)


class Interrupted(Exception):
    """The user stopped the runs."""
