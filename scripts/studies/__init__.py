# SPDX-License-Identifier: GPL-2.0-only
"""Studies: the points of a sweep, where they run, what is kept of them, and their figures.

Read in this order: `study` (the file), `points` (what it comes to, for which the `simulator` is
asked), `identity` (under which name a result is kept), `store`, `cluster` (where the points run),
`runner` (what is run and kept), `tables`. Then come the plots: `plot_kinds`, `plot`, `plot_spec`
and `plot_selection` (what a study says), `point_tables` and `plot_data` (what the results say),
`plot_limits` (reference lines), `plot_drawing` and `picture`. The kinds that are alike share a file
(`plot_curves`, `plot_bars`, `plot_heat_map`, `plot_time`, `plot_table`), and each part of a figure
has one (`plot_axes`, `plot_ticks`, `plot_scales`, `plot_style`, `plot_legend`, `plot_reference`).
The folder `optimize` finds bandwidths under a budget, and simulates them as points; `compare` says
what differs between results. `command` is the command line, and `entry` what all such commands do
alike.

pandas and matplotlib take a second to load. Only `point_tables`, `plot_data` and the modules that
draw import them, and `command` imports those when all points have run.
"""
