# SPDX-License-Identifier: GPL-2.0-only
"""Errors of compared rows: of a table, of a system, of all."""

import statistics

from ..statistics import errors_of

MIB = 1 << 20


def score(rows):
    """{name: number or None} of the rows that were simulated. Errors are shares: 0.05 is 5 %.

    error: geometric mean of max(s/m, m/s) - 1; bias: geometric mean of s/m - 1, positive where the
    simulation is slow; _1mib: of sizes of at least 1 MiB; smooth: without glitch rows."""
    rows = [row for row in rows if row.simulated is not None]
    large = [row for row in rows if row.size >= MIB]
    every, big = (errors_of([row.error() for row in one]) for one in (rows, large))
    return {
        "rows": len(rows),
        "error_all": of(every, "mean"),
        "error_1mib": of(big, "mean"),
        "bias_1mib": of(big, "bias"),
        "worst": of(every, "worst"),
        "bias_all": of(every, "bias"),
        "median_all": of(every, "median"),
        "rows_1mib": len(large),
        "median_1mib": of(big, "median"),
        "worst_1mib": of(big, "worst"),
        "glitch_rows": sum(row.glitch for row in rows),
        "smooth_all": mean_error(row for row in rows if not row.glitch),
        "smooth_1mib": mean_error(row for row in large if not row.glitch),
        "noise_all": mean_noise(rows),
        "noise_1mib": mean_noise(large),
        "against_all": mean_against(rows),
        "against_1mib": mean_against(large),
    }


def of(errors, name):
    return getattr(errors, name) if errors else None


def mean_error(rows):
    return of(errors_of([row.error() for row in rows]), "mean")


def mean_noise(rows):
    """How far the same rows are apart when measured in place."""
    return of(errors_of([row.noise() for row in rows if row.in_place]), "mean")


def mean_against(rows):
    return of(errors_of([row.error_against() for row in rows if row.against]), "mean")


def score_all(tables):
    """{"overall", "tables", "systems", "kinds"} of compared tables that have simulated rows.

    The overall score has the arithmetic means of the errors of tables and of systems too."""
    tables = [table for table in tables if table.done()]
    by_table = {table.name: score(table.rows) for table in tables}
    by_system = score_groups(tables, lambda table: [table.system])
    overall = score(row for table in tables for row in table.rows)
    overall |= {"mean_of_tables": means(by_table), "mean_of_systems": means(by_system)}
    overall["tables_above_25_percent"] = sum((one["error_1mib"] or 0) > 0.25
                                             for one in by_table.values())
    by_kind = score_groups(tables, lambda table: table.kinds())
    return {"overall": overall, "tables": by_table, "systems": by_system, "kinds": by_kind}


def score_groups(tables, groups_of):
    """{group: score of the rows of its tables}; a table may be in several."""
    rows = {}
    for table in tables:
        for group in groups_of(table):
            rows.setdefault(group, []).extend(table.rows)
    return {group: score(rows[group]) for group in sorted(rows)}


def means(scores):
    """Over groups, each of which counts once."""
    found = {"count": len(scores)}
    for name in ("error_all", "smooth_all", "error_1mib", "smooth_1mib"):
        values = [one[name] for one in scores.values() if one[name] is not None]
        found[name] = statistics.fmean(values) if values else None
    medians = [one["error_1mib"] for one in scores.values() if one["error_1mib"] is not None]
    found["median_table_1mib"] = statistics.median(medians) if medians else None
    return found
