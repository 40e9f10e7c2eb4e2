# SPDX-License-Identifier: GPL-2.0-only
"""Tables whose columns the page does not know before: texts by column."""

from studies.quantities import as_numbers, parse_number
from studies.results.csv_columns import read_columns

from .parts import Column, quantity_column, text_column


def read_text_rows(file, needed):
    """[{column: text}] and the columns. Throws DamagedResult."""
    columns = read_columns(file, needed)
    return [dict(zip(columns, row)) for row in zip(*columns.values())], list(columns)


def make_column(name, texts, title=None):
    """Of a column of the results: numbers where all texts are numbers, or empty; else texts."""
    title = title or name
    given = [text for text in texts if text != ""]
    if given and all(parse_number(text) is not None for text in given):
        return quantity_column(title, name, [float(text or "nan") for text in texts])
    return text_column(title, texts)


def written_column(name, texts):
    """Of values that somebody chose. They are shown as they were written, as two of them may be the
    same when rounded; they sort and are drawn as numbers where all are numbers or quantities of one
    kind, or empty."""
    given = [text for text in texts if text != ""]
    found = as_numbers(given)
    if found is None:
        return text_column(name, texts)
    numbers = iter(found[0])
    return Column(name, [next(numbers) if text != "" else float("nan") for text in texts], found[1],
                  texts=texts)
