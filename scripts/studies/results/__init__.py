# SPDX-License-Identifier: GPL-2.0-only
"""The files of one result, as `nadi compare` and `nadi report` read them.

`result_directory` is the result. `csv_columns` reads its tables as texts and finds out whether they
are whole; `number_table` makes tables of pandas of them, `exact_rows` rows whose times are whole
picoseconds. `problems` says what can be wrong."""
