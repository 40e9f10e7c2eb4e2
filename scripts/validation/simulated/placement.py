# SPDX-License-Identifier: GPL-2.0-only
"""Which NPUs of a network of the user's host the ranks of a table."""

import dataclasses

from ..refusal import Refusal


def find_placement(side, network):
    """The NPU of each rank: as many of each node as the table used, from the first on. None where
    the ranks stand so anyway, or where the network has no nodes. `network` is that section of an
    effective configuration. Throws Refusal where its nodes are too few or too small."""
    nodes, size = read_nodes(network)
    if not size:
        return None
    used = side.ranks_per_node
    if used > size and not side.says_nodes:
        raise Refusal(f"the table does not say on how many nodes its {used} ranks were, and the "
                      f"network has {size} NPUs on a node; write nodes in a side file")
    if used > size:
        raise Refusal(f"the table has {used} ranks on a node, but the network has {size} NPUs on "
                      f"a node; write npus-per-node: {used}")
    if nodes and side.nodes > nodes:
        raise Refusal(f"the table is of {side.nodes} nodes, but the network has {nodes}; write "
                      f"nodes: {side.nodes}")
    if used == size or side.nodes == 1:
        return None
    return [node * size + place for node in range(side.nodes) for place in range(used)]


def with_nodes_of(network, side):
    """A table that does not say on how many nodes it ran, and has as many ranks as the network has
    NPUs, was measured on all of its nodes."""
    nodes, size = read_nodes(network)
    if side.says_nodes or not nodes or nodes * size != side.ranks:
        return side
    return dataclasses.replace(side, nodes=nodes, gpus_per_node=size)


def read_nodes(network):
    """(how many nodes, NPUs of a node), 0 where the network does not say it. NPUs are counted node
    by node."""
    topology = network.get("topology")
    if not isinstance(topology, dict):
        return 0, 0
    return int(topology.get("nodes", 0)), int(topology.get("npus-per-node", 0))
