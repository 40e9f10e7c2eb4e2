# SPDX-License-Identifier: GPL-2.0-only
"""The words of the command line of `nadi optimize`, and its help."""

import argparse
import pathlib

from ..arguments import Parser, whole_number
from ..errors import UsageError

DESCRIPTION = """Finds the bandwidths of a network's dimensions that make workloads fastest, or
cheapest for their speed, under a budget; then simulates them and what is around them.

What each workload moves in each dimension comes from nadi check --demands. The best bandwidths
come with a proof of how near they are to the best ones of that model."""

EPILOG = """examples:
  nadi optimize configs/optimize/torus-budget.yaml    the best bandwidths, verified by simulation
  nadi optimize configs/optimize/torus-budget.yaml --out results/budget --workers 4

a study:
  optimize:
    bandwidths: ["network.dimensions[0].bandwidth", "network.dimensions[1].bandwidth"]
    minimize: time                        # or time x cost
    total: 500 GB/s                       # of an NPU over all its links
    constraints: ["network.dimensions[1].bandwidth <= 100 GB/s"]     # of a link
    tiers: [package, node]                # what each dimension is made of
    prices: {package: {link: 4.0}, node: {link: 7.8, switch: 18.0, nic: 31.6}}   # $ per GB/s
    workloads: [{config: a.yaml, weight: 1}, {demands: gpt3.json, weight: 1}]

exit codes: 0 done; 2 wrong command line; 3 invalid study, configuration or demands; 5 interrupted:
the same command goes on; else that of the first simulation that failed"""


def parse_arguments(words):
    parser = Parser(prog="nadi optimize", description=DESCRIPTION, epilog=EPILOG,
                    allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", metavar="STUDY", help="a YAML file")
    parser.add_argument("--out", metavar="DIR", type=pathlib.Path,
                        help="where the results go; default: results/<name of the study>")
    parser.add_argument("--workers", metavar="N", type=whole_number,
                        help="how many simulations run at once; default: one on each core")
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="run the simulations on the Dask cluster of this scheduler instead of "
                        "this machine")
    parser.add_argument("--simulator", metavar="PATH", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.scheduler and arguments.workers:
        raise UsageError("--workers is for simulations that run on this machine; leave it out with "
                         "--scheduler, whose workers are counted there")
    return arguments
