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
    """Numbers where all texts are numbers or quantities of one kind, or empty; else texts."""
    title = title or name
    given = [text for text in texts if text != ""]
    if given and all(parse_number(text) is not None for text in given):
        numbers = [float(text) if text != "" else float("nan") for text in texts]
        return quantity_column(title, name, numbers)
    found = as_numbers(given) if given else None
    if found is None:
        return text_column(title, texts)
    numbers = iter(found[0])
    return Column(title, [next(numbers) if text != "" else float("nan") for text in texts],
                  found[1], 1.0, 0 if all(one == int(one) for one in found[0]) else 3)
