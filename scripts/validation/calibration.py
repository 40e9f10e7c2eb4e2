# SPDX-License-Identifier: GPL-2.0-only
"""The calibration from tables to presets and a page."""

import sys

from .cross_validation import by_system, by_table, leave_out
from .fit import determined, fit
from .presets import write_presets
from .problem import make_cases
from .reading import read_tables
from .simulated.correction import simulate_all
from .report import make_page
from .statistics import errors_of

EXIT_CONFIG = 3
ROUNDS = 3  # of simulating with the parameters found, and fitting again
FOLDS = {
    "systems": ("leave one system out", by_system),
    "tables": ("leave one table out", by_table),
}


def calibrate(arguments):
    """The exit code."""
    reading = read_tables(arguments.tables)
    for file, why in reading.unusable:
        print(f"{file}: {why}", file=sys.stderr)
    cases, refused = make_cases(reading.tables)
    if reading.unusable or not cases:
        return EXIT_CONFIG
    logs = fit(cases)
    for _ in range(ROUNDS if arguments.simulator else 0):
        print(summary(cases, {case.name: case.residuals(logs) for case in cases}), flush=True)
        correct(cases, logs, arguments.simulator)
        logs = fit(cases, logs)
    if arguments.simulator:
        correct(cases, logs, arguments.simulator)
    residuals = {case.name: case.residuals(logs) for case in cases}
    print(summary(cases, residuals))
    folds = [(title, leave_out(cases, logs, group, tell))
             for title, group in map(FOLDS.get, arguments.leave_out)]
    if arguments.presets:
        write_presets(logs, cases, arguments.presets)
    if arguments.page:
        names = [(table.name, why) for table, why in refused]
        names += [(file.name, why) for file, why in reading.refused]
        skipped = [(file.name, why) for file, why in reading.skipped]
        page = make_page(cases, residuals, folds, counted(cases, logs), names, skipped)
        arguments.page.write_text(page)
    return 0


def correct(cases, logs, binary):
    """Holds the closed form against the simulation with these parameters."""
    times = simulate_all(cases, logs, binary)
    for case in cases:
        if case.name in times:
            case.correct(times[case.name], logs)


def tell(name):
    print(f"without {name}", flush=True)


def summary(cases, residuals):
    rows = [one for case in cases for one in residuals[case.name]]
    large = [one for case in cases for one in residuals[case.name][case.large()]]
    every, big = errors_of(rows), errors_of(large)
    return (f"{len(cases)} tables, {every.rows} rows: error {100 * every.mean:.1f} %, "
            f"from 1 MiB on {100 * big.mean:.1f} %")


def counted(cases, logs):
    commons = [name for name in logs if "@" not in name]
    return (
        f"The fit has {len(logs)} variables under priors: {len(commons)} common values and "
        f"{len(logs) - len(commons)} deviations of generations and networks. The data determine "
        f"{determined(cases, logs):.0f} of them; the others stay near their priors."
    )
