# SPDX-License-Identifier: GPL-2.0-only
"""Finds the parameters: robust least squares with priors."""

import numpy as np
from scipy.optimize import least_squares

from .parameters import width

# Of a residual. It is what the model leaves, enlarged because the rows of a table err together.
SCALE = 0.12
EVALUATIONS = 25


class Problem:
    """Residuals and their derivatives for a vector of variables, and for the priors below them."""

    def __init__(self, cases):
        self.cases = cases
        self.names = sorted({name for case in cases for name in case.variables})
        self.place = {name: at for at, name in enumerate(self.names)}
        self.widths = np.array([width(name) for name in self.names])
        self.weights = np.concatenate([np.sqrt(case.weights) for case in cases]) / SCALE
        self.ends = np.cumsum([0] + [len(case.sizes) for case in cases])

    @property
    def rows(self):
        return len(self.weights)

    def residuals(self, x):
        logs = dict(zip(self.names, x))
        data = np.concatenate([case.residuals(logs) for case in self.cases])
        return np.concatenate([data * self.weights, x / self.widths])

    def jacobian(self, x):
        logs = dict(zip(self.names, x))
        matrix = np.zeros((self.rows + len(self.names), len(self.names)))
        for case, first, last in zip(self.cases, self.ends, self.ends[1:]):
            for name, column in case.derivatives(logs).items():
                matrix[first:last, self.place[name]] = column
        matrix[: self.rows] *= self.weights[:, None]
        matrix[self.rows :] = np.diag(1 / self.widths)
        return matrix

    def loss(self, squares):
        """Soft for the data, so that outliers pull little; plain for the priors."""
        values = np.empty((3, len(squares)))
        root = np.sqrt(1 + squares[: self.rows])
        values[:, : self.rows] = 2 * (root - 1), 1 / root, -0.5 / root**3
        values[0, self.rows :] = squares[self.rows :]
        values[1, self.rows :], values[2, self.rows :] = 1, 0
        return values


def fit(cases, start=None, evaluations=EVALUATIONS):
    """{variable: logarithm} that fits the cases best."""
    problem = Problem(cases)
    first = np.array([(start or {}).get(name, 0.0) for name in problem.names])
    found = least_squares(problem.residuals, first, problem.jacobian, loss=problem.loss,
                          max_nfev=evaluations, xtol=1e-4, ftol=1e-5)
    return dict(zip(problem.names, found.x))


def determined(cases, logs):
    """How many parameters the data determine: the trace of the influence of the data on the fit."""
    problem = Problem(cases)
    matrix = problem.jacobian(np.array([logs.get(name, 0.0) for name in problem.names]))
    data = matrix[: problem.rows]
    all_of_it = matrix.T @ matrix
    return float(np.trace(np.linalg.solve(all_of_it, data.T @ data)))
