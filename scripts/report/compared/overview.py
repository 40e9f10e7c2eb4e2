# SPDX-License-Identifier: GPL-2.0-only
"""What the runs are, and how long they take, side by side."""

import shlex

from studies.compare.breakdown import compare_breakdowns
from studies.compare.text import share_text, signed, time_text

from ..parts import (Command, Items, Section, Statement, Table, Text, quantity_column, text_column)
from ..rank_times import part_colors
from ..sections.time_use import bars
from .times import nanoseconds, time_columns

TIMES = (("finish", "finish_time_ns"), ("compute", "compute_ns"),
         ("exposed communication", "exposed_communication_ns"), ("idle", "idle_ns"))  # fmt: skip


def make_section(runs, comparisons, names):
    parts = [Statement(conclusion(one, (names[0], name)))
             for name, one in zip(names[1:], comparisons)]
    parts += [note for name, one in zip(names[1:], comparisons)
              for note in notes(one, (names[0], name))]
    parts += [runs_table(runs, names), times_chart(runs, names), Text("The same page again:"),
              Command(command(runs))]
    return Section("runs", "Runs", parts)


def conclusion(comparison, names):
    """One sentence."""
    first, second = names
    if comparison.is_same_outcome and not comparison.keys:
        return f"{first} and {second} are the same: nothing differs."
    if comparison.is_same_outcome:
        return (f"{first} and {second} have the same outcome: every time and every counter of a "
                "link is the same.")
    breakdown = comparison.breakdown
    return (f"{second} takes {time_text(breakdown.after)}, and {first} takes "
            f"{time_text(breakdown.before)}: a difference of {signed(breakdown.difference)}"
            f"{share_text(breakdown)}.")


def notes(comparison, names):
    if comparison.notes:
        yield Text(f"What the numbers of {names[0]} and {names[1]} do not mean:")
        yield Items(comparison.notes)


def runs_table(runs, names):
    columns = [text_column("run", names), text_column("directory", [str(run.path) for run in runs])]
    columns += [text_column(name, [str(run.summary[name]) for run in runs])
                for name in ("status", "backend")]
    columns.append(quantity_column("ranks", "ranks", [run.ranks for run in runs]))
    columns += time_columns({title: [run.time(name) for run in runs] for title, name in TIMES})
    columns += [quantity_column(title, name, [run.summary[name] for run in runs])
                for title, name in (("payload sent", "bytes_sent"), ("frames", "packets"))]
    columns += [text_column("slowest rank", [str(run.slowest) for run in runs]),
                text_column("version", [str(run.summary["version"]) for run in runs])]
    return Table("runs-table", "The runs", columns, "Times are those of the slowest rank of each.")


def times_chart(runs, names):
    """The parts of each run's finish time."""
    parts = [{part.name: nanoseconds(part.before) for part in compare_breakdowns(run, run).parts}
             for run in runs]
    colors = part_colors([name for own in parts for name in own])
    times = [(name, color, [own.get(name, 0) for own in parts]) for name, color in colors.items()]
    return bars("times", "Times side by side, of the slowest rank of each run", "run", names, times)


def command(runs):
    return f"nadi compare {' '.join(shlex.quote(str(run.path)) for run in runs)} --report FILE"
