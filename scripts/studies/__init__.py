# SPDX-License-Identifier: GPL-2.0-only
"""Studies: the points of a sweep, where they run, what is kept of them, and their figures.

Read in this order: `study` (the file), `points` (what it comes to, for which the `simulator` is
asked), `identity` (under which name a result is kept), `store`, `cluster` (where the points run),
`tables`, then `plot`, `plot_spec`, `plot_rows`, `plot_data`, `plot_axes` and `plot_drawing`.
`command` is the command line.
"""
