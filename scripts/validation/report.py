# SPDX-License-Identifier: GPL-2.0-only
"""The errors of a calibration as a page in Markdown."""

import numpy as np

from .statistics import errors_of

MIB = 1 << 20
ODD_PATHS = ("polaris", "abci_a100")


def make_sets(cases):
    """[(name, cases)]."""
    tables = [case.system for case in cases]
    known = [case for case in cases if case.machine.is_algorithm_known]
    one_node = [case for case in cases if case.machine.nodes == 1 and case not in known]
    several = [case for case in cases if case.machine.nodes > 1]
    return [
        ("calibration, all", cases),
        ("one node, library's choice", one_node),
        ("known algorithm (MSCCL, forced)", known),
        ("several nodes", several),
        ("several nodes without Polaris and ABCI A100",
         [case for case in several if not case.name.startswith(ODD_PATHS)]),
        ("systems with several tables", [case for case in cases if tables.count(case.system) > 1]),
    ]  # fmt: skip


def percent(value):
    return f"{100 * value:.1f}"


def joined(cases, residuals, select):
    """Residuals of the rows that `select` marks, of all cases one behind the other."""
    parts = [residuals[case.name][select(case)] for case in cases]
    return np.concatenate(parts) if parts else np.array([])


def whole(case):
    return np.ones(len(case.sizes), bool)


def large(case):
    return case.large()


def smooth(case):
    return case.large(glitches=False)


def make_page(cases, residuals, folds, parameters, refused, skipped):
    """`folds` are [(title, residuals)] of cross-validations; `parameters` is a sentence on them."""
    lines = ["# Calibration of the library model", "", INTRODUCTION, "", parameters, ""]
    lines += ["## Overall", "", *sets_table("in sample", cases, residuals)]
    for title, others in folds:
        lines += ["", f"### {title}", "", *sets_table(title, cases, others)]
    lines += ["", "## By system", "", *systems_table(cases, residuals, folds)]
    lines += ["", "## By table", "", *tables_table(cases, residuals, folds)]
    lines += ["", "## Worst rows", "", *worst_rows(cases, residuals)]
    lines += ["", "## Glitch rows", "", *glitch_rows(cases, residuals)]
    lines += ["", "## Not used", "", *unused(refused, skipped)]
    return "\n".join(lines) + "\n"


INTRODUCTION = """\
Errors of predictions against measured tables, in percent. The error of a set is the geometric
mean of max(s/m, m/s) - 1 over its rows, where s is the predicted and m the measured time; the bias
is the geometric mean of s/m - 1, positive where the model is slow. A glitch row takes, from 8 MiB
on, more than 85 % of the time of twice its size.

A fit needs thousands of evaluations, so it uses a closed form of the simulation. With --simulator,
the simulator runs all rows with the parameters found, and the fit goes on from what it says, three
times; the errors in sample are then those of simulated times. What is left out of a fit is
predicted by the closed form, with the difference between the two that was last seen.

The form of the model, the widths of the priors, some first values and what is known of some systems
were chosen with all these tables in view. So tables and systems that are left out of a fit are
still predicted somewhat too well; only tables that nobody had seen can tell by how much."""


def sets_table(_, cases, residuals):
    lines = [
        "| set | tables | all sizes | bias | >= 1 MiB | bias | without glitch rows "
        "| per table, >= 1 MiB: mean / median / max | above 25 % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, own in make_sets(cases):
        if not own:
            continue
        selections = (whole, large, smooth)
        every, big, calm = (errors_of(joined(own, residuals, one)) for one in selections)
        of_tables = table_errors(own, residuals)
        lines.append(
            f"| {name} | {len(own)} | {percent(every.mean)} | {percent(every.bias)} | "
            f"{percent(big.mean)} | {percent(big.bias)} | {percent(calm.mean)} | "
            f"{percent(np.mean(of_tables))} / {percent(np.median(of_tables))} / "
            f"{percent(max(of_tables))} | {sum(one > 0.25 for one in of_tables)} |"
        )
    return lines


def table_errors(cases, residuals):
    found = [errors_of(residuals[case.name][large(case)]) for case in cases]
    return [one.mean for one in found if one]


def cell(cases, residuals, select):
    found = errors_of(joined(cases, residuals, select))
    return "" if found is None else percent(found.mean)


def systems_table(cases, residuals, folds):
    heads = ["system", "tables", "all sizes", ">= 1 MiB", "bias", "without glitch rows"]
    heads += [f"{title}: >= 1 MiB" for title, _ in folds]
    lines = [row(heads), "|---" * len(heads) + "|"]
    for system in sorted({case.system for case in cases}):
        own = [case for case in cases if case.system == system]
        big = errors_of(joined(own, residuals, large))
        cells = [system, len(own), cell(own, residuals, whole), percent(big.mean)]
        cells += [percent(big.bias), cell(own, residuals, smooth)]
        lines.append(row(cells + [cell(own, others, large) for _, others in folds]))
    return lines


def tables_table(cases, residuals, folds):
    heads = ["table", "rows", "all sizes", ">= 1 MiB", "bias", "median", "worst", "noise"]
    heads += [f"{title}: >= 1 MiB" for title, _ in folds]
    lines = [row(heads), "|---" * len(heads) + "|"]
    for case in cases:
        every, big = (errors_of(residuals[case.name][one(case)]) for one in (whole, large))
        noise = errors_of(case.table.noise(MIB))
        cells = [case.name, len(case.sizes), percent(every.mean)]
        cells += [percent(one) for one in (big.mean, big.bias, big.median, big.worst)]
        cells.append(percent(noise.mean) if noise else "")
        lines.append(row(cells + [cell([case], others, large) for _, others in folds]))
    return [*lines, "", "Noise is the difference of the same run in place, from 1 MiB on."]


def row(cells):
    return "| " + " | ".join(str(one) for one in cells) + " |"


def named_rows(cases, residuals, select):
    """[(residual, table, size, measured us, what ran)] of the rows that `select` marks."""
    return [
        (residual, case.name, int(size), float(np.exp(measured)), "/".join(planned))
        for case in cases
        for residual, size, measured, planned, wanted in zip(
            residuals[case.name], case.sizes, case.measured, case.planned, select(case))
        if wanted
    ]  # fmt: skip


def rows_table(found):
    lines = ["| table | bytes | measured, us | predicted, us | error | algorithm |",
             "|---|---|---|---|---|---|"]
    for residual, name, size, measured, planned in found:
        predicted = measured * np.exp(residual)
        error = f"{100 * np.expm1(residual):+.0f} %"
        lines.append(row([name, size, f"{measured:.1f}", f"{predicted:.1f}", error, planned]))
    return lines


def worst_rows(cases, residuals, count=25):
    found = named_rows(cases, residuals, smooth)
    return rows_table(sorted(found, key=lambda one: -abs(one[0]))[:count])


def glitch_rows(cases, residuals):
    return rows_table(named_rows(cases, residuals, lambda case: case.glitch))


def unused(refused, skipped):
    lines = [f"* {name}: {why}" for name, why in [*refused, *skipped]]
    return lines or ["Nothing."]
