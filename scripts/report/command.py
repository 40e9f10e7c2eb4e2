# SPDX-License-Identifier: GPL-2.0-only
"""What `nadi report` does."""

import json
import os

from studies import simulator
from studies.entry import run_command
from studies.errors import EXIT_DONE, UsageError

from .arguments import parse_arguments
from .html_page import write_page
from .run_page import DEFAULT_FILE, run_sections


def main(words):
    return run_command("report", lambda: run(parse_arguments(words)))


def run(arguments):
    file = write_report(arguments.directory, os.path.abspath(arguments.simulator), arguments.out)
    if not arguments.quiet:
        print(f"report: {file}")
    return EXIT_DONE


def write_report(path, binary, out=None):
    """Writes the page of the results in `path`; returns its file."""
    if not path.is_dir():
        raise UsageError(f'"{path}" is not a directory; name one that holds results')
    version = simulator.version(binary).split()[1]
    schema = json.loads(simulator.ask(binary, "schema"))
    sections = run_sections(path, version, schema)
    file = out or path / DEFAULT_FILE
    write_page(file, f"Report of {path.resolve().name}", sections, version)
    return file
