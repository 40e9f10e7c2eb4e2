# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a result's tables without rounding: times are whole picoseconds, which is what the files
count, so that sums and differences of them are exact."""

import re

from .problems import DamagedResult

TIME = re.compile(r"-?\d+(\.\d{1,3})?")
COUNTS = ("bytes", "packets", "ecn_marks", "pauses", "drops", "retransmitted_bytes",
          "max_queue_bytes", "size_bytes")  # columns that are whole numbers


def exact_rows(file, columns):
    """[{column: value}] of `columns` as csv_columns reads them: times in ps, under the names that
    the file gives them, counts and utilizations as numbers, and all others as texts.

    Throws DamagedResult."""
    converted = [convert(file, name, texts) for name, texts in columns.items()]
    return [dict(zip(columns, values)) for values in zip(*converted)]


def convert(file, name, texts):
    read = reader_of(name)
    if read is None:
        return texts
    return [read(text, f"{file}:{line}", name) for line, text in enumerate(texts, 2)]


def reader_of(column):
    """What makes a number of a text, or None for a column of texts. A time may be absent, as in
    rows of collectives that were not recorded."""
    if column.endswith("_ns"):
        return lambda text, place, name: picoseconds(text, place, name) if text else None
    if column in COUNTS:
        return lambda text, place, name: number(text, int, place, name)
    if column == "utilization":
        return lambda text, place, name: number(text, float, place, name)
    return None


def number(text, kind, place, name):
    try:
        return kind(text)
    except ValueError as error:
        raise DamagedResult(place, f'{name} is "{text}", which is no number') from error


def picoseconds(text, place, name):
    """Of a time in ns with up to three decimals."""
    if not isinstance(text, str) or not TIME.fullmatch(text):
        raise DamagedResult(place, f'{name} is "{text}", which is no time')
    whole, _, decimals = text.partition(".")
    return int(whole + f"{decimals:0<3}")
