# SPDX-License-Identifier: GPL-2.0-only
"""iterations.csv, and what validation.json says of iterations."""

from studies.tables import csv_text

from .compared import ComparedRecording, share

COLUMNS = ["iteration", "part", "ranks", "measured_ns", "replayed_ns", "replayed_error",
           "simulated_ns", "simulated_error", "unseen_error", "with_host_ns", "with_host_error",
           "with_host_unseen_error", "by_micro_batch_ns", "by_micro_batch_error", "message"]  # fmt: skip
NS_PER_MS = 1e6


def iterations_csv(compared):
    return csv_text(COLUMNS, [line for one in compared for line in lines_of(one)])


def lines_of(one):
    if one.message:
        return [{"iteration": one.name, "message": one.message}]
    if isinstance(one, ComparedRecording):
        return [recording_line(one, part) for part in one.parts]
    return [training_line(one, row) for row in one.rows]


def recording_line(one, part):
    return times_of(part, "replayed", "simulated") | {
        "iteration": one.name, "part": part.name, "ranks": one.ranks}


def training_line(one, row):
    plan = row.plan
    unseen = {f"{name}_error": error(getattr(row, field), row.measured)
              for name, field in (("unseen", "unseen"), ("with_host_unseen", "with_host_unseen"))}
    return times_of(row, "simulated", "with_host", "by_micro_batch") | unseen | {
        "iteration": one.name, "part": plan.describe(), "ranks": plan.tp * plan.pp * plan.dp,
        "message": row.message}


def times_of(one, *fields):
    """The measured time, and times with their errors."""
    cells = {"measured_ns": nanoseconds(one.measured)}
    for field in fields:
        time = getattr(one, field)
        cells |= {f"{field}_ns": nanoseconds(time), f"{field}_error": error(time, one.measured)}
    return cells


def nanoseconds(time):
    return "" if time is None else f"{NS_PER_MS * time:.0f}"


def error(time, measured):
    return "" if time is None else f"{share(time, measured):.6f}"


def iterations_json(compared):
    """{name: fields}; errors are shares."""
    return {one.name: recording_fields(one) if isinstance(one, ComparedRecording)
            else training_fields(one) for one in compared}


def recording_fields(one):
    parts = {part.name: {"measured_ms": part.measured,
                         "replayed_error": share(part.replayed, part.measured),
                         "simulated_error": share(part.simulated, part.measured)}
             for part in one.parts}
    return {"ranks": one.ranks, "parts": parts, "message": one.message}


def training_fields(one):
    return {"rows": sum(row.simulated is not None for row in one.rows), "speed_tflops": one.speed,
            "speed_with_host_tflops": one.speed_with_host, "host_ms": one.host,
            "speeds_by_micro_batch_tflops": {str(size): speed
                                             for size, speed in one.speeds.items()},
            "message": one.message}
