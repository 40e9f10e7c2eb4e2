# SPDX-License-Identifier: GPL-2.0-only
"""How long the collectives of two runs took, matched by name, communicator and occurrence."""

import collections
import dataclasses


@dataclasses.dataclass(frozen=True)
class Match:
    """A collective of both runs. Times in ps, from its begin to its end."""

    name: str
    type: str
    communicator: str
    occurrence: int  # of that name on that communicator, from 0
    algorithms: tuple
    sizes: tuple
    before: int
    after: int

    @property
    def difference(self):
        return self.after - self.before


@dataclasses.dataclass(frozen=True)
class TypeTotal:
    """Of the matched collectives of a type: how many, and how long they ran in all, in ps."""

    type: str
    count: int
    before: int
    after: int


@dataclasses.dataclass(frozen=True)
class Collectives:
    matches: tuple  # the largest difference first
    totals: tuple
    only_before: int  # how many have no partner
    only_after: int


def compare_collectives(before, after):
    old, new = numbered(before), numbered(after)
    matches = [match(key, old[key], new[key]) for key in old if key in new]
    matches.sort(key=lambda one: -abs(one.difference))
    return Collectives(tuple(matches), tuple(totals_of(matches)), len(old) - len(matches),
                       len(new) - len(matches))


def numbered(run):
    """{(name, type, communicator, occurrence): row}, in the order of the file."""
    seen, found = collections.Counter(), {}
    for row in run.exact_rows("collectives"):
        key = row["name"], row["type"], row["communicator"]
        found[*key, seen[key]] = row
        seen[key] += 1
    return found


def match(key, old, new):
    rows = (old, new)
    return Match(*key, tuple(row.get("algorithm", "") for row in rows),
                 tuple(row["size_bytes"] for row in rows), *map(run_time, rows))


def run_time(row):
    """Since it began to run; results of old versions know only its earliest call."""
    begin = row.get("begin_ns")
    return row["end_ns"] - (row["start_ns"] if begin is None else begin)


def totals_of(matches):
    for kind in sorted({one.type for one in matches}):
        own = [one for one in matches if one.type == kind]
        yield TypeTotal(kind, len(own), sum(one.before for one in own),
                        sum(one.after for one in own))
