# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables of communication libraries, a closed form of such a library, and its calibration.

Good reading order: `side_file` and `guesses` say what is known of a measured system, `reading`
finds its tables, `machine` is what a model needs of it. `estimate` is how the library chooses,
`times` how long the chosen algorithm takes, `prediction` both together. `fit` finds the parameters
that are declared in `parameters`, `cross_validation` asks how far they carry, and `report` tells
the errors.
"""
