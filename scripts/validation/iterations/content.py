# SPDX-License-Identifier: GPL-2.0-only
"""What a report says of whole iterations."""

import math

from ..page_parts import Grid, Heading, Items, Text
from ..statistics import errors_of
from .compared import ComparedRecording, share

LONGEST_MESSAGE = 200

RECORDINGS = """\
Times are means over the ranks, in ms. In the column replayed, communication takes the times that
were recorded; in the column simulated, the network carries it. Computation and the host take the
recorded times in both. Each recording began when the profiler of its rank did, so a rank whose
recording began early waited in its first collective for the others. A replay starts all ranks at
once. The part after the first collective leaves this difference out: it lasts from the end of the
first collective to the end of the iteration. The part in collectives is the sum, over all
collectives, of the time from the call of the last member to the end."""

TRAINING = """\
There is no recording of these iterations. They are generated from the model and the plan of each
row, and the compute speed of a GPU is fitted to all rows. In the columns with the host, a second
number is fitted too: a time that the host takes for each layer, forward and backward, of each
micro-batch. No key of a configuration has it; it is added to the simulated time, for all layers
that follow one another in the pipeline. Unseen errors are those of a row that was left out of the
fit. The column by micro-batch predicts plans with pipeline stages from those without: each size of
micro-batch has the speed that fits its plans without stages. Times are in ms."""


def iteration_parts(compared):
    """Parts of the page for recordings and tables of iterations; none where there are none."""
    if not compared:
        return []
    recordings = [one for one in compared if isinstance(one, ComparedRecording)]
    trainings = [one for one in compared if not isinstance(one, ComparedRecording)]
    parts = [Heading("Whole iterations")]
    if recordings:
        parts += [Text(RECORDINGS), recordings_grid(recordings)]
    for one in trainings:
        parts += training_parts(one)
    lines = [line for one in compared for line in remarks(one)]
    return [*parts, Items(lines)] if lines else parts


def recordings_grid(recordings):
    heads = ["recording", "ranks", "part", "measured", "replayed", "error", "simulated", "error"]
    return Grid(heads, [
        [one.name, one.ranks, part.name, ms(part.measured), ms(part.replayed),
         percents(share(part.replayed, part.measured)), ms(part.simulated),
         percents(share(part.simulated, part.measured))]
        for one in recordings for part in one.parts
    ])


def training_parts(training):
    parts = [Heading(training.name, 3), Text(f"{training.what} {TRAINING}".strip())]
    if training.speed is None:
        return parts
    alone = summary_of(training, "simulated", "unseen")
    with_host = summary_of(training, "with_host", "with_host_unseen")
    parts.append(Items([
        f"The compute speed alone: {training.speed:g} TFLOP/s. {alone}",
        f"With the host: {training.speed_with_host:g} TFLOP/s, and {training.host:.2f} ms for each "
        f"layer. {with_host}",
    ]))
    if any(row.by_micro_batch is not None for row in training.rows):
        parts.append(Items([staged_line(training)]))
    return [*parts, training_grid(training)]


def staged_line(training):
    """The errors of plans with stages, and the speeds that predicted them."""
    count = sum(row.by_micro_batch is not None for row in training.rows)
    errors = row_errors(training, "by_micro_batch")
    speeds = ", ".join(f"{speed:.3g} TFLOP/s for micro-batches of {size}"
                       for size, speed in training.speeds.items())
    return (f"Plans with stages from plans without: {speeds}. Mean error of {count} plans "
            f"{100 * errors.mean:.1f} %, worst {100 * errors.worst:.1f} %.")


def summary_of(training, field, unseen):
    """The errors of all rows in one sentence."""
    errors, others = (row_errors(training, one) for one in (field, unseen))
    return (f"Mean error {100 * errors.mean:.1f} %, worst {100 * errors.worst:.1f} %; unseen "
            f"{100 * others.mean:.1f} %, worst {100 * others.worst:.1f} %.")


def row_errors(training, field):
    """Of the simulated rows, as of measured tables; None where there is none."""
    return errors_of([math.log(getattr(row, field) / row.measured) for row in training.rows
                      if getattr(row, field) is not None])


def training_grid(training):
    heads = ["nodes", "pp", "dp", "tp", "micro-batch", "batch", "measured", "simulated", "error",
             "unseen", "with the host", "error", "unseen", "by micro-batch", "error"]
    return Grid(heads, [
        [*(getattr(row.plan, name) for name in ("nodes", "pp", "dp", "tp", "micro_batch", "batch")),
         ms(row.measured),
         ms(row.simulated), *errors_cells(row, "simulated", "unseen"),
         ms(row.with_host), *errors_cells(row, "with_host", "with_host_unseen"),
         ms(row.by_micro_batch), *errors_cells(row, "by_micro_batch")]
        for row in training.rows
    ])


def errors_cells(row, *fields):
    return [percents(share(getattr(row, field), row.measured)) for field in fields]


def remarks(one):
    """Lines on what was not simulated, and on how traces were completed."""
    lines = [f"{one.name}: {note}" for note in one.notes]
    if isinstance(one, ComparedRecording):
        lines = [f"{one.name}: {one.what}", *lines] if one.what else lines
    else:
        lines += [f"{one.name}: {row.plan.describe()}: {row.message}"
                  for row in one.rows if row.message]
    if one.message:
        lines.append(f"{one.name}: not simulated: {shortened(one.message)}")
    return lines


def shortened(message):
    """Names of kernels make some messages very long; iterations.csv has all of them."""
    return message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + " ..."


def ms(time):
    return "" if time is None else f"{time:,.2f}"


def percents(value):
    return "" if value is None else f"{100 * value:+.1f} %"


def closing_lines(compared):
    """[[cell]] for the terminal: a line for each part of a recording, and for each table."""
    lines = [["iterations", "measured, ms", "replayed", "simulated", "with the host"]]
    for one in compared:
        if isinstance(one, ComparedRecording):
            lines += [[f"{one.name}, {part.name}", ms(part.measured),
                       percents(share(part.replayed, part.measured)),
                       percents(share(part.simulated, part.measured)), ""] for part in one.parts]
        elif one.speed is not None:
            errors = [row_errors(one, field).mean for field in ("simulated", "with_host")]
            lines.append([f"{one.name}, mean error", "", "", *(f"{100 * error:.1f} %"
                                                              for error in errors)])
    return lines if len(lines) > 1 else []
