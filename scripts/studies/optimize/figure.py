# SPDX-License-Identifier: GPL-2.0-only
"""The figure: time against cost of the allocations, and the least time for each cost."""

from matplotlib.figure import Figure

from ..plot_drawing import save
from ..plot_style import add_grid, color
from ..quantities import readable_unit

HIGHEST = 2.0  # times the larger one of the optimum's and the equal split's: where the line ends
SHARES = {"": 1.0, "thousand ": 1e3, "million ": 1e6, "billion ": 1e9}


def draw_costs(candidates, best, line, folder):
    """Writes plots/time-against-cost.png and .pdf. The first two candidates are the optimum and the
    equal split."""
    folder.mkdir(exist_ok=True)
    figure = Figure(figsize=(6.4, 4.0))
    axes = figure.subplots()
    unit, factor = readable_unit("time_ns", [one.time or one.model_time for one in candidates])
    words, share = money(max(one.cost for one in candidates))
    top = HIGHEST * max(one.model_time for one in candidates[:2])
    shown = [(cost / share, time / factor) for cost, time in line if time < top]
    if shown:
        axes.plot(*zip(*shown), color=color(7), label="least time of the model")
    for number, (label, marker, chosen) in enumerate(groups(candidates, best)):
        draw_points(axes, chosen, (share, factor),
                    {"marker": marker, "color": color(number), "linestyle": "none"}, label)
    axes.set(xlabel=f"cost, {words}$", ylabel=f"time, {unit}", ylim=(0, None))
    add_grid(axes)
    axes.legend(fontsize=8, title="filled: simulated, hollow: by the model", title_fontsize=8)
    save(figure, folder / "time-against-cost.png", folder / "time-against-cost.pdf")


def money(largest):
    """The word for the largest power that leaves the costs above 1, and the power."""
    fitting = [one for one in SHARES.items() if one[1] <= largest]
    return fitting[-1] if fitting else ("", 1.0)


def groups(candidates, best):
    """(label, marker, candidates)."""
    found = [("optimum of the model", "*", candidates[:1]), ("equal split", "s", candidates[1:2]),
             ("neighbours", "o", [one for one in candidates[2:] if one is not best])]
    if best is not candidates[0]:
        found.append(("best in simulation", "D", [best]))
    return [group for group in found if group[-1]]


def draw_points(axes, chosen, scales, look, label):
    """Two marks for each candidate."""
    size = 11 if look["marker"] == "*" else 5
    for name, fill, words in (("model_time", "none", None), ("time", look["color"], label)):
        points = [(one.cost / scales[0], getattr(one, name) / scales[1]) for one in chosen
                  if getattr(one, name) is not None]
        axes.plot(*(zip(*points) if points else ([], [])), markerfacecolor=fill, markersize=size,
                  zorder=3, label=words, **look)
