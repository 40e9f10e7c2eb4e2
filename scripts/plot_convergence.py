#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figure and the table of docs/congestion/convergence.md, from the results of its runs.

Each argument is a result directory; its name is the title of its panel. A flow's rate is that of
its sender's link, headers included. Jain's index is over the mean rates in the two milliseconds
before a flow enters or the first one has sent everything.
"""

import plotting
from plotting import jain, plt, rows, save

INTERVAL = 0.1  # ms: output.series of the configurations
WINDOW = 2  # ms: rates in the table are means over it


def read_run(directory):
    """The flows' lives and, per flow, its sender's rate in Gb/s at the end of each interval."""
    flows = rows(directory, "flows.csv")
    bandwidth = {row["from"]: float(row["bandwidth_gbps"]) for row in rows(directory, "links.csv")}
    senders = ["npu" + row["src"] for row in flows]
    rates = {sender: {} for sender in senders}
    queue = {}
    for row in rows(directory, "series.csv"):
        time = float(row["time_ns"]) / 1e6
        if row["from"] in rates:
            rates[row["from"]][time] = float(row["utilization"]) * bandwidth[row["from"]]
        elif (row["from"], row["to"]) == ("left", "right"):
            queue[time] = int(row["queue_bytes"])
    return {
        "name": directory.name,
        "starts": [float(row["start_ns"]) / 1e6 for row in flows],
        "ends": [float(row["end_ns"]) / 1e6 for row in flows],
        "rates": [rates[sender] for sender in senders],
        "queue": queue,
    }


def mean_between(samples, begin, end):
    """Mean of the samples of one series in (begin, end]; an absent sample is 0."""
    inside = [value for time, value in samples.items() if begin < time - INTERVAL / 2 < end]
    return sum(inside) / round((end - begin) / INTERVAL)


def phases(run):
    """Ends of the phases of a fixed set of flows, until one has sent everything, and the flows."""
    first_end = min(max(samples) for samples in run["rates"]) - INTERVAL
    ends = [start for start in run["starts"][1:] if start < first_end] + [first_end]
    return [(end, run["rates"][: count + 1]) for count, end in enumerate(ends)]


def print_table(runs):
    print("| control | flows | rates before the next event, Gb/s | sum | Jain | mean queue, KB |")
    print("|---|---|---|---|---|---|")
    for run in runs:
        for end, active in phases(run):
            means = [mean_between(samples, end - WINDOW, end) for samples in active]
            queue = mean_between(run["queue"], end - WINDOW, end) / 1e3
            print(
                f"| {run['name']} | {len(active)} | {' '.join(f'{mean:.1f}' for mean in means)}"
                f" | {sum(means):.1f} | {jain(means):.3f} | {queue:.0f} |"
            )


def draw(runs, file):
    lines = (len(runs) + 1) // 2
    size = (10, 2.2 * lines)
    figure, axes = plt.subplots(lines, 2, figsize=size, sharex=True, sharey=True, squeeze=False)
    for run, axis in zip(runs, axes.flat):
        last = max(run["ends"])
        grid = [round(i * INTERVAL, 3) for i in range(1, int(last / INTERVAL) + 2)]
        for number, samples in enumerate(run["rates"]):
            rate = [samples.get(time, 0) for time in grid]
            axis.plot(grid, rate, label=f"flow {number}", linewidth=0.9)
        axis.set_title(run["name"], fontsize=9)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("time, ms")
    for axis in axes[:, 0]:
        axis.set_ylabel("rate, Gb/s")
    axes.flat[0].legend(fontsize=7)
    save(figure, file)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
