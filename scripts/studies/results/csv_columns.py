# SPDX-License-Identifier: GPL-2.0-only
"""Reads the CSV files of a result, and finds out whether they are whole."""

import csv

from .problems import DamagedResult

csv.field_size_limit(1 << 30)  # names come from traces, and may be long


def read_columns(file, needed, only=None):
    """{column: its texts, a row each}. `needed` are the columns that a reader cannot do without;
    `only` are those to keep, where others are not wanted.

    Throws DamagedResult for a file that is cut off, or that is no table."""
    check_end(file)
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            return columns_of(file, csv.reader(stream, strict=True), needed, only)
    except csv.Error as error:
        raise DamagedResult(file, f"is no table ({error})") from error
    except UnicodeDecodeError as error:  # the simulator writes names of a trace as they are
        raise DamagedResult(file, "is not text in UTF-8", "if its names come from a trace, write "
                            "them there in UTF-8; then run the simulation again") from error


def columns_of(file, lines, needed, only):
    head = next(lines)
    missing = [name for name in needed if name not in head]
    if missing:
        raise DamagedResult(file, f"has no column {missing[0]}")
    columns = {name: [] for name in head}
    kept = [(place, columns[name].append) for place, name in enumerate(head)
            if only is None or name in only]
    for row in lines:
        if len(row) != len(head):
            raise DamagedResult(f"{file}:{lines.line_num}",
                                "has another number of fields than the first line")
        for place, append in kept:
            append(row[place])
    return {head[place]: columns[head[place]] for place, _ in kept}


def check_end(file):
    """A file that is whole ends with a line break."""
    with open(file, "rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 1))
        if stream.read() != b"\n":
            raise DamagedResult(file, "is cut off: its last line has no end")
