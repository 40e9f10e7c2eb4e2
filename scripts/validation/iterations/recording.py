# SPDX-License-Identifier: GPL-2.0-only
"""A recorded iteration: replayed with its recorded communication, and simulated.

Computation takes the recorded times in both. The traces are converted first, so that recordings of
every form are measured and run in the same way, and so that the pace of the host can be added, and
ranks can begin when their recordings did.
"""

import pathlib
import re
import shutil
import statistics

import yaml

from studies import simulator
from studies.tables import read_rows

from ..refusal import Refusal
from .compared import ComparedPart, ComparedRecording
from .recorded_times import read_recorded_times
from .runs import Interrupted

WHOLE = "whole"
AFTER_FIRST = "after the first collective"
TRANSFER = "in collectives"
NS_PER_MS = 1e6
US_PER_MS = 1e3
WORKLOAD = re.compile(r"^workload:$.*", re.MULTILINE | re.DOTALL)


def compare_recording(description, runs):
    """Throws Interrupted."""
    compared = ComparedRecording(description.name, description.what)
    try:
        fill(compared, description, runs)
    except Refusal as refusal:
        compared.message = str(refusal)
    return compared


def fill(compared, description, runs):
    plain, _ = convert(description, runs, "recorded", [])
    times = read_all_times(plain)
    compared.ranks = len(times)
    workload, notes = convert_for_replay(description, runs, plain)
    compared.notes += notes
    begins = find_begins(description, runs, times)
    compared.parts = measured_parts(times)
    base = runs.write_base(description.name, workload, description.sections)
    points = {kind: runs.make_point(base, {"recording": description.name, "communication": kind},
                                    [*description.settings, f"workload.communication={kind}"])
              for kind in ("recorded", "simulated")}
    if not runs.run(points.values()):
        raise Interrupted
    for kind, field in (("recorded", "replayed"), ("simulated", "simulated")):
        runs.summary(points[kind])
        read_parts(compared, begins, runs.directory(points[kind]), field)


def convert_for_replay(description, runs, plain):
    """(the workload that the runs take, notes). Throws Refusal."""
    options = [option for option, is_on in (("--host-pace", description.host_pace),
                                            ("--align-clocks", description.align_clocks)) if is_on]
    return convert(description, runs, "replayed", options) if options else (plain, [])


def find_begins(description, runs, times):
    """When each rank begins, in us: so much longer than recorded are the traces with that wait. Where
    the pace of the host is added too, the last operations may end before those that were recorded."""
    if not description.align_clocks:
        return [0] * len(times)
    aligned, _ = convert(description, runs, "aligned", ["--align-clocks"])
    return [with_wait.whole - recorded.whole
            for with_wait, recorded in zip(read_all_times(aligned), times)]


def convert(description, runs, form, words):
    """(the workload that runs the converted traces, notes). Throws Refusal."""
    folder = runs.store.out / "traces" / description.name / form
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = simulator.start(runs.binary, "trace", "convert", "--from", "chakra", *words,
                           str(description.traces), "--out", str(folder))
    if done.returncode != 0:
        raise Refusal(simulator.message_of(done))
    workload = yaml.load(WORKLOAD.search(done.stdout)[0], yaml.BaseLoader)["workload"]
    return workload, [line.removeprefix("note: ") for line in done.stderr.splitlines() if line]


def read_all_times(workload):
    """Of each rank, of traces that a conversion wrote."""
    times = []
    while (file := rank_file(workload["trace"], len(times))).is_file():
        times.append(read_recorded_times(file))
    return times


def rank_file(pattern, rank):
    return pathlib.Path(pattern.replace("{rank}", str(rank)))


def measured_parts(times):
    parts = [ComparedPart(WHOLE, mean(one.whole for one in times) / US_PER_MS)]
    after = [one.after_first_collective for one in times]
    if None not in after and any(after):
        parts.append(ComparedPart(AFTER_FIRST, mean(after) / US_PER_MS))
    return parts


def read_parts(compared, begins, directory, field):
    """Writes the times of one run into the parts. `begins` are of the ranks, in us."""
    ends = [float(row["finish_ns"]) for row in read_rows(directory / "ranks.csv")]
    calls = read_rows(directory / "collectives.csv")
    for part in compared.parts:
        if part.name == WHOLE:
            setattr(part, field, mean(ends) / NS_PER_MS - mean(begins) / US_PER_MS)
        elif part.name == AFTER_FIRST and is_of_all(calls, compared.ranks):
            first = min(float(call["end_ns"]) for call in calls)
            setattr(part, field, (mean(ends) - first) / NS_PER_MS)
    if field == "simulated" and any(float(call["recorded_ns"]) for call in calls):
        compared.parts.append(transfer(calls))


def is_of_all(calls, ranks):
    """Whether the first collective has all ranks, so that its end is the same instant to all."""
    first = min(calls, key=lambda call: float(call["end_ns"]), default=None)
    return first is not None and int(first["ranks"]) == ranks


def transfer(calls):
    """From the instant when the last member of a collective called it until its end, summed."""
    simulated = sum(float(call["end_ns"]) - float(call["begin_ns"]) for call in calls)
    recorded = sum(float(call["recorded_ns"]) for call in calls)
    return ComparedPart(TRANSFER, recorded / NS_PER_MS, None, simulated / NS_PER_MS)


def mean(values):
    return statistics.fmean(values)
