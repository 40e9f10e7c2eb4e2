# SPDX-License-Identifier: GPL-2.0-only
"""Studies: the points of a sweep, where they run, what is kept of them, and their figures.

Read in this order: `study` (the file), `points` (what it comes to, for which the `simulator` is
asked), `identity` (under which name a result is kept), `store`, `cluster` (where the points run),
`tables`, then `plot`, `plot_spec`, `plot_rows`, `plot_data`, `plot_limits` (reference lines) and
`plot_drawing`, which takes the rest: a file for the kinds that are alike (`plot_curves`,
`plot_bars`, `plot_heat_map`, `plot_time`, `plot_table`), and one for each part of a figure
(`plot_axes`, `plot_ticks`, `plot_scales`, `plot_style`, `plot_legend`, `plot_reference`).
`command` is the command line.
"""
