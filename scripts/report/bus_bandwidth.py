# SPDX-License-Identifier: GPL-2.0-only
"""Bandwidths of collectives and the bounds that hold for them."""

import numpy


def run_times(rows):
    """How long each collective ran, in ns, without the wait for the last member to call."""
    start = rows.begin_ns if "begin_ns" in rows else rows.start_ns
    return (rows.end_ns - start).to_numpy(float)


def factors(rows):
    """Bus bandwidth / algorithm bandwidth, from the type and the number of members."""
    members = rows.ranks.to_numpy(float)
    shares = numpy.where(members > 0, (members - 1) / numpy.maximum(members, 1), 0)
    types = rows.type.to_numpy()
    are_whole = numpy.isin(types, ("broadcast", "reduce", "barrier"))
    return numpy.select([types == "all-reduce", are_whole], [2 * shares, numpy.ones(len(rows))],
                        shares)


def bus_bandwidths(rows, times):
    """GB/s of these collectives if they take these times; NaN where a time is 0."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        rates = rows.nccl_size_bytes.to_numpy(float) * factors(rows) / times
    return numpy.where(times > 0, rates, numpy.nan)
