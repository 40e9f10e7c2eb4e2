# SPDX-License-Identifier: GPL-2.0-only
"""What the links of two runs carried, matched by their ends; parallel links by their order."""

import collections
import dataclasses

COUNTS = ("bytes", "packets", "ecn_marks", "pauses", "drops", "retransmitted_bytes")


@dataclasses.dataclass(frozen=True)
class LinkMatch:
    """A direction of a link of both runs; `utilizations` are shares of its bandwidth."""

    source: str
    target: str
    utilizations: tuple
    bytes: tuple
    longest_queues: tuple  # in bytes

    @property
    def difference(self):
        return self.utilizations[1] - self.utilizations[0]


@dataclasses.dataclass(frozen=True)
class Links:
    matches: tuple  # the largest difference of utilization first
    totals: dict  # {count: (before, after)} over all links of each run
    busiest: tuple  # the link of the largest utilization of each run: (from, to, utilization)
    only_before: int
    only_after: int


def compare_links(before, after):
    old, new = numbered(before), numbered(after)
    matches = [match(key, old[key], new[key]) for key in old if key in new]
    matches.sort(key=lambda one: -abs(one.difference))
    return Links(tuple(matches), totals_of(old, new), (busiest(old), busiest(new)),
                 len(old) - len(matches), len(new) - len(matches))


def numbered(run):
    seen, found = collections.Counter(), {}
    for row in run.exact_rows("links"):
        ends = row["from"], row["to"]
        found[*ends, seen[ends]] = row
        seen[ends] += 1
    return found


def match(key, old, new):
    rows = (old, new)
    return LinkMatch(key[0], key[1], tuple(row["utilization"] for row in rows),
                     tuple(row["bytes"] for row in rows),
                     tuple(row.get("max_queue_bytes", 0) for row in rows))


def totals_of(old, new):
    return {name: tuple(sum(row.get(name, 0) for row in rows.values()) for rows in (old, new))
            for name in COUNTS}


def busiest(rows):
    """None where nothing was carried."""
    best = max(rows.values(), key=lambda row: row["utilization"], default=None)
    if best is None or not best["utilization"]:
        return None
    return best["from"], best["to"], best["utilization"]
