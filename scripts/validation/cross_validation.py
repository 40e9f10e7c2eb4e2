# SPDX-License-Identifier: GPL-2.0-only
"""How far the parameters carry: each group of tables predicted by a fit to all others."""

from .fit import fit

EVALUATIONS = 6  # from the fit to all: leaving few tables out moves it little


def by_system(case):
    return case.system


def by_table(case):
    return case.name


def leave_out(cases, logs, group, told=None):
    """{name of a table: its residuals under the fit without its group}."""
    residuals = {}
    for name in dict.fromkeys(map(group, cases)):
        others = [case for case in cases if group(case) != name]
        without = fit(others, logs, EVALUATIONS)
        for case in cases:
            if group(case) == name:
                residuals[case.name] = case.residuals(without)
        if told:
            told(name)
    return residuals
