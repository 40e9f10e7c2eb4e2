#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How time and memory grow with the NPUs: the table and the figure of docs/performance.md.

A halving-doubling all-reduce of 64 MiB on one switch, with each backend: 2 log2 N messages an NPU.
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from one_run import summary_of

TOP = pathlib.Path(__file__).resolve().parent.parent
CONFIG = TOP / "configs/benchmarks/halving-doubling-64MiB-switch-32768.yaml"
SIZES = [64, 256, 1024, 4096, 16384, 32768]
BACKENDS = ["packet", "flow", "analytical"]


def run(binary, backend, npus):
    """The summary of one run."""
    settings = [f"network.backend={backend}", f"network.dimensions[0].size={npus}"]
    return summary_of(binary, CONFIG, settings)


def print_table(results):
    print("| NPUs | backend | wall s | events | MiB |\n|---|---|---|---|---|")
    for (backend, npus), summary in results.items():
        print(
            f"| {npus} | {backend} | {summary['wall_time_s']:.3f} | {summary['events']}"
            f" | {summary['peak_memory_bytes'] / 2**20:.0f} |"
        )


def draw(results, file):
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
    fields = [("wall_time_s", 1, "wall time, s"), ("peak_memory_bytes", 2**20, "memory, MiB")]
    for axis, (field, unit, label) in zip(axes, fields):
        for backend in BACKENDS:
            values = [results[backend, npus][field] / unit for npus in SIZES]
            axis.plot(SIZES, values, marker="o", label=backend)
        axis.set(xlabel="NPUs", ylabel=label, xscale="log", yscale="log")
        axis.grid(alpha=0.3)
    axes[1].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes[1].yaxis.set_major_formatter(ScalarFormatter())
    axes[1].yaxis.set_minor_formatter(NullFormatter())
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(file, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=pathlib.Path, default=TOP / "docs/figures/growth.png")
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/cli/nadi")
    arguments = parser.parse_args()
    results = {
        (backend, npus): run(arguments.binary, backend, npus)
        for npus in SIZES
        for backend in BACKENDS
    }
    print_table(results)
    arguments.figure.parent.mkdir(exist_ok=True)
    draw(results, arguments.figure)


if __name__ == "__main__":
    main()
