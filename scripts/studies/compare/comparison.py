# SPDX-License-Identifier: GPL-2.0-only
"""A comparison of two runs: what differs, and what that means."""

import dataclasses

from .breakdown import Breakdown, compare_breakdowns
from .collectives import Collectives, compare_collectives
from .configuration import compare_configurations, files_of
from .links import Links, compare_links
from .run import Run

FILES = 5  # that a note names at most


@dataclasses.dataclass(frozen=True)
class Comparison:
    """`after` against `before`. `notes` say, a sentence each, what the numbers do not mean."""

    before: Run
    after: Run
    keys: tuple
    breakdown: Breakdown
    collectives: Collectives
    links: Links
    notes: tuple

    @property
    def is_same_outcome(self):
        """Whether all times of nodes and messages and all counters of links are equal."""
        digests = [run.summary.get("digest") for run in (self.before, self.after)]
        return digests[0] is not None and digests[0] == digests[1]


def compare(before, after):
    """Pure: of the files of two runs. Throws Damaged."""
    keys = tuple(compare_configurations(before, after))
    return Comparison(before, after, keys, compare_breakdowns(before, after),
                      compare_collectives(before, after), compare_links(before, after),
                      tuple(notes_of(before, after, keys)))


def notes_of(before, after, keys):
    pairs = {name: [run.summary.get(name) for run in (before, after)]
             for name in ("version", "build", "ranks", "backend", "status")}
    if pairs["version"][0] != pairs["version"][1]:
        yield "The versions differ: {} and {}.".format(*pairs["version"])
    elif pairs["build"][0] != pairs["build"][1]:
        yield "The same version was built in two ways, which may differ in results."
    elif not keys and "interrupted" not in pairs["status"] and do_differ(before, after):
        yield unexplained(before, after)
    if pairs["status"] != ["done", "done"]:
        yield ("One of the runs did not end ({} and {}): its time is that of its end.").format(
            *pairs["status"])
    if pairs["ranks"][0] != pairs["ranks"][1]:
        yield "The runs have {} and {} ranks: sums over ranks differ for that alone.".format(
            *pairs["ranks"])
    if pairs["backend"][0] != pairs["backend"][1]:
        yield "The networks are models of two kinds: {} and {}.".format(*pairs["backend"])
    workload = [one.key for one in keys if one.key.startswith("workload.") and
                one.key not in ("workload.ranks", "workload.placement")]
    if workload:
        yield f"The workloads differ ({workload[0]}): so do the things that are compared."
    if before.communication_by_type is None or after.communication_by_type is None:
        yield ("A result of an old version does not say which types of communication are exposed; "
               "run it again to see them apart.")


def do_differ(before, after):
    """Whether a time, or the digest of both, is another."""
    digests = {run.summary.get("digest") for run in (before, after)} - {None}
    return len(digests) == 2 or before.finish != after.finish


def unexplained(before, after):
    """Why the outcomes of one configuration and one program differ."""
    files = dict.fromkeys([*files_of(before), *files_of(after)])
    if not files:
        return ("Only the outcomes differ, and the configuration names no file: a result was "
                "changed after its run, or this is a bug of Nadi.")
    told = [f"{key}: {file}" for key, file in files]
    more = [f"and {len(told) - FILES} more"] if len(told) > FILES else []
    return ("Only the outcomes differ: a file that the configuration names must have changed "
            f"between the runs ({', '.join([*told[:FILES], *more])}).")
