# SPDX-License-Identifier: GPL-2.0-only
"""The words of the command line of `nadi report`, and its help."""

import argparse
import pathlib

from studies.arguments import Parser

DESCRIPTION = """Makes one HTML file that shows a result: of a run, of a sweep, or of a validation.

The file needs no other file and no network: it can be sent, and opened in any browser. It is made
of the files of the directory alone. What they do not have is left out, and the page says which key
of the configuration brings it."""

EPILOG = """examples:
  nadi report results/quickstart                       writes results/quickstart/report.html
  nadi report results/quickstart-themis --out for-the-team.html

exit codes: 0 done; 2 wrong command line, no result, or a file that cannot be written; 3 a damaged
file, or one of a newer version"""


def parse_arguments(words):
    parser = Parser(prog="nadi report", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", type=pathlib.Path,
                        help="the results of a run, of a sweep or of a validation")
    parser.add_argument("--out", metavar="FILE", type=pathlib.Path,
                        help="where the page goes; default: DIR/report.html, or "
                        "DIR/validation.html of a validation")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    return parser.parse_args(words)
