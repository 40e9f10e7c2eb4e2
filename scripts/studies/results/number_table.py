# SPDX-License-Identifier: GPL-2.0-only
"""Makes tables of pandas of the CSV files of a result."""

import json

import numpy
import pandas

from .problems import DamagedResult

# Columns that are texts; all others are numbers.
TEXTS = ("name", "type", "algorithm", "protocol", "channels", "chosen_by", "from", "to", "path",
         "proof")
# Columns that may be empty in some rows or in all.
OPTIONAL = ("communicator", "ranks", "algbw_GBps", "busbw_GBps", "recorded_ns", "protocol",
            "channels", "chosen_by", "fabric_bound_ns", "proof", "ideal_fct_ns", "slowdown")


def number_table(file, columns):
    """`columns` as csv_columns reads them. What a row does not have is NaN.

    Throws DamagedResult for a file that has other than numbers where numbers belong."""
    return pandas.DataFrame({
        name: pandas.Series(texts, dtype=object) if name in TEXTS else numbers_of(file, name, texts)
        for name, texts in columns.items()})


def numbers_of(file, name, texts):
    numbers = pandas.to_numeric(pandas.Series(texts, dtype=object), errors="coerce")
    wrong = numbers.isna().to_numpy()
    if name in OPTIONAL:
        wrong &= numpy.array([text != "" for text in texts], bool)
    if wrong.any():
        row = int(numpy.argmax(wrong))
        raise DamagedResult(f"{file}:{row + 2}",
                            f"{name} is {json.dumps(texts[row][:40])}, which is no number")
    return numbers
