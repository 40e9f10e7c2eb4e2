#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figure and the table of docs/congestion/failed-link.md, from the results of its runs.

Each argument is a result directory named CASE-REROUTE_US or ...no-fault. The silence is the longest
time between two messages that npu4 gets from npu3, which is the ring's way over the failing link.
"""

import plotting
from plotting import by_case, case_and_seed, plt, rows, save, summary

INTERVAL = 20  # us: output.series of the configuration
SHOWN = ("go-back-n", 200)  # the run of the right-hand panel


def longest_silence(flows):
    ring = [row for row in flows if (row["src"], row["dst"]) == ("3", "4")]
    ends = sorted(float(row["end_ns"]) / 1e3 for row in ring)
    return max(after - before for before, after in zip(ends, ends[1:]))


def read_run(directory):
    case, after = case_and_seed(directory)
    totals = summary(directory)
    rates = {}
    for row in rows(directory, "series.csv"):
        if row["from"] == "leaf0" and row["to"].startswith("spine"):
            time = float(row["time_ns"]) / 1e3
            rates.setdefault(row["to"], {})[time] = 100 * float(row["utilization"])
    return {
        "case": case,
        "after": None if case.endswith("no-fault") else after,
        "finish": totals["finish_time_ns"] / 1e3,
        "silence": longest_silence(rows(directory, "flows.csv")),
        "queue": max(int(row["max_queue_bytes"]) for row in rows(directory, "links.csv")) / 1e6,
        "mechanisms": totals["mechanisms"],
        "rates": rates,
    }


def print_table(runs):
    plotting.print_header(
        ["case", "reroute after, us", "done, us", "longest silence, us", "longest queue, MB"]
        + ["sent again", "lost", "reroutes"]
    )
    for run in runs:
        acted = run["mechanisms"]
        print(
            f"| {run['case']} | {'-' if run['after'] is None else run['after']}"
            f" | {run['finish']:.0f} | {run['silence']:.0f} | {run['queue']:.2f}"
            f" | {acted['retransmissions']} | {acted['drops']} | {acted['reroutes']} |"
        )


def draw_costs(axis, runs):
    healthy = {run["case"]: run["finish"] for run in runs if run["after"] is None}
    swept = [run for run in runs if run["after"] and not run["case"].startswith("exchange")]
    for case, group in by_case(swept).items():
        base = healthy.get(f"{case}-no-fault", healthy["no-fault"])
        costs = [run["finish"] - base for run in group]
        axis.plot([run["after"] for run in group], costs, "o-", label=case, markersize=3)
    times = [run["after"] for run in swept]
    axis.plot([min(times), max(times)], [min(times), max(times)], ":", color="grey", label="itself")
    axis.set(xscale="log", yscale="log", xlabel="reroute-after, us", ylabel="time lost, us")
    axis.legend(fontsize=8)


def draw_rates(axis, run):
    for spine, rates in sorted(run["rates"].items()):
        grid = range(INTERVAL, 1000, INTERVAL)
        axis.plot(grid, [rates.get(time, 0) for time in grid], label=f"leaf0 to {spine}")
    axis.set(xlabel="time, us", ylabel="rate, Gb/s", title=f"{run['case']}, {run['after']} us")
    axis.legend(fontsize=8)


def draw(runs, file):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    draw_costs(axes[0], runs)
    draw_rates(axes[1], next(run for run in runs if (run["case"], run["after"]) == SHOWN))
    for axis in axes:
        axis.grid(alpha=0.3)
    save(figure, file)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
