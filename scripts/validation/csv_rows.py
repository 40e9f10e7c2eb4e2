# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a measured table in CSV: size_bytes, time_us, algbw_GBps, busbw_GBps."""

import csv
import math

from .measured_table import Row
from .refusal import Refusal

COLUMNS = ["size_bytes", "time_us", "algbw_GBps", "busbw_GBps"]


def has_columns(file):
    """Whether the first line names the columns of a table, in any order, and no others."""
    with open(file, newline="", encoding="utf-8", errors="replace") as stream:
        names = next(csv.reader(stream), [])
    return {name.strip() for name in names} == set(COLUMNS)


def read_csv_rows(file):
    """Throws Refusal for a line that is no measurement."""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            rows = [read_row(f"{file.name}:{line}", row)
                    for line, row in enumerate(csv.DictReader(stream, skipinitialspace=True), 2)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Refusal(f"{file.name} is no CSV in UTF-8: {error}") from error
    if not rows:
        raise Refusal(f"{file.name} has no rows")
    return rows


def read_row(where, row):
    size, time = (read_positive(where, name, row.get(name)) for name in COLUMNS[:2])
    return Row(size, time)


def read_positive(where, name, text):
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise Refusal(f'{where}: {name} is "{text}"; write a positive number')
    return number
