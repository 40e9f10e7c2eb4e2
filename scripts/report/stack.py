# SPDX-License-Identifier: GPL-2.0-only
"""The places of ranks in the logical dimensions of a system."""

import math

import numpy

from studies.results.problems import DamagedResult

PER_NODE = "npus-per-node"


def stack_of(result):
    """The sizes of the logical dimensions, innermost first, as far as the configuration says them;
    their product is the number of NPUs."""
    own, dimensions = own_dimensions(result), result.setting("network", "dimensions")
    if own:
        return [int(size) for size in own]
    if isinstance(dimensions, list) and dimensions:
        return [int(one["size"]) for one in dimensions]
    per_node = npus_per_node(result)
    ranks = result.summary["ranks"]
    if per_node and ranks % per_node == 0:
        return [per_node, ranks // per_node]
    return [ranks]


def own_dimensions(result):
    """system.dimensions; None where they are those of the network."""
    sizes = result.setting("system", "dimensions")
    return sizes if isinstance(sizes, list) and sizes else None


def npus_per_node(result):
    return int(result.setting("network", "topology", PER_NODE) or 0)


class UnknownPlaces(Exception):
    """Nobody says which NPU hosts which rank."""


def places_of(result):
    """(size, the place of each rank) of each logical dimension; nothing where the ranks are one
    list. In system.dimensions ranks stand in their own order; in dimensions of the network a rank
    stands where its NPU is. Throws UnknownPlaces."""
    if own_dimensions(result):
        return split(result.table("ranks")["rank"].to_numpy(), stack_of(result))
    npus, per_node = npus_of(result), npus_per_node(result)
    if per_node:
        return split(*used_parts(npus, per_node))
    return split(npus, stack_of(result))


def used_parts(npus, per_node):
    """The number of each rank among the NPUs that host ranks, and [such NPUs of a node, nodes that
    have any]: in nodes a job lies as in a network of just these NPUs. One list where it uses more
    of one node than of another."""
    _, counts = numpy.unique(npus // per_node, return_counts=True)
    sizes = [int(counts[0]), len(counts)] if (counts == counts[0]).all() else [len(npus)]
    return numpy.argsort(numpy.argsort(npus)), sizes


def split(numbers, sizes):
    """The places that numbers stand for in several dimensions."""
    if len(sizes) < 2:
        return []
    return [(size, numbers // math.prod(sizes[:dimension]) % size)
            for dimension, size in enumerate(sizes)]


def npus_of(result):
    """The number of the NPU of each rank. Throws UnknownPlaces."""
    ranks = result.table("ranks")
    if "npu" in ranks:
        if ranks.npu.dtype.kind != "i":
            raise DamagedResult(result.file_of("ranks"), "has an npu that is no whole number")
        return ranks.npu.to_numpy()
    if result.setting("workload", "placement") in (None, "linear"):
        return ranks["rank"].to_numpy()
    raise UnknownPlaces


def spread(count, most):
    """Up to `most` numbers from 0 to count - 1, evenly spread, with the first and the last."""
    return numpy.unique(numpy.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()
