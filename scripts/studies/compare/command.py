# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi compare` does."""

import json
import os
import string

from .. import simulator
from ..entry import BEGIN_ANEW, run_command
from ..errors import EXIT_DONE
from ..interrupts import held_interrupts
from .arguments import parse_arguments
from .comparison import compare
from .json_form import comparison_fields, run_fields
from .run import Run
from .text import describe, time_text


def main(words):
    return run_command("compare", lambda: run(parse_arguments(words)), BEGIN_ANEW)


def run(arguments):
    version = simulator.version(os.path.abspath(arguments.simulator)).split()[1]
    runs = [Run(directory, version) for directory in arguments.directories]
    comparisons = [compare(runs[0], other) for other in runs[1:]]
    names = [name_of(number) for number in range(len(runs))]
    if arguments.report:
        with held_interrupts():
            from report.comparison_page import write_comparison  # takes a second to load

        write_comparison(arguments.report, comparisons, names, version)
    if arguments.json:
        print_json(runs, comparisons)
    else:
        print_tables(runs, comparisons, names, arguments.report)
    return EXIT_DONE


def print_json(runs, comparisons):
    fields = {"runs": [run_fields(one) for one in runs],
              "comparisons": [comparison_fields(one) for one in comparisons]}
    print(json.dumps(fields, indent=2))


def print_tables(runs, comparisons, names, page):
    for name, one in zip(names, runs):
        print(f"{name}  {one.path}: {time_text(one.finish)}, {one.summary['status']}")
    for name, comparison in zip(names[1:], comparisons):
        print()
        print("\n".join(describe(comparison, (names[0], name))))
    if page:
        print(f"\nreport: {page}")


def name_of(number):
    """A, B, ..., Z, then R26 and so on."""
    letters = string.ascii_uppercase
    return letters[number] if number < len(letters) else f"R{number}"
