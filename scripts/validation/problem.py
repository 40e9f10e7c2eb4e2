# SPDX-License-Identifier: GPL-2.0-only
"""The tables as a problem of least squares: residuals log(predicted / measured), and their
derivatives."""

import numpy as np

from .machine import make_machine
from .parameters import Values, width
from .prediction import plan, predict
from .refusal import Refusal

LARGE = 1 << 20
SMALL_WEIGHT = 0.5  # of a row below 1 MiB: the launch, which nobody states, is most of it
GLITCH_WEIGHT = 0.1
STEP = 1e-4  # of a logarithm


class Case:
    """One table, ready for prediction."""

    def __init__(self, table):
        self.table = table
        self.machine, self.notes = make_machine(table.side)
        self.sizes = np.array([row.size for row in table.rows])
        self.measured = np.log([row.time for row in table.rows])
        self.glitch = np.array([row.glitch for row in table.rows])
        self.planned = plan(self.machine, self.sizes)
        self.weights = np.where(self.sizes >= LARGE, 1.0, SMALL_WEIGHT)
        self.weights = np.where(self.glitch, GLITCH_WEIGHT, self.weights)
        self.correction = np.zeros(len(self.sizes))  # log(simulated / closed form)
        asked = set()
        self.residuals({}, asked)
        self.variables = sorted(name for name in asked if width(name) > 0)

    @property
    def name(self):
        return self.table.name

    @property
    def system(self):
        return self.table.system

    def closed_form(self, logs, asked=None):
        """us of each row."""
        return predict(self.machine, Values(logs, self.machine, asked), self.sizes, self.planned)

    def residuals(self, logs, asked=None):
        times = self.closed_form(logs, asked)
        return np.log(times) + self.correction - self.measured

    def correct(self, times, logs):
        """From now on the residuals are those of the simulation, whose times with the parameters
        `logs` these are: the closed form says only how they change."""
        self.correction = np.log(times) - np.log(self.closed_form(logs))

    def derivatives(self, logs):
        """{variable: derivative of the residuals}."""
        here = self.residuals(logs)
        columns = {}
        for name in self.variables:
            moved = {**logs, name: logs.get(name, 0.0) + STEP}
            columns[name] = (self.residuals(moved) - here) / STEP
        return columns

    def large(self, glitches=True):
        """Which rows have at least 1 MiB, with or without the glitch rows."""
        return (self.sizes >= LARGE) & (glitches | ~self.glitch)


def make_cases(tables):
    """(cases, [(table, why it is refused)])."""
    cases, refused = [], []
    for table in tables:
        try:
            cases.append(Case(table))
        except Refusal as refusal:
            refused.append((table, str(refusal)))
    return cases, refused
