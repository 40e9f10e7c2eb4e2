# SPDX-License-Identifier: GPL-2.0-only
"""What the plot_*.py scripts share: reading result directories, and their command line."""

import argparse
import csv
import io
import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image


def rows(directory, name):
    """The rows of one CSV file of a result directory."""
    with open(directory / name, newline="") as file:
        return list(csv.DictReader(file))


def summary(directory):
    return json.loads((directory / "summary.json").read_text())


def case_and_seed(directory):
    """`ecmp-3` is the third run of the case `ecmp`; a name without a number is one run."""
    case, _, seed = directory.name.rpartition("-")
    return (case, int(seed)) if seed.isdigit() else (directory.name, 1)


def by_case(runs):
    """The runs of each case, in the order of the first of each."""
    cases = {}
    for run in runs:
        cases.setdefault(run["case"], []).append(run)
    return cases


def jain(values):
    """1 when all have the same, 1/n when one has all."""
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def mean(values):
    return sum(values) / len(values)


def print_header(columns):
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")


def save(figure, file, dpi=75):
    """A PNG with a palette: small, and lines and letters need no more colours."""
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=dpi)
    colored = Image.open(picture).convert("RGB")
    colored.quantize(128, method=Image.FASTOCTREE).save(file, optimize=True)


def main(description, read_run, print_table, draw):
    """Prints the table of the result directories on the command line; draws them with --figure."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--figure", type=pathlib.Path, help="PNG to write")
    arguments = parser.parse_args()
    runs = [read_run(directory) for directory in arguments.results]
    print_table(runs)
    if arguments.figure:
        draw(runs, arguments.figure)
