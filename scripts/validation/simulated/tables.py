# SPDX-License-Identifier: GPL-2.0-only
"""validation.csv and validation.json: the rows, and the errors of tables, systems and all."""

import json
import math

from studies.tables import csv_text

COLUMNS = [
    "table", "system", "collective", "ranks", "nodes", "size_bytes", "measured_ns", "simulated_ns",
    "error", "glitch", "backend", "algorithm", "protocol", "channels", "message", "against_ns",
    "against_error", "in_place_ns",
]  # fmt: skip


def validation_csv(tables, unread):
    """`unread` are files without rows that can be read, [(file, why)]: a line each."""
    lines = [line_of(table, row) for table in tables for row in table.rows]
    lines += [{"table": file.stem, "message": why} for file, why in unread]
    return csv_text(COLUMNS, lines)


def line_of(table, row):
    return {
        "table": table.name,
        "system": table.system,
        "collective": table.collective,
        "ranks": table.ranks,
        "nodes": table.nodes,
        "size_bytes": row.size,
        "measured_ns": nanoseconds(row.measured),
        "simulated_ns": nanoseconds(row.simulated),
        "error": share(row.simulated, row.measured),
        "glitch": "yes" if row.glitch else "no",
        "backend": row.backend,
        "algorithm": row.algorithm,
        "protocol": row.protocol,
        "channels": row.channels,
        "message": row.message,
        "against_ns": nanoseconds(row.against),
        "against_error": share(row.against, row.measured),
        "in_place_ns": nanoseconds(row.in_place),
    }


def nanoseconds(time):
    return "" if time is None else f"{1e3 * time:.3f}"


def share(simulated, measured):
    return "" if simulated is None else f"{simulated / measured - 1:.6f}"


def validation_json(scores, tables, unread, skipped, iterations):
    refused = [{"table": table.name, "reason": table.refusal}
               for table in tables if table.refusal]
    refused += [{"table": str(file), "reason": why} for file, why in unread]
    notes = {table.name: table.notes for table in tables if table.notes}
    whole = scores | {
        "refused": refused,
        "skipped": [{"file": str(file), "reason": why} for file, why in skipped],
        "notes": notes,
        "iterations": iterations,
    }
    return json.dumps(rounded(whole), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def rounded(plain):
    """With numbers of six digits, so that the last bits of a logarithm do not count."""
    if isinstance(plain, dict):
        return {key: rounded(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [rounded(value) for value in plain]
    if isinstance(plain, float) and plain:
        return round(plain, 5 - math.floor(math.log10(abs(plain))))
    return plain
