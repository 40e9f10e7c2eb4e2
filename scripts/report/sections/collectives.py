# SPDX-License-Identifier: GPL-2.0-only
"""Collectives: totals by type and communicator, all of them, bandwidth over size, the slowest."""

import numpy

from studies import palette

from ..bus_bandwidth import bus_bandwidths, run_times
from ..neighbours import Neighbours
from ..parts import (Chart, Missing, Section, Table, Text, axis, quantity_column, share_column,
                     text_column)

LISTED = 60_000
SLOWEST = 12
POINTS_OF_A_TYPE = 1500  # in a chart
POINTS = {"mode": "markers", "type": "scatter"}


def make_section(result):
    rows = result.table("collectives")
    totals = result.table("communication")
    parts = [] if totals is None or totals.empty else [totals_table(totals)]
    if rows is None or rows.empty:
        if not parts:
            return None
        parts += nothing_listed(result, totals)
    else:
        times = run_times(rows)
        parts += [*bandwidth_charts(rows), slowest_table(rows, times), all_table(rows, times)]
    return Section("collectives", "Communication", parts)


def nothing_listed(result, totals):
    """Point-to-point messages have no communicator."""
    if totals.communicator.isna().all():
        return []
    if result.setting("workload", "serve") and result.setting("output", "collectives") != "on":
        return [Missing("single collectives", "The key output.collectives: on brings those of a "
                        "run that serves.")]
    return [Text("No collective was completed by all its members.")]


def totals_table(totals):
    """Calls are summed over ranks; times are means over the ranks that call."""
    totals = totals.assign(key=totals.communicator.fillna(-1))
    groups = totals.groupby(["type", "key"], sort=True)
    sums, means = groups.sum(numeric_only=True), groups.mean(numeric_only=True)
    shares = sums.exposed_communication_ns / sums.communication_ns.replace(0, numpy.nan)
    columns = [
        text_column("type", [kind for kind, _ in sums.index]),
        text_column("communicator", ["" if key < 0 else str(int(key)) for _, key in sums.index]),
        quantity_column("ranks that call", "ranks", groups.size()),
        quantity_column("calls of all ranks", "calls", sums.calls),
        quantity_column("size of all calls", "size_bytes", sums.size_bytes),
        quantity_column("in progress, mean", "communication_ns", means.communication_ns),
        quantity_column("exposed, mean", "exposed_ns", means.exposed_communication_ns),
        share_column("exposed share", shares),
    ]
    return Table("communication", "By type and communicator", columns,
                 "Times are means over the ranks that call. Where kinds overlap, the moment counts "
                 "for each of them.")


def bandwidth_charts(rows):
    """One, or none. Barriers have no bandwidth, nor do collectives whose ranks bring different
    sizes: no size of them says how many bytes moved."""
    own = rows[rows.algbw_GBps.notna()]
    times = run_times(own)
    return [bandwidth_chart(own, times)] if (bus_bandwidths(own, times) > 0).any() else []


def bandwidth_chart(rows, times):
    """One point for each size of a type and communicator size: the median, the bounds as lines."""
    reached = bus_bandwidths(rows, times)
    bounds = {("lower bound", "dot"): bus_bandwidths(rows, rows.lower_bound_ns.to_numpy(float))}
    if "fabric_bound_ns" in rows:  # results of older versions have none
        fabric = bus_bandwidths(rows, rows.fabric_bound_ns.to_numpy(float))
        bounds["fabric bound", "dash"] = fabric
    traces = []
    for number, (kind, own) in enumerate(rows.groupby("type", sort=True).indices.items()):
        color = palette.SERIES[number % len(palette.SERIES)]
        own = own[numpy.argsort(rows.size_bytes.to_numpy()[own], kind="stable")]
        shown = own[numpy.linspace(0, len(own) - 1, min(len(own), POINTS_OF_A_TYPE)).astype(int)]
        traces += [dict(POINTS, name=kind, x=column(rows.nccl_size_bytes, shown),
                        y=clean(reached[shown]),
                        marker={"color": color, "symbol": number, "size": 7})]
        traces += [bound_trace(f"{kind}, from the {name}", {"color": color, "dash": dash}, rows,
                               rates, own)
                   for (name, dash), rates in bounds.items() if numpy.isfinite(rates[own]).any()]
    layout = {"xaxis": axis("size as nccl-tests counts it (bytes)", type="log"),
              "yaxis": axis("bus bandwidth (GB/s)", type="log")}
    return Chart("bandwidth", "Bus bandwidth over size", traces, layout, chart_note(rows))


def bound_trace(name, line, rows, bounds, own):
    """The largest bound for each size, since groups of different places have different ones."""
    sizes = rows.nccl_size_bytes.to_numpy()[own]
    distinct = numpy.unique(sizes)
    best = [numpy.nanmax(numpy.append(bounds[own][sizes == size], numpy.nan))
            if numpy.isfinite(bounds[own][sizes == size]).any() else numpy.nan
            for size in distinct]
    return {"type": "scatter", "mode": "lines+markers", "name": name,
            "marker": {"symbol": "line-ew-open", "size": 12, "color": line["color"]},
            "x": distinct.astype(int).tolist(), "y": clean(numpy.array(best)),
            "line": {**line, "width": 1}}


def chart_note(rows):
    largest = int(rows.groupby("type").size().max())
    note = ("The lower bound is a time that no algorithm can beat, since the NPUs' own links take "
            "it; dotted lines are the bandwidths that it allows. The fabric bound regards every "
            "cut of the network; dashed lines are what it allows.")
    if largest > POINTS_OF_A_TYPE:
        note += (f" Of each type, at most {POINTS_OF_A_TYPE:,} collectives are points, spread "
                 "evenly.")
    return note


def column(values, picked):
    return values.to_numpy()[picked].astype(int).tolist()


def clean(values):
    return [round(value, 6) if numpy.isfinite(value) else None for value in values.tolist()]


def slowest_table(rows, times):
    picked = numpy.argsort(-times, kind="stable")[:SLOWEST]
    near = Neighbours(rows)
    others = [near.describe(row) for row in picked]
    own = rows.iloc[picked]
    columns = [
        text_column("name", own["name"]), text_column("type", own.type),
        text_column("communicator", own.communicator.astype(int).astype(str)),
        quantity_column("start", "start_ns", own.start_ns),
        quantity_column("runs", "x_ns", times[picked]),
        text_column("before it", [one.before for one in others]),
        quantity_column("at the same time", "count", [one.count for one in others]),
        text_column("longest beside it", [one.beside for one in others]),
        text_column("after it", [one.after for one in others]),
    ]
    return Table("slowest", "The slowest, with their neighbours in time", columns,
                 "Before and after it: the collective that ended last before it started, and the "
                 "one that started first after it ended, on any communicator.")


def all_table(rows, times):
    picked = numpy.argsort(-times, kind="stable")[:LISTED]
    if len(rows) <= LISTED:
        picked = numpy.arange(len(rows))
    own, times = rows.iloc[picked], times[picked]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        ratio = numpy.where(own.lower_bound_ns > 0, times / own.lower_bound_ns, numpy.nan)
    columns = [
        text_column("id", own.id.astype(int).astype(str)) if len(own) < 1000 else
        quantity_column("id", "id", own.id),
        text_column("name", own["name"]), text_column("type", own.type),
        text_column("algorithm", own.algorithm),
        text_column("communicator", own.communicator.astype(int).astype(str)),
        quantity_column("ranks", "ranks", own.ranks),
        quantity_column("size", "bytes", own.size_bytes),
        quantity_column("start", "start_ns", own.start_ns),
        quantity_column("duration", "duration_ns", own.duration_ns),
        quantity_column("runs", "x_ns", times),
        quantity_column("bus bandwidth", "busbw_GBps", own.busbw_GBps),
        quantity_column("lower bound", "lower_bound_ns", own.lower_bound_ns),
        quantity_column("runs / bound", "ratio", ratio.round(4)),
    ]
    if "fabric_bound_ns" in own:
        columns.append(quantity_column("fabric bound", "fabric_bound_ns", own.fabric_bound_ns))
    return Table("all-collectives", "All collectives", columns, all_note(own, len(rows)))


def all_note(own, count):
    sentences = [] if len(own) == count else [f"The {LISTED:,} longest of {count:,}."]
    if own.busbw_GBps.isna().any():
        sentences.append("Where ranks bring different sizes, there is no bus bandwidth.")
    return " ".join(sentences)
