# SPDX-License-Identifier: GPL-2.0-only
"""The places of ranks in the logical dimensions of a system."""

import math

import numpy

PER_NODE = "npus-per-node"


def stack_of(result):
    """The sizes of the logical dimensions, innermost first, as far as the configuration says them;
    their product is the number of NPUs."""
    sizes = result.setting("system", "dimensions")
    if isinstance(sizes, list) and sizes:
        return [int(size) for size in sizes]
    dimensions = result.setting("network", "dimensions")
    if isinstance(dimensions, list) and dimensions:
        return [int(one["size"]) for one in dimensions]
    per_node = result.setting("network", "topology", PER_NODE)
    ranks = result.summary["ranks"]
    if per_node and ranks % int(per_node) == 0:
        return [int(per_node), ranks // int(per_node)]
    return [ranks]


def places_of(ranks, sizes):
    """For each dimension, the place of each of these ranks in it."""
    return [ranks // math.prod(sizes[:number]) % size for number, size in enumerate(sizes)]


def spread(count, most):
    """Up to `most` numbers from 0 to count - 1, evenly spread, with the first and the last."""
    return numpy.unique(numpy.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()
