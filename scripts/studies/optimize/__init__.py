# SPDX-License-Identifier: GPL-2.0-only
"""Bandwidths under a budget: which dimension of a network should get how much.

Read in this order: `study` (the file, with `linear` for its constraints), `demands` (what the
workloads move), `model` (their time as a function of the bandwidths), `region` (which bandwidths
are allowed), `linear_program` and `solver` (the least time, with a proof), `cost_search` (the least
time x cost). Then come `candidates` (which allocations are simulated), `verification` (how), and
what is written: `report`, `figure`. `command` is the command line.

Bandwidths are numbers in bytes per nanosecond, which are GB/s, of an NPU over all its links in a
dimension; a list of them, by dimension, is an allocation. Times are in nanoseconds.
"""
