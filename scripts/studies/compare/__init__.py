# SPDX-License-Identifier: GPL-2.0-only
"""What differs between two results.

Read in this order: `run` (a result whose times are exact), `configuration`, `breakdown`,
`collectives` and `links` (pure functions of two runs), `comparison` (which puts them together).
`json_form` and `text` show a comparison, and the package `report` makes a page of it. `command` is
the command line.

Times are whole picoseconds, which is what the files count, so that differences add up exactly.
"""
