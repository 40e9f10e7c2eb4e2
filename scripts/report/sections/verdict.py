# SPDX-License-Identifier: GPL-2.0-only
"""What the run came to, as the summary on the terminal has it, and the figures behind it."""

import shlex

from ..parts import Command, Facts, Items, Missing, Section, Statement, Subtitle, Text
from ..words import bytes_text, percent_text, time_text

ENDS = {
    "done": "The job takes {}.",
    "stuck": "The job cannot finish: nothing happens after {}.",
    "interrupted": "Interrupted after {} of simulated time; results are partial.",
}


def make_section(result):
    summary = result.summary
    parts = [Statement(ENDS[result.status].format(time_text(summary["finish_time_ns"]))),
             *conclusion(result), Facts(facts(summary)), Subtitle("The same run again"),
             Command(command(result)),
             Text("config.yaml is the effective configuration; the section Configuration shows "
                  "it.")]
    parts += sentences("Notes", input_notes(summary))
    warnings = [one for one in summary["warnings"] if one not in input_notes(summary)]
    parts += sentences("Warnings", warnings)
    return Section("verdict", "Verdict", parts)


def conclusion(result):
    """What the program concluded from the numbers."""
    summary = result.summary
    if result.status != "done":
        return [Text(f"Why it ended: {summary['exit_reason']}.")]
    if "notes" not in summary:
        return [Missing("what bounds the job", "An older version wrote this result; run it again.")]
    return [Statement(one) for one in summary["notes"] if one not in summary["warnings"]]


def input_notes(summary):
    """Sentences on the input are notes and warnings both."""
    return [one for one in summary.get("notes", []) if one in summary["warnings"]]


def sentences(title, lines):
    return [Subtitle(title), Items(lines)] if lines else []


def facts(summary):
    finish = summary["finish_time_ns"]

    def part(name):
        share = f" ({percent_text(summary[name] / finish)})" if finish else ""
        return time_text(summary[name]) + share

    rows = [
        ("simulated time", f"{finish:.3f} ns"),
        ("compute of the slowest rank", part("compute_ns")),
        ("exposed communication", part("exposed_communication_ns")),
        ("idle", part("idle_ns")),
        ("communication in progress", part("communication_ns")),
        ("hidden behind compute", time_text(
            summary["communication_ns"] - summary["exposed_communication_ns"])),
        ("ranks", f"{summary['ranks']:,}"),
        ("backend", summary["backend"]),
        ("payload sent", bytes_text(summary["bytes_sent"])),
        ("frames", f"{summary['packets']:,}"),
    ]
    if "waiting_ns" in summary:
        rows.insert(5, ("of it waiting for late ranks", part("waiting_ns")))
    rows += [(name.replace("_", " "), f"{count:,}")
             for name, count in summary["mechanisms"].items() if count]
    rows += [("took", f"{summary['wall_time_s']:.2f} s")] if "wall_time_s" in summary else []
    if "peak_memory_bytes" in summary:
        rows.append(("memory", bytes_text(summary["peak_memory_bytes"])))
    rows += [(name, summary[name]) for name in ("seed", "version", "digest") if name in summary]
    return rows


def command(result):
    config = shlex.quote(str(result.path / "config.yaml"))
    return f"nadi run {config} --out {shlex.quote(str(result.path))}"
