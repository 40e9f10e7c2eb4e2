# SPDX-License-Identifier: GPL-2.0-only
"""What differs between two results.

Read in this order: `run` (the files of a result), `configuration`, `breakdown`, `collectives` and
`links` (pure functions of two runs), `comparison` (which puts them together). `json_form` and
`text` show a comparison, and `command` is the command line.

Times are whole picoseconds, which is what the files count, so that differences add up exactly.
"""
