# SPDX-License-Identifier: GPL-2.0-only
"""The words of the command line of `nadi compare`, and its help."""

import argparse
import pathlib

from ..arguments import Parser
from ..errors import UsageError

DESCRIPTION = """Says what differs between results: in configuration, times, collectives and links.

The difference of the finish times is taken apart exactly, into compute, exposed communication by
type, and idle time of the slowest ranks."""

EPILOG = """examples:
  nadi compare results/quickstart results/quickstart-themis
  nadi compare results/sweep/points/1a2b3c4d5e6f results/sweep/points/6f5e4d3c2b1a --json
  nadi compare results/quickstart results/quickstart-themis --report comparison.html

Of several results, each is compared with the first.

exit codes: 0 done; 2 wrong command line, a directory without a result, or a file that cannot be
written; 3 a damaged result"""


def parse_arguments(words):
    parser = Parser(prog="nadi compare", description=DESCRIPTION, epilog=EPILOG,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", type=pathlib.Path,
                        help="results of nadi run, or points of a sweep")
    parser.add_argument("--json", action="store_true", help="print JSON in place of tables")
    parser.add_argument("--report", metavar="FILE", type=pathlib.Path,
                        help="write the comparison as one HTML file too")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if len(arguments.directories) < 2:
        raise UsageError("one result cannot be compared; name two or more")
    return arguments
