#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figure and the table of docs/congestion/incast.md, from the results of its runs.

Each argument is a result directory; its name is the name of the curve. The queue is that of the
receiver's link; Jain's index is over the flows' mean rates (size / completion time).
"""

import plotting
from plotting import jain, plt, rows, save, summary


def read_run(directory):
    """What one run says about its receiver's link and its flows."""
    flows = rows(directory, "flows.csv")
    receiver = "npu" + flows[0]["dst"]
    totals = summary(directory)
    link = next(row for row in rows(directory, "links.csv") if row["to"] == receiver)
    series = [row for row in rows(directory, "series.csv") if row["to"] == receiver]
    return {
        "name": directory.name,
        "finish": totals["finish_time_ns"] / 1e6,
        "times": sorted(float(row["fct_ns"]) / 1e6 for row in flows),
        "fairness": jain([float(row["size_bytes"]) / float(row["fct_ns"]) for row in flows]),
        "longest": int(link["max_queue_bytes"]) / 1e6,
        "utilization": float(link["utilization"]),
        "mechanisms": totals["mechanisms"],
        "series": [(float(row["time_ns"]) / 1e6, int(row["queue_bytes"])) for row in series],
        "half": totals["finish_time_ns"] / 2e6,
    }


def late_queue(run):
    """Mean of the queue, in MB, over the second half of the run."""
    late = [queue for time, queue in run["series"] if time > run["half"]]
    return sum(late) / len(late) / 1e6


def print_table(runs):
    print("| control | finish, ms | first flow, ms | Jain | link used", end="")
    print(" | longest queue, MB | late queue, MB | marks | pauses | drops |")
    print("|---" * 10 + "|")
    for run in runs:
        acted = run["mechanisms"]
        print(
            f"| {run['name']} | {run['finish']:.3f} | {run['times'][0]:.3f} | {run['fairness']:.3f}"
            f" | {run['utilization']:.3f} | {run['longest']:.3f} | {late_queue(run):.3f}"
            f" | {acted['ecn_marks']} | {acted['pauses']} | {acted['drops']} |"
        )


def draw(runs, file):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    for run in runs:
        times = [time for time, _ in run["series"]]
        queues = [max(queue, 1000) / 1e3 for _, queue in run["series"]]
        axes[0].plot(times, queues, label=run["name"], linewidth=1)
        shares = [(i + 1) / len(run["times"]) for i in range(len(run["times"]))]
        axes[1].step(run["times"], shares, where="post", label=run["name"], linewidth=1.2)
    axes[0].set(xlabel="time, ms", ylabel="queue, KB (1 KB: none)", yscale="log")
    axes[1].set(xlabel="completion time, ms", ylabel="share of flows done", ylim=(0, 1.02))
    axes[1].legend(fontsize=8)
    for axis in axes:
        axis.grid(alpha=0.3)
    save(figure, file, dpi=80)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
