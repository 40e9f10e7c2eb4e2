# SPDX-License-Identifier: GPL-2.0-only
"""The time line of chosen ranks, at a level of detail that a page can hold."""

import numpy

from ..outstanding import find_outstanding
from ..parts import Command, Missing, Section, Text, Timeline
from ..perfetto import read_trace
from ..stack import spread

RANKS = 16
SLICES = 40_000  # on the page
# Numbers of colours of the series, by how the name of a track begins.
COLORS = {"compute": 0, "cpu": 4, "memory": 4, "collectives": 2, "sends": 1, "receives": 5,
          "exposed communication": 3, "idle": 7, "across": 6}  # fmt: skip
COLORS |= {f"dimension {number}": (4, 5, 1, 0)[number % 4] for number in range(64)}


def make_section(result):
    file = result.path / "timeline.pftrace"
    if not file.exists():
        return Section("timeline", "Time line", [Missing(
            "the time line", "The key output.timeline: on brings it, and --report sets it.")])
    trace = read_trace(file)
    chosen = choose_ranks(result)
    rows = make_rows(trace, chosen, result.summary["finish_time_ns"])
    names = used_names(rows, trace.slices.names)
    note = (f"{len(chosen)} of {result.summary['ranks']:,} ranks: the slowest, those that stand "
            "out, and others that are spread evenly. Spans too short to be told apart are drawn "
            "as one, paler. Ctrl or Shift with the wheel zooms.")
    line = Timeline("time-line", "What the ranks do when", rows, names,
                    result.summary["finish_time_ns"], note)
    return Section("timeline", "Time line", [
        line, Text("The whole time line is in timeline.pftrace. Open it in Perfetto "
                   "(ui.perfetto.dev), which uploads nothing:"), Command(str(file))])


def choose_ranks(result):
    """The slowest first."""
    ranks = result.table("ranks")
    named = [one[0] for one in find_outstanding(ranks, result.summary["finish_time_ns"])]
    wanted = [result.slowest, *named[:RANKS // 2], *spread(len(ranks), RANKS)]
    return list(dict.fromkeys(wanted))[:RANKS]


def make_rows(trace, chosen, finish):
    """A row for each track of these ranks, in the order of the ranks and of the tracks."""
    processes = {name: one for one, name in trace.processes.items()}
    tracks = [(f"rank {rank}", track, name) for rank in chosen
              for track, (process, name) in sorted(trace.tracks.items())
              if process == processes.get(f"rank {rank}")]
    quantum = max(finish * 2 * len(tracks) / SLICES, 1)
    slices = trace.slices
    rows = []
    for rank, track, name in tracks:
        own = slice(*numpy.searchsorted(slices.track, [track, track + 1]))
        start, length, code = coarsen(slices.start[own], slices.end[own], slices.name[own], quantum)
        color = max(((len(word), one) for word, one in COLORS.items() if name.startswith(word)),
                    default=(0, 6))[1]
        rows.append({"rank": rank, "track": name, "color": color, "start": start, "length": length,
                     "code": code})
    return rows


def coarsen(start, end, name, quantum):
    """(start, length, name) of at most 2 x span / quantum slices: those that begin in one quantum
    of time and are shorter than it become one, with the name -1."""
    if not len(start):
        return [], [], []
    is_short = end - start < quantum
    quanta = (start // quantum).astype(numpy.int64)
    group = numpy.where(is_short, quanta, -1 - numpy.arange(len(start)))
    first = numpy.flatnonzero(numpy.append(True, group[1:] != group[:-1]))
    last = numpy.append(first[1:], len(start)) - 1
    code = numpy.where(first == last, name[first], -1)
    return start[first].tolist(), (end[last] - start[first]).tolist(), code.tolist()


def used_names(rows, names):
    """The names that the rows have; the codes of the rows become numbers of these."""
    used = sorted({code for row in rows for code in row["code"]} - {-1})
    numbers = {code: number for number, code in enumerate(used)} | {-1: -1}
    for row in rows:
        row["code"] = [numbers[code] for code in row["code"]]
    return [names[code] for code in used]
