# SPDX-License-Identifier: GPL-2.0-only
"""Finds the parameters: robust least squares with priors."""

import numpy as np
from scipy.optimize import least_squares

from .parameters import width

SCALE = 0.12  # of a residual: what the model leaves, more because rows of a table err together
EVALUATIONS = 25


def fit(cases, start=None, evaluations=EVALUATIONS):
    """{variable: logarithm} that fits the cases best."""
    names = sorted({name for case in cases for name in case.variables})
    place = {name: at for at, name in enumerate(names)}
    widths = np.array([width(name) for name in names])
    weights = np.concatenate([np.sqrt(case.weights) for case in cases]) / SCALE
    rows = len(weights)
    ends = np.cumsum([0] + [len(case.sizes) for case in cases])

    def residuals(x):
        logs = dict(zip(names, x))
        data = np.concatenate([case.residuals(logs) for case in cases])
        return np.concatenate([data * weights, x / widths])

    def jacobian(x):
        logs = dict(zip(names, x))
        matrix = np.zeros((rows + len(names), len(names)))
        for case, first, last in zip(cases, ends, ends[1:]):
            for name, column in case.derivatives(logs)[1].items():
                matrix[first:last, place[name]] = column
        matrix[:rows] *= weights[:, None]
        matrix[rows:] = np.diag(1 / widths)
        return matrix

    def loss(squares):
        """Soft for the data, so that outliers pull as little as they should; plain for the priors."""
        values = np.empty((3, len(squares)))
        root = np.sqrt(1 + squares[:rows])
        values[:, :rows] = 2 * (root - 1), 1 / root, -0.5 / root**3
        values[0, rows:], values[1, rows:], values[2, rows:] = squares[rows:], 1, 0
        return values

    first = np.array([(start or {}).get(name, 0.0) for name in names])
    found = least_squares(residuals, first, jacobian, loss=loss, max_nfev=evaluations, xtol=1e-4, ftol=1e-5)
    return dict(zip(names, found.x))
