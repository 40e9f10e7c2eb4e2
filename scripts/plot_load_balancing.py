#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figure and the table of docs/congestion/load-balancing.md, from the results of its runs.

Each argument is a result directory; `ecmp-3` is the third run of the case `ecmp`. A load is how
many flows share a link between a leaf and a spine, by the paths in flows.csv: only with ecmp do
all frames of a flow take that path.
"""

import plotting
from plotting import by_case, case_and_seed, mean, plt, rows, save, summary


def largest_load(flows):
    load = {}
    for row in flows:
        nodes = row["path"].split(">")
        for link in zip(nodes[1:-2], nodes[2:-1]):
            load[link] = load.get(link, 0) + 1
    return max(load.values())


def read_run(directory):
    flows = rows(directory, "flows.csv")
    totals = summary(directory)
    return {
        "case": case_and_seed(directory)[0],
        "finish": totals["finish_time_ns"] / 1e3,
        "times": [float(row["fct_ns"]) / 1e3 for row in flows],
        "ideal": max(float(row["ideal_fct_ns"]) for row in flows) / 1e3,
        "load": largest_load(flows),
        "queue": max(int(row["max_queue_bytes"]) for row in rows(directory, "links.csv")) / 1e3,
        "pauses": totals["mechanisms"]["pauses"],
        "drops": totals["mechanisms"]["drops"],
    }


def print_table(runs):
    plotting.print_header(
        ["case", "runs", "all done, us: best", "mean", "worst", "mean flow, us"]
        + ["runs by largest load", "longest queue, KB", "pauses", "drops"]
    )
    for case, group in by_case(runs).items():
        finishes = [run["finish"] for run in group]
        loads = [run["load"] for run in group]
        spread = ", ".join(f"{loads.count(load)} of {load}" for load in sorted(set(loads)))
        one_way = case.startswith("ecmp")
        print(
            f"| {case} | {len(group)} | {min(finishes):.0f} | {mean(finishes):.0f}"
            f" | {max(finishes):.0f} | {mean([mean(run['times']) for run in group]):.0f}"
            f" | {spread if one_way else '-'} | {max(run['queue'] for run in group):.0f}"
            f" | {mean([run['pauses'] for run in group]):.0f}"
            f" | {sum(run['drops'] for run in group)} |"
        )


def draw(runs, file):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.4))
    for case, group in by_case(runs).items():
        finishes = sorted(run["finish"] for run in group)
        shares = [(i + 1) / len(finishes) for i in range(len(finishes))]
        axes[0].step(finishes, shares, where="post", label=case, linewidth=1.2)
        times = sorted(time for run in group for time in run["times"])
        shares = [(i + 1) / len(times) for i in range(len(times))]
        axes[1].step(times, shares, where="post", label=case, linewidth=1.2)
    axes[0].set(xlabel="all flows done, us", ylabel="share of the runs", xlim=(0, None))
    axes[1].set(xlabel="flow done, us", ylabel="share of the flows", xlim=(0, None))
    axes[1].legend(fontsize=8)
    for axis in axes:
        axis.axvline(runs[0]["ideal"], color="grey", linewidth=0.7, linestyle=":")
        axis.grid(alpha=0.3)
    save(figure, file)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
