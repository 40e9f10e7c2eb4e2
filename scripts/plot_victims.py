#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figures and the tables of docs/congestion/victim-flow.md, from the results of its runs.

Each argument is a result directory in results/victim-flow or results/pfc-storm; `ecmp-3` is the
third run of the case `ecmp`. Victims are the flows that cross a spine from another leaf than the
slow NPU's and neither start nor end at that NPU.
"""

import itertools

import plotting
from plotting import by_case, case_and_seed, mean, plt, rows, save, summary

SLOW_NPU = {"victim-flow": "4", "pfc-storm": "0"}  # by the folder of the results
INTERVAL = 20  # us: output.series of the configurations
BYTES_PER_US = 12500  # of a link, 100 Gb/s


def find_victims(flows, slow):
    slow_leaf = next(row["path"].split(">")[-2] for row in flows if row["dst"] == slow)
    return [
        row
        for row in flows
        if slow not in (row["src"], row["dst"])
        and "spine" in row["path"]
        and row["path"].split(">")[1] != slow_leaf
    ]


def read_run(directory):
    """What one run says about its victims and about the pauses of their senders."""
    flows = rows(directory, "flows.csv")
    victims = find_victims(flows, SLOW_NPU[directory.resolve().parent.name])
    senders = ["npu" + row["src"] for row in victims]
    totals = summary(directory)
    links = [row for row in rows(directory, "links.csv") if row["from"] in senders]
    sent = {}
    for row in rows(directory, "series.csv"):
        if row["from"] in senders:
            time = round(float(row["time_ns"]) / 1e3)
            share = float(row["utilization"]) / len(senders)
            sent[time] = sent.get(time, 0) + share * INTERVAL * BYTES_PER_US / 1e6
    return {
        "case": case_and_seed(directory)[0],
        "finish": totals["finish_time_ns"] / 1e3,
        "times": [float(row["fct_ns"]) / 1e3 for row in victims],
        "paused": mean([float(row["paused_ns"]) / 1e3 for row in links]),
        "mechanisms": totals["mechanisms"],
        "sent": sent,
    }


def print_table(runs):
    plotting.print_header(
        ["case", "runs", "all done, us", "victims done, us: first", "mean", "last"]
        + ["victims' NICs paused, us", "pauses", "marks", "CNPs", "drops"]
    )
    for case, group in by_case(runs).items():
        times = [time for run in group for time in run["times"]]
        counts = [
            f"{mean([run['mechanisms'][name] for run in group]):.0f}"
            for name in ("pauses", "ecn_marks", "cnps", "drops")
        ]
        print(
            f"| {case} | {len(group)} | {mean([run['finish'] for run in group]):.0f}"
            f" | {min(times):.0f} | {mean(times):.0f} | {max(times):.0f}"
            f" | {mean([run['paused'] for run in group]):.0f} | {' | '.join(counts)} |"
        )


def draw(runs, file):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.4))
    for run in runs:
        grid = range(INTERVAL, int(max(run["times"])) + INTERVAL, INTERVAL)
        sent = itertools.accumulate(run["sent"].get(time, 0) for time in grid)
        axes[0].plot([time / 1e3 for time in grid], list(sent), label=run["case"], linewidth=1.2)
    for place, (case, group) in enumerate(by_case(runs).items()):
        times = [time / 1e3 for run in group for time in run["times"]]
        axes[1].plot([place] * len(times), times, "o", markersize=4)
    axes[0].set(xlabel="time, ms", ylabel="sent by a victim (mean), MB")
    axes[0].legend(fontsize=7)
    names = list(by_case(runs))
    axes[1].set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=8)
    axes[1].set(ylabel="completion of each victim, ms", ylim=(0, None))
    for axis in axes:
        axis.grid(alpha=0.3)
    save(figure, file)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
