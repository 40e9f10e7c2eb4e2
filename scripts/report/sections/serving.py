# SPDX-License-Identifier: GPL-2.0-only
"""What users of a cluster that serves see: throughput, how long they wait, the instances."""

import math

from ..parts import Facts, Section, Statement, Table, quantity_columns, text_column
from ..text_tables import make_column, read_text_rows
from ..words import bytes_text, count_text, rounded

WAITS = (("ttft_ns", "time to the first token"), ("tpot_ns", "time for each further one"),
         ("itl_ns", "gap between tokens"))  # fmt: skip
SHARES = ("mean", "p50", "p90", "p99")
INSTANCES = (("instance", "instance"), ("role", "role"), ("iterations", "iterations"),
             ("busy_ns", "busy"), ("tokens", "tokens"), ("kv_peak_bytes", "KV at most"))  # fmt: skip


def make_section(result):
    serving = result.summary.get("serving")
    if serving is None:
        return None
    parts = [Statement(f"{count_text(serving['requests'], 'request')} served."),
             Facts(facts(serving, result.setting("workload", "serve", "slo"))),
             waits_table(serving)]
    file = result.file_of("instances")
    return Section("serving", "Serving", parts + ([instances(file)] if file.exists() else []))


def facts(serving, slo):
    rows = [("tokens of prompts", f"{serving['tokens_in']:,}"),
            ("tokens of answers", f"{serving['tokens_out']:,}"),
            ("prompts", f"{rounded(serving['throughput_in'])} tokens/s"),
            ("answers", f"{rounded(serving['throughput_out'])} tokens/s")]
    if slo:  # without one, every request keeps it
        rows.append(("requests that keep the SLO", f"{rounded(serving['goodput'])} /s"))
    if serving.get("swaps"):
        rows.append(("swapped", f"{bytes_text(serving['swapped_bytes'])} in "
                     f"{count_text(serving['swaps'], 'swap')}"))
    return rows


def waits_table(serving):
    """Without a second token in any answer, two of the times are null."""
    known = [(words, serving[name]) for name, words in WAITS if isinstance(serving.get(name), dict)]
    times = {share: [own[share] if own[share] is not None else math.nan for _, own in known]
             for share in SHARES}
    columns = [text_column("how long users wait", [words for words, _ in known]),
               *quantity_columns("x_ns", times)]
    return Table("waits-of-users", "How long users wait", columns)


def instances(file):
    rows, head = read_text_rows(file, [name for name, _ in INSTANCES])
    return Table("instances", "Instances", [
        text_column(title, [row[name] for row in rows]) if name in ("instance", "role")
        else make_column(name, [row[name] for row in rows], title)
        for name, title in INSTANCES])
