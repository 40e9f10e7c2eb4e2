# SPDX-License-Identifier: GPL-2.0-only
"""A comparison as JSON. Times are whole picoseconds (`_ps`), so that they add up in any reader."""

import dataclasses

SHOWN = 100  # collectives and links, those with the largest differences


def comparison_fields(comparison):
    """Of one comparison, in dictionaries and lists; docs/compare.md has the fields."""
    breakdown = comparison.breakdown
    return {
        "same_outcome": comparison.is_same_outcome,
        "notes": list(comparison.notes),
        "configuration": [dataclasses.asdict(one) for one in comparison.keys],
        "finish_time": {
            "before_ps": breakdown.before, "after_ps": breakdown.after,
            "difference_ps": breakdown.difference, "slowest_ranks": list(breakdown.ranks),
            "parts": [{"part": one.name, "before_ps": one.before, "after_ps": one.after,
                       "difference_ps": one.difference} for one in breakdown.parts],
        },
        "collectives": collectives_fields(comparison.collectives),
        "links": links_fields(comparison.links),
    }


def collectives_fields(collectives):
    return {
        "matched": len(collectives.matches),
        "only_before": collectives.only_before,
        "only_after": collectives.only_after,
        "types": [{"type": one.type, "count": one.count, "before_ps": one.before,
                   "after_ps": one.after} for one in collectives.totals],
        "largest": [{"name": one.name, "type": one.type, "communicator": one.communicator,
                     "occurrence": one.occurrence, "algorithms": list(one.algorithms),
                     "size_bytes": list(one.sizes), "before_ps": one.before,
                     "after_ps": one.after, "difference_ps": one.difference}
                    for one in collectives.matches[:SHOWN]],
    }


def links_fields(links):
    return {
        "matched": len(links.matches),
        "only_before": links.only_before,
        "only_after": links.only_after,
        "busiest": [one and {"from": one[0], "to": one[1], "utilization": one[2]}
                    for one in links.busiest],
        "totals": {name: {"before": pair[0], "after": pair[1]}
                   for name, pair in links.totals.items()},
        "largest": [{"from": one.source, "to": one.target, "bytes": list(one.bytes),
                     "utilization": list(one.utilizations),
                     "max_queue_bytes": list(one.longest_queues)}
                    for one in links.matches[:SHOWN]],
    }


def run_fields(run):
    return {"directory": str(run.path), "finish_time_ps": run.finish,
            **{name: run.summary.get(name) for name in ("status", "backend", "version", "digest")},
            "ranks": run.ranks}
