# SPDX-License-Identifier: GPL-2.0-only
"""The words of the command line of `nadi validate`, and its help."""

import argparse
import pathlib

from studies.arguments import Parser, whole_number

DESCRIPTION = """Simulates measured tables, and says how far the simulated times are from the
measured ones.

A table is a CSV file (size_bytes, time_us, algbw_GBps, busbw_GBps) with a YAML file of the same
stem beside it, which describes the system, or a log of nccl-tests or rccl-tests. A YAML
file with the key recording or training describes whole training iterations. Directories are read
with their subdirectories. X.inplace.csv is the noise floor of X.csv. What is finished is not run
again."""

EPILOG = """examples:
  nadi validate measured/                        all tables of a folder
  nadi validate all_reduce.log --preset h100     a log, with the parameters of H100
  nadi validate measured/ --against plain        what the model of the library adds
  nadi validate table.csv --config cluster.yaml  on a network and a library of your own
  nadi validate step.yaml --data recorded/       a recorded training iteration

exit codes: 0 at least one row was simulated; 2 wrong command line; 3 no row was, or a file named on
the command line is unusable; 5 interrupted: the same command goes on"""


def parse_arguments(words, presets):
    """`presets` are the names that --preset takes."""
    parser = Parser(prog="nadi validate", description=DESCRIPTION, epilog=EPILOG,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", metavar="FILE_OR_DIR", nargs="+", type=pathlib.Path,
                        help="measured tables, descriptions of whole iterations, or "
                        "directories of them")
    parser.add_argument("--config", metavar="CONFIG", type=pathlib.Path,
                        help="take the sections system and network from this configuration, in "
                        "place of what the tables say of their machines")
    parser.add_argument("--preset", metavar="NAME", choices=presets,
                        help=f"the preset of the GPUs, whatever the tables say: "
                        f"{', '.join(presets)}")
    parser.add_argument("--data", metavar="DIR", type=pathlib.Path,
                        help="where the traces and tables lie that descriptions of whole "
                        "iterations name, if they do not stand beside these descriptions")
    parser.add_argument("--against", metavar="LIBRARY", choices=["plain"],
                        help="simulate all rows with this library too: plain")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        default=pathlib.Path("results/validation"),
                        help="where the results go; default: results/validation")
    parser.add_argument("--workers", metavar="N", type=whole_number,
                        help="how many rows run at once; default: one on each core")
    parser.add_argument("--report", action="store_true",
                        help="write DIR/validation.html, as is done without this option too")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.config and arguments.preset:
        parser.error("--preset has no effect with --config, whose system.library says the preset; "
                     "remove one of them, or write system.library.preset there")
    return arguments
