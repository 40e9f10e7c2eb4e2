# SPDX-License-Identifier: GPL-2.0-only
"""The network: a drawing with the load of its links, links by tiers, the busiest ones."""

import numpy

from studies import palette

from ..parts import (Chart, Graph, Section, Table, Text, axis, quantity_column, share_column,
                     text_column)
from ..percentiles import percentiles
from ..stack import stack_of
from ..tiers import kind_of, place_nodes

LINKS_DRAWN = 1200
LINKS_LISTED = 20_000
SHARES = numpy.linspace(0, 100, 51)  # quantiles of a chart
MEASURES = (("utilization", "utilization", "%", 100), ("max_queue_bytes", "longest queue", "B", 1),
            ("ecn_marks", "ECN marks", "", 1), ("pauses", "pauses", "", 1),
            ("paused_ns", "paused", "ns", 1), ("drops", "drops", "", 1))  # fmt: skip


def make_section(result):
    links = result.table("links")
    if links is None or links.empty:
        return None
    links = links.assign(tier=links["from"].map(kind_of) + " -> " + links["to"].map(kind_of))
    parts = [drawing(result, links) if len(links) <= LINKS_DRAWN else Text(
        f"The network has {len(links):,} links, more than a drawing can show ({LINKS_DRAWN:,}); "
        "the charts and tables have them by tiers.")]
    parts += [tier_chart(links), tier_table(links), busiest(links)]
    return Section("network", "Network", parts)


def measures_of(links):
    """Those that are not 0 on all links; utilization always."""
    return [(title, links[name].to_numpy() * size, unit) for name, title, unit, size in MEASURES
            if name == "utilization" or links[name].any()]


def drawing(result, links):
    ends = list(zip(links["from"], links["to"]))
    names = list(dict.fromkeys(name for pair in ends for name in pair))
    nodes = place_nodes(names, ends, stack_of(result)[0])
    numbers = {name: number for number, (name, _, _) in enumerate(nodes)}
    pairs = [(numbers[one], numbers[other]) for one, other in ends]
    measures = [*measures_of(links), ("bandwidth", links.bandwidth_gbps.to_numpy(), "Gb/s")]
    return Graph("topology", "The links of the network", nodes, pairs, measures,
                 "Each line is one direction of a link. Marks, pauses and drops can be chosen "
                 "where there were any.")


def tier_chart(links):
    traces = []
    for number, (tier, own) in enumerate(links.groupby("tier", sort=True)):
        values = percentiles(100 * own.utilization, SHARES)
        traces.append({"type": "scatter", "mode": "lines+markers", "name": tier,
                       "x": SHARES.tolist(), "y": values.round(4).tolist(),
                       "marker": {"symbol": number % 8, "size": 5},
                       "line": {"color": palette.SERIES[number % len(palette.SERIES)]}})
    layout = {"xaxis": axis("share of the links of a tier (%)"),
              "yaxis": axis("utilization at most (%)", rangemode="tozero")}
    return Chart("utilization-by-tier", "Utilization of links by tier", traces, layout)


def tier_table(links):
    groups = links.groupby("tier", sort=True)
    most, sums = groups.max(numeric_only=True), groups.sum(numeric_only=True)
    columns = [
        text_column("tier", most.index),
        quantity_column("links", "count", groups.size()),
        quantity_column("bandwidth of a link", "bandwidth_gbps", groups.bandwidth_gbps.median()),
        quantity_column("carried by all", "bytes", sums.bytes),
        share_column("mean utilization", groups.utilization.mean()),
        share_column("largest utilization", most.utilization),
        quantity_column("longest queue", "max_queue_bytes", most.max_queue_bytes),
        quantity_column("ECN marks", "ecn_marks", sums.ecn_marks),
        quantity_column("pauses", "pauses", sums.pauses),
        quantity_column("drops", "drops", sums.drops),
    ]
    return Table("tiers", "Links by tier", columns, "A link is one direction.")


def busiest(links):
    own = links.sort_values("utilization", ascending=False, kind="stable")[:LINKS_LISTED]
    columns = [
        text_column("from", own["from"]), text_column("to", own["to"]),
        quantity_column("bandwidth", "bandwidth_gbps", own.bandwidth_gbps),
        share_column("utilization", own.utilization),
        quantity_column("carried", "bytes", own.bytes),
        quantity_column("frames", "packets", own.packets),
        quantity_column("longest queue", "max_queue_bytes", own.max_queue_bytes),
        quantity_column("ECN marks", "ecn_marks", own.ecn_marks),
        quantity_column("pauses", "pauses", own.pauses),
        quantity_column("paused", "paused_ns", own.paused_ns),
        quantity_column("drops", "drops", own.drops),
        quantity_column("sent again", "bytes", own.retransmitted_bytes),
    ]
    note = "" if len(own) == len(links) else f"The {LINKS_LISTED:,} busiest of {len(links):,}."
    return Table("links", "Links, the busiest first", columns, note)
