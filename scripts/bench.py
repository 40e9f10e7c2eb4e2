#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The benchmarks: every case in a process of its own, several times, medians with their spread.

The same call measures the rate at which stock ns-3 executes empty events on this machine, and the
rates of the event core. Ratios to the stock rate hold on any machine. A case is reported as slower
when its ratio is clearly worse than that of the committed baseline
(configs/benchmarks/baseline.json, written by --write-baseline).
"""

import argparse
import csv
import io
import json
import pathlib
import statistics
import subprocess
import sys

from one_run import summary_of

TOP = pathlib.Path(__file__).resolve().parent.parent
CASES = TOP / "configs/benchmarks"
BASELINE = CASES / "baseline.json"
SLOWER = 1.25  # times the baseline's ratio to stock ns-3: a case that takes longer is reported

# What the cases run, in the build directory: all that has to be built for them.
PROGRAMS = {
    "simulator": "cli/nadi",
    "stock ns-3": "ns3-module/examples/stock-event-rate",
    "event core": "ns3-module/examples/event-core-rate",
}
EXIT_UNAVAILABLE = 69

TRAINS_OFF = "network.packet.trains=off"
MEMO_OFF = "network.packet.memo=off"
FRAMES = [TRAINS_OFF, MEMO_OFF]
DCQCN = "network.packet.congestion-control=dcqcn"
BUFFER = "network.packet.buffer=32 MB"
PFC = "network.packet.pfc=on"
ECN = "network.packet.ecn={min: 400 KB, max: 1600 KB, probability: 0.2}"
HPCC = "network.packet.congestion-control=hpcc"
MECHANISMS = [DCQCN, BUFFER, PFC, ECN]
RING = "ring-64MiB-switch-8"
RAIL = "all-to-all-16MiB-rail-256"
RAIL_128 = [
    "workload.ranks=128",
    "system.dimensions=[128]",
    "network.topology.nodes=16",
]
# Of the parameters, about 1 in 40: fewer layers, of half the width.
SMALL = [
    "workload.generate.layers=4",
    "workload.generate.hidden=2560",
    "workload.generate.heads=20",
    "workload.generate.vocabulary=1000",
]
SWITCH = "network.dimensions=[{{shape: switch, size: {}, bandwidth: 100 Gb/s, latency: 1 us}}]"
PAUSED = [
    "network.packet.buffer=128 MB",
    "network.packet.pfc={headroom: auto, alpha: 0.0005}",
]
FLOW = "network.backend=flow"

# name, configuration, settings
RUNS = [
    ("frames: ring 64 MiB, 8 NPUs, 1 switch", "ring-64MiB-switch-8", FRAMES),
    ("frames: ring 64 MiB, 64 NPUs, 1 switch", "ring-64MiB-switch-64", FRAMES),
    ("frames: incast 16:1, DCQCN, PFC, ECN", "incast-dcqcn-16", []),
    ("frames: incast 16:1, HPCC", "incast-hpcc-16", []),
    ("frames: incast 16:1, pauses, 32 ports", "incast-dcqcn-16", [SWITCH.format(32), *PAUSED]),
    ("frames: incast 16:1, pauses, 256 ports", "incast-dcqcn-16", [SWITCH.format(256), *PAUSED]),
    ("frames: incast 16:1, pauses, 2048 ports", "incast-dcqcn-16", [SWITCH.format(2048), *PAUSED]),
    ("frames: all-to-all 16 MiB, rail 256", RAIL, FRAMES),
    ("rail: all-to-all 16 MiB, 256 GPUs", RAIL, []),
    ("rail: all-to-all 16 MiB, 256, mechanisms", RAIL, MECHANISMS),
    ("rail: all-to-all 16 MiB, 128 GPUs", RAIL, RAIL_128),
    ("congested: small GPT, 128 GPUs", "gpt-13b", SMALL),
    ("trains: ring 64 MiB, 8, DCQCN", RING, [DCQCN]),
    ("trains: ring 64 MiB, 8, 32 MB", RING, [BUFFER]),
    ("trains: ring 64 MiB, 8, mechanisms", RING, MECHANISMS),
    ("trains: ring 64 MiB, 8, answer per frame", RING, ["network.packet.acknowledge=frame"]),
    ("trains: ring 64 MiB, 8 NPUs, 1 switch", "ring-64MiB-switch-8", []),
    ("trains: ring 64 MiB, 64 NPUs, 1 switch", "ring-64MiB-switch-64", []),
    ("trains: ring 64 MiB, torus 8x8", "ring-64MiB-torus-8x8", []),
    ("trains: all-to-all 64 MiB, 64 NPUs", "all-to-all-64MiB-switch-64", []),
    ("trains: all-reduce 64 MiB, torus 32x32", "bidirectional-64MiB-torus-32x32", []),
    ("trains: transformer, TP4 PP2 DP2", "transformer-tp4-pp2-dp2", []),
    ("memo: step, 64 GPUs", "step-64", []),
    ("memo: step, 64 GPUs, mechanisms", "step-64", MECHANISMS),
    ("memo: step, 64 GPUs, HPCC", "step-64", [HPCC]),
    ("memo: step, 256 GPUs", "step-256", []),
    ("memo: step, 256 GPUs, mechanisms", "step-256", MECHANISMS),
    ("flow: all-to-all 64 MiB, 1024 NPUs", "all-to-all-64MiB-switch-1024", []),
    ("flow: ring 64 MiB, 4096 NPUs", "ring-64MiB-ring-4096", [FLOW]),
    ("analytical: ring 64 MiB, 4096 NPUs", "ring-64MiB-ring-4096", []),
    ("analytical: all-to-all 64 MiB, 4096", "all-to-all-64MiB-switch-4096", []),
    ("analytical: halving-doubling, 32768", "halving-doubling-64MiB-switch-32768", []),
]


def stock_rate(build):
    """Empty events a second of ns-3 with its default scheduler and 1000 events pending."""
    words = [build / PROGRAMS["stock ns-3"]]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[0])


def event_core(build, pending):
    """Events a second of ns-3's best scheduler and of ours, with so many pending."""
    command = [build / PROGRAMS["event core"], f"--pending={pending}", "--events=3000000"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return next(csv.DictReader(io.StringIO(done.stdout)))


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(build, runs, only):
    cases = [case for case in RUNS if only in case[0]]
    summaries = {name: [] for name, _, _ in cases}
    stock = []
    for _ in range(runs):  # in turn, so that a slow moment of the machine slows all cases alike
        stock.append(stock_rate(build))
        for name, config, settings in cases:
            file = CASES / f"{config}.yaml"
            summaries[name].append(summary_of(build / PROGRAMS["simulator"], file, settings))
    return {
        "runs": runs,
        "stock_events_per_s": spread(stock),
        # Who asks for some cases waits for these alone.
        "event_core": [] if only else [event_core(build, pending) for pending in (10_000, 100_000)],
        "cases": {name: figures(summaries[name], stock) for name in summaries},
    }


def figures(runs, stock):
    walls = [run["wall_time_s"] for run in runs]
    hops = runs[0]["packet_hops"]
    return {
        "wall_s": spread(walls),
        "frame_hops": hops,
        "events": runs[0]["events"],
        "frame_hops_per_s": spread([hops / wall for wall in walls]),
        "events_per_s": spread([run["events"] / run["wall_time_s"] for run in runs]),
        # What stock ns-3 would execute meanwhile: the time, in a unit that machines share.
        "stock_events": spread([wall * rate for wall, rate in zip(walls, stock)]),
        "peak_memory_bytes": max(run["peak_memory_bytes"] for run in runs),
    }


def show(result):
    stock = result["stock_events_per_s"]
    print(f"{result['runs']} runs of each case; medians [smallest .. largest]")
    print(
        f"stock ns-3, empty events, 1000 pending: {stock['median'] / 1e6:.2f} M/s "
        f"[{stock['min'] / 1e6:.2f} .. {stock['max'] / 1e6:.2f}]"
    )
    for row in result["event_core"]:
        print(describe_core(row))
    print(f"\n{'case':40} {'wall s':>22} {'stock M':>8} {'frame-hops':>11} {'M/s':>8} {'events':>9} {'MiB':>5}")
    for name, case in result["cases"].items():
        wall = case["wall_s"]
        span = f"{wall['median']:.3f} [{wall['min']:.3f} .. {wall['max']:.3f}]"
        print(
            f"{name:40} {span:>22} {case['stock_events']['median'] / 1e6:>8.2f} "
            f"{case['frame_hops']:>11} "
            f"{case['frame_hops_per_s']['median'] / 1e6:>8.2f} {case['events']:>9} "
            f"{case['peak_memory_bytes'] / 2**20:>5.0f}"
        )


def describe_core(row):
    """One line: ns-3's best scheduler, stock code on our core, and our own events."""
    stock = max(float(row[name]) for name in ("map", "heap", "calendar", "priority_queue"))
    return (
        f"event core, {row['pending']} pending: ns-3's best scheduler {stock / 1e6:.1f} M/s, "
        f"Schedule on ours {float(row['fabric_schedule']) / 1e6:.1f} "
        f"({float(row['schedule_ratio']):.2f} times), "
        f"events of our own {float(row['fabric_event']) / 1e6:.1f} "
        f"({float(row['event_ratio']):.2f} times)"
    )


def report_slower(result):
    """One line for each case that takes clearly longer than the baseline says."""
    if not BASELINE.exists():
        return
    baseline = json.loads(BASELINE.read_text())["cases"]
    slower = []
    for name, case in result["cases"].items():
        if name in baseline:
            ratio = case["stock_events"]["min"] / baseline[name]["stock_events"]["median"]
            slower += [f"slower than the baseline: {name}, {ratio:.2f} times"] * (ratio > SLOWER)
    print("\n" + "\n".join(slower or ["nothing is slower than the baseline"]))


def check_programs(build):
    missing = [name for name in PROGRAMS.values() if not (build / name).exists()]
    if missing:
        names = ', '.join(missing)
        print(f"nadi bench: not built: {names} (in {build}); scripts/nadi bench builds "
              "what it needs", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)


def main():
    parser = argparse.ArgumentParser(prog="nadi bench", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default 5)")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="cases with this in their name, without the rates of the event core")
    parser.add_argument("--write-baseline", action="store_true", help="these are the new baseline")
    parser.add_argument("--programs", action="store_true",
                        help="print what has to be built, as targets of the build; run nothing")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.programs:
        print("\n".join(PROGRAMS.values()))
        return
    if arguments.runs < 1:
        parser.error("--runs takes a whole number from 1")
    if not any(arguments.only in case[0] for case in RUNS):
        parser.error(f'no case has "{arguments.only}" in its name')
    check_programs(arguments.build)
    result = measure(arguments.build, arguments.runs, arguments.only)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)
        report_slower(result)
    if arguments.write_baseline:
        BASELINE.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
