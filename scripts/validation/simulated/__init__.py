# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables against the simulator: what `nadi validate` does.

Good reading order: `configuration` says what the simulator is told of a measured machine,
`workload` what it runs for a row and where the row's time stands in a result, `backend` how it is
simulated. `subject` makes all of that of a table, `simulation` runs the rows, and `compared` has
them beside the measured ones. `scores` are the errors. They are told by `tables`, by `content` with
`markdown` and `figures`, and by `closing`. `command` is the command line.

The rows of a table are runs of their own. Ranks leave most collectives at different times, so in a
sequence of calls each would begin with the skew of the one before; and the rows of one table can
run on all cores, and go on after an interrupt. Starting a run costs some 15 ms.
"""
