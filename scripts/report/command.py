# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi report` does."""

import json
import os

from studies import simulator
from studies.entry import BEGIN_ANEW, run_command
from studies.errors import EXIT_DONE, UsageError

from . import run_page, sweep_page, validation_page
from .arguments import parse_arguments
from .html_page import write_page


def main(words):
    return run_command("report", lambda: run(parse_arguments(words)), BEGIN_ANEW)


def run(arguments):
    file = write_report(arguments.directory, os.path.abspath(arguments.simulator), arguments.out)
    if not arguments.quiet:
        print(f"report: {file}")
    return EXIT_DONE


def write_report(path, binary, out=None):
    """Writes the page of the results in `path`: of a validation, a sweep or a run. Returns its
    file.

    Throws UsageError, DamagedResult and NewerResult; nothing is written then."""
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a directory; name one that holds results')
    version = simulator.version(binary).split()[1]
    sections, file = make_sections(path, binary, version)
    file = out or path / file
    write_page(file, f"Report of {path.resolve().name}", sections, version)
    return file


def make_sections(path, binary, version):
    """(sections, the name of the file by default)."""
    if validation_page.is_validation(path):
        return validation_page.validation_sections(path), validation_page.DEFAULT_FILE
    if sweep_page.is_sweep(path):
        return sweep_page.sweep_sections(path), sweep_page.DEFAULT_FILE
    schema = json.loads(simulator.ask(binary, "schema"))
    return run_page.run_sections(path, version, schema), run_page.DEFAULT_FILE
