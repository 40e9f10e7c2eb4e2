# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables from files and directories.

A table is a CSV file with a side file of the same stem in YAML, or a log of nccl-tests, with or
without a side file. `X.inplace.csv` is the noise floor of `X.csv` and no table. A YAML file that
belongs to no table may describe whole iterations. Directories are read with their subdirectories.
"""

import dataclasses
import os
import pathlib

from .csv_rows import COLUMNS, has_columns, read_csv_rows
from .iterations.description import is_description
from .measured_table import MeasuredTable
from .nccl_log import describe_log, is_log, read_log_rows
from .refusal import Refusal
from .side_file import describe, read_side_file

IN_PLACE = ".inplace.csv"
LOGS = (".log", ".txt", ".out")


@dataclasses.dataclass
class Reading:
    """What was found: tables, files that are none, and tables that cannot be used, with reasons."""

    tables: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)  # (file, why)
    refused: list = dataclasses.field(default_factory=list)  # (file, why)
    unusable: list = dataclasses.field(default_factory=list)  # (named by the user, why)
    descriptions: list = dataclasses.field(default_factory=list)  # (file, is it named)


def read_tables(places, results=None):
    """`places` are files and directories. What a user names must be usable. Nothing below the
    folder `results` is a table."""
    reading = Reading()
    for place in map(pathlib.Path, places):
        if place.is_dir():
            for file in find_files(place, results):
                read_found(file, place, reading)
        else:
            read_named(place, reading)
    return reading


def find_files(top, results):
    """Of a directory with its subdirectories."""
    found = []
    for folder, folders, names in os.walk(top):
        here = pathlib.Path(folder)
        folders[:] = [name for name in folders if (here / name).resolve() != results]
        found += [here / name for name in names]
    return sorted(found)


def read_found(file, top, reading):
    """A file of a directory. Its table is named by its path below the directory."""
    if not file.is_file() or file.name.endswith(IN_PLACE):
        return
    if file.suffix == ".yaml":
        if not is_part_of_table(file) and is_description(file):
            reading.descriptions.append((file, False))
        return
    name = str(file.relative_to(top).with_suffix(""))
    if file.suffix == ".csv":
        if has_columns(file):
            add(reading, reading.refused, file, lambda: read_csv_table(file, name))
        else:
            reading.skipped.append((file, "its columns are not those of a table"))
    elif file.suffix in LOGS and is_log(file.read_text(errors="replace")):
        add(reading, reading.refused, file, lambda: read_log_table(file, name))


def read_named(file, reading):
    if is_part_of_table(file):
        return
    if file.suffix == ".yaml" and file.is_file() and is_description(file):
        reading.descriptions.append((file, True))
    else:
        add(reading, reading.unusable, file, lambda: read_table(file, file.stem))


def is_part_of_table(file):
    """Whether it stands beside the table to which it belongs, as in a user's `folder/*`."""
    if file.name.endswith(IN_PLACE):
        return file.with_name(file.name.removesuffix(IN_PLACE) + ".csv").is_file()
    endings = (".csv", *LOGS)
    return file.suffix == ".yaml" and any(file.with_suffix(one).is_file() for one in endings)


def add(reading, failures, file, read):
    try:
        reading.tables.append(read())
    except Refusal as refusal:
        failures.append((file, str(refusal)))


def read_table(file, name):
    """Throws Refusal."""
    if not file.is_file():
        raise Refusal(f'"{file}" is neither a file nor a directory')
    if file.suffix != ".csv":
        if not is_log(file.read_text(errors="replace")):
            raise Refusal(f"{file.name} is neither a CSV nor a log of nccl-tests")
        return read_log_table(file, name)
    if not has_columns(file):
        raise Refusal(f"{file.name}: its columns are not {', '.join(COLUMNS)}")
    return read_csv_table(file, name)


def read_csv_table(file, name):
    side_file = file.with_suffix(".yaml")
    if not side_file.is_file():
        raise Refusal(f"there is no {side_file.name} beside it that describes the system")
    side = read_side_file(side_file)
    in_place = file.with_name(file.stem + IN_PLACE)
    floor = {}
    if in_place.is_file():
        floor = {row.size: row.time for row in read_csv_rows(in_place)}
    return MeasuredTable(name, file, side, read_csv_rows(file), floor)


def read_log_table(file, name):
    """What a side file says holds before what the log says."""
    text = file.read_text(errors="replace")
    rows, floor = read_log_rows(file, text)
    said = describe_log(file, text)
    side_file = file.with_suffix(".yaml")
    side = read_side_file(side_file, said) if side_file.is_file() else describe(said, [])
    return MeasuredTable(name, file, side, rows, floor)
