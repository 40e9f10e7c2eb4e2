#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The benchmarks: every case in a process of its own, several times, medians with their spread.

Beside them stands the rate at which stock ns-3 executes empty events on this machine, measured in
the same call, so that ratios hold on any machine. `--json` prints the same for scripts.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent

# name, configuration
CASES = [
    ("ring 64 MiB, 8 NPUs, 1 switch", "configs/benchmarks/ring-64MiB-switch-8.yaml"),
    ("ring 1 MiB, torus 8x8", "configs/benchmarks/ring-1MiB-torus-8x8.yaml"),
    ("incast 16:1, DCQCN, PFC, ECN", "configs/benchmarks/incast-dcqcn-16.yaml"),
    ("incast 16:1, HPCC", "configs/benchmarks/incast-hpcc-16.yaml"),
]


def run_case(binary, config):
    """The summary of one run of a configuration."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        subprocess.run(
            [binary, "run", TOP / config, "--quiet", "--out", out],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return json.loads(pathlib.Path(out, "summary.json").read_text())


def stock_rate(program):
    """Empty events a second of ns-3 with its default scheduler and 1000 events pending."""
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(build, runs):
    binary = build / "cli/nadi"
    summaries = {name: [] for name, _ in CASES}
    stock = []
    for _ in range(runs):  # in turn, so that a slow moment of the machine meets all of them
        stock.append(stock_rate(build / "ns3-module/examples/stock-event-rate"))
        for name, config in CASES:
            summaries[name].append(run_case(binary, config))
    return {
        "runs": runs,
        "stock_events_per_s": spread(stock),
        "cases": {name: figures(summaries[name], stock) for name, _ in CASES},
    }


def figures(runs, stock):
    rates = [run["packet_hops"] / run["wall_time_s"] for run in runs]
    return {
        "wall_s": spread([run["wall_time_s"] for run in runs]),
        "frame_hops": runs[0]["packet_hops"],
        "events": runs[0]["events"],
        "frame_hops_per_s": spread(rates),
        "events_per_s": spread([run["events"] / run["wall_time_s"] for run in runs]),
        "rate_over_stock": spread([rate / empty for rate, empty in zip(rates, stock)]),
        "peak_memory_bytes": max(run["peak_memory_bytes"] for run in runs),
    }


def show(result):
    stock = result["stock_events_per_s"]
    print(f"{result['runs']} runs of each case; medians [smallest .. largest]")
    print(
        f"stock ns-3, empty events, 1000 pending: {stock['median'] / 1e6:.2f} M/s "
        f"[{stock['min'] / 1e6:.2f} .. {stock['max'] / 1e6:.2f}]\n"
    )
    print(f"{'case':32} {'wall s':>22} {'frame-hops':>11} {'M/s':>6} {'of stock':>9} {'MiB':>6}")
    for name, case in result["cases"].items():
        wall = case["wall_s"]
        span = f"{wall['median']:.3f} [{wall['min']:.3f} .. {wall['max']:.3f}]"
        print(
            f"{name:32} {span:>22} {case['frame_hops']:>11} "
            f"{case['frame_hops_per_s']['median'] / 1e6:>6.2f} "
            f"{case['rate_over_stock']['median']:>9.2f} "
            f"{case['peak_memory_bytes'] / 2**20:>6.0f}"
        )


def main():
    parser = argparse.ArgumentParser(prog="nadi bench", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.runs < 1:
        sys.exit("nadi bench: --runs takes a whole number from 1")
    result = measure(arguments.build, arguments.runs)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
