# SPDX-License-Identifier: GPL-2.0-only
"""The words of the command line of `nadi sweep`, and its help."""

import argparse
import pathlib

from .errors import UsageError

DESCRIPTION = """Runs the points of a study, keeps their results and draws its figures.

A study names a configuration, and lists the values that its keys take in turn: each combination of
them is a point, which is one run of the simulator. What is finished is not run again."""

EPILOG = """examples:
  nadi sweep configs/studies/themis.yaml
  nadi sweep study.yaml                   run what is not finished, write tables and figures
  nadi sweep study.yaml --dry-run         list the points, and which of them are finished
  nadi sweep study.yaml --workers 4 --out results/first-try
  nadi sweep study.yaml --scheduler tcp://host:8786

a study:
  base: quickstart.yaml                   # a configuration; its path is relative to the study
  sweep:
    "network.dimensions[0].bandwidth": [31 GB/s, 62 GB/s, 128 GB/s]
    system.inter-dimension: [baseline, themis]
  plots:
    - {kind: line, x: "network.dimensions[0].bandwidth", y: finish_time_ns,
       series: system.inter-dimension}

exit codes: 0 all points are done; 2 wrong command line; 3 invalid study; 5 interrupted: the same
command goes on; else that of the first point that is not done"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{message} ({self.prog} --help says more)")


def whole_number(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number from 1')
    return int(text)


def parse_arguments(words):
    parser = Parser(prog="nadi sweep", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", metavar="STUDY", help="a YAML file")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        help="where the results go; default: results/<name of the study>")
    parser.add_argument("--workers", metavar="N", type=whole_number,
                        help="how many points run at once; default: one on each core")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="run the points on the Dask cluster of this scheduler instead of this "
                        "machine")
    parser.add_argument("--dry-run", action="store_true",
                        help="list the points and what is known of each; run nothing")
    parser.add_argument("--report", action="store_true",
                        help="write DIR/report.html too: the points, and plots whose axes are "
                        "chosen on the page")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.scheduler and arguments.workers:
        raise UsageError("--workers is for points that run on this machine; leave it out with "
                         "--scheduler, whose workers are counted there")
    return arguments
