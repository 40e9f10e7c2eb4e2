# SPDX-License-Identifier: GPL-2.0-only
"""The sections of a page that compares runs.

A module has `make_section(comparison, names, suffix)`: `names` are those of the two runs, such as A
and B, and `suffix` keeps the names of parts apart where a page has several comparisons. `overview`
and `configuration` show all runs at once."""
