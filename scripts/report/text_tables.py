# SPDX-License-Identifier: GPL-2.0-only
"""Tables whose columns the page does not know before: texts by column."""

import csv

from studies.quantities import as_numbers, parse_number

from .parts import Column, quantity_column, text_column
from .problems import DamagedResult

LARGEST_FIELD = 1 << 27  # a message can be long; the reader of CSV has a limit


def read_text_rows(file, needed):
    """[{column: text}] and the columns. Throws DamagedResult."""
    csv.field_size_limit(LARGEST_FIELD)
    text = read_text(file)
    if not text.endswith("\n"):
        raise DamagedResult(file, "is cut off: its last line has no end")
    lines = list(csv.reader(text.splitlines(keepends=True), strict=True))
    head, *rows = lines
    missing = [name for name in needed if name not in head]
    if missing:
        raise DamagedResult(file, f"has no column {missing[0]}")
    for number, row in enumerate(rows):
        if len(row) != len(head):
            raise DamagedResult(file, f"line {number + 2} has {len(row)} cells, and the head has "
                                f"{len(head)}")
    return [dict(zip(head, row)) for row in rows], head


def read_text(file):
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DamagedResult(file, "is no text in UTF-8") from error


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


