# SPDX-License-Identifier: GPL-2.0-only
"""Reads the CSV files of a result as tables of pandas, and finds out whether they are whole."""

import json

import numpy
import pandas

from .problems import DamagedResult

# Columns that are texts; all others are numbers.
TEXTS = ("name", "type", "algorithm", "protocol", "channels", "chosen_by", "from", "to", "path")
# Columns that may be empty in some rows or in all.
OPTIONAL = ("communicator", "ranks", "recorded_ns", "protocol", "channels", "chosen_by")
LAST_BYTES = 1


def read_table(file, needed, only=None):
    """The rows of a CSV file. `needed` are the columns that a page cannot do without; `only` are the
    columns to read, where others are not wanted; what is not there is left out.

    Throws DamagedResult for a file that is cut off, or that has other than numbers where numbers
    belong."""
    check_end(file)
    try:
        rows = pandas.read_csv(
            file, keep_default_na=False, na_values={}, low_memory=False, dtype=str,
            usecols=(lambda name: name in only) if only else None, encoding="utf-8", engine="c",
            on_bad_lines="error")
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError, UnicodeDecodeError,
            ValueError) as error:
        raise DamagedResult(file, f"is no table ({first_line(error)})") from error
    missing = [name for name in needed if name not in rows.columns]
    if missing:
        raise DamagedResult(file, f"has no column {missing[0]}")
    for name in rows.columns:
        if name not in TEXTS:
            rows[name] = as_numbers(file, name, rows[name])
    return rows


def check_end(file):
    """A file that is whole ends with a line break."""
    with open(file, "rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - LAST_BYTES))
        if stream.read() != b"\n":
            raise DamagedResult(file, "is cut off: its last line has no end")


def as_numbers(file, name, texts):
    """Without a value in rows that may have none."""
    numbers = pandas.to_numeric(texts, errors="coerce")
    wrong = numbers.isna() & ~((texts == "") & (name in OPTIONAL))
    if wrong.any():
        row = int(numpy.argmax(wrong.to_numpy()))
        text = texts.iloc[row]
        found = f"is {json.dumps(str(text)[:40])}" if isinstance(text, str) else "has no value"
        raise DamagedResult(file, f"the column {name} of line {row + 2} {found}, which is no number")
    return numbers


def first_line(error):
    return str(error).strip().splitlines()[0]
