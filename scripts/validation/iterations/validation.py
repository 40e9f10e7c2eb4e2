# SPDX-License-Identifier: GPL-2.0-only
"""Descriptions to compared iterations."""

import pathlib
import sys

from ..refusal import Refusal
from .compared import ComparedRecording
from .description import Absent, Recording, read_description
from .recording import compare_recording
from .runs import Interrupted
from .training import compare_training


def read_descriptions(reading, data):
    """The descriptions of the files that were found. What cannot be used goes to the reading: what
    the user named is unusable; what a folder has is skipped where its data are elsewhere, and else
    refused."""
    found = {}
    for file, is_named in reading.descriptions:
        try:
            found.setdefault(file.resolve(), read_description(file, data))
        except Refusal as refusal:
            kept = reading.skipped if isinstance(refusal, Absent) else reading.refused
            (reading.unusable if is_named else kept).append((file, str(refusal)))
    forget_tables(reading, found.values())
    return list(found.values())


def forget_tables(reading, descriptions):
    """A table that a description names is not one that was skipped."""
    used = {one.table for one in descriptions if not isinstance(one, Recording)}
    reading.skipped[:] = [(file, why) for file, why in reading.skipped
                          if pathlib.Path(file).resolve() not in used]


def compare_iterations(descriptions, runs):
    """(the compared iterations, whether nothing stopped them)."""
    compared = []
    for one in descriptions:
        compare = compare_recording if isinstance(one, Recording) else compare_training
        try:
            compared.append(compare(one, runs))
        except Interrupted:
            return compared, False
        if compared[-1].message:
            print(f"nadi validate: {one.name}: {compared[-1].message}", file=sys.stderr)
    return compared, True


def is_done(compared):
    """Whether something of it was simulated."""
    if isinstance(compared, ComparedRecording):
        return any(part.simulated is not None for part in compared.parts)
    return any(row.simulated is not None for row in compared.rows)
