#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figure and the table of docs/congestion/interleaved-collectives.md, from its runs.

Each argument is a result directory named KIND-BALANCING-SEED: KIND is all-reduce or all-to-all for
one of them alone and both for both at once; SEED is `rounds` for a run that repeats its calls.
"""

import plotting
from plotting import mean, plt, rows, save

KINDS = ("all-reduce", "all-to-all")


def read_run(directory):
    kind, balancing, seed = directory.name.rsplit("-", 2)
    calls = rows(directory, "collectives.csv")
    return {
        "company": "together" if kind == "both" else "alone",
        "balancing": balancing,
        "is_rounds": seed == "rounds",
        "calls": [
            (row["type"], float(row["start_ns"]) / 1e3, float(row["duration_ns"]) / 1e3)
            for row in calls
        ],
    }


def durations(runs, kind):
    return [took for run in runs for name, _, took in run["calls"] if name == kind]


def select(runs, company, balancing, is_rounds):
    wanted = {"company": company, "balancing": balancing, "is_rounds": is_rounds}
    return [run for run in runs if all(run[key] == value for key, value in wanted.items())]


def cases(runs):
    """(label, durations) for each collective and balancing, alone and together."""
    balancings = sorted({run["balancing"] for run in runs}, key=("ecmp", "spray", "adaptive").index)
    for is_rounds in (False, True):
        for kind in KINDS:
            for balancing in balancings:
                for company in ("alone", "together"):
                    times = durations(select(runs, company, balancing, is_rounds), kind)
                    if times:
                        sample = "calls of one run" if is_rounds else "seeds"
                        yield (kind, balancing, company, sample), times


def print_table(runs):
    plotting.print_header(
        ["collective", "balancing", "company", "over", "us: best", "mean", "worst"]
        + ["worst / best", "deviation / mean"]
    )
    for (kind, balancing, company, sample), times in cases(runs):
        middle = mean(times)
        deviation = mean([(time - middle) ** 2 for time in times]) ** 0.5
        print(
            f"| {kind} | {balancing} | {company} | {len(times)} {sample} | {min(times):.0f}"
            f" | {middle:.0f} | {max(times):.0f} | {max(times) / min(times):.2f}"
            f" | {deviation / middle:.3f} |"
        )


def draw(runs, file):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8))
    labels = []
    colors = {"alone": "tab:blue", "together": "tab:red"}
    for (kind, balancing, company, sample), times in cases(runs):
        if sample == "seeds":
            axes[0].plot([len(labels)] * len(times), times, "o", color=colors[company], alpha=0.4)
            labels.append(f"{kind}, {balancing}, {company}")
    axes[0].set_xticks(range(len(labels)), labels, rotation=60, ha="right", fontsize=7)
    axes[0].set(ylabel="duration, us, one dot a seed", ylim=(0, None))
    for run in (run for run in runs if run["is_rounds"] and run["company"] == "together"):
        for kind, marker in zip(KINDS, "o^"):
            calls = [(start / 1e3, took) for name, start, took in run["calls"] if name == kind]
            label = f"{kind}, {run['balancing']}"
            axes[1].plot(*zip(*calls), marker, label=label, markersize=4, alpha=0.7)
    axes[1].set(xlabel="start of the call, ms", ylabel="duration, us", yscale="log")
    axes[1].legend(fontsize=7)
    for axis in axes:
        axis.grid(alpha=0.3)
    save(figure, file)


if __name__ == "__main__":
    plotting.main(__doc__, read_run, print_table, draw)
