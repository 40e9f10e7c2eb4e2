# SPDX-License-Identifier: GPL-2.0-only
"""Whole training iterations against the simulator: the part of `nadi validate` beyond collectives.

A description is a YAML file that names what was measured. There are two kinds: a recording, which
has the traces of all ranks (`recording`), and a table of measured iteration times without traces
(`training`). Good reading order: `description` reads the file, `recording` and `training` simulate
what it names, `layers` and `fit` find the compute speed that a table without traces needs,
`content` and `tables` tell the results, and `validation` does all of that for the command.
"""
