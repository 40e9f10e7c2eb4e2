# SPDX-License-Identifier: GPL-2.0-only
"""Closed forms of the time that an algorithm and a protocol take, in us, without the launch.

`value` is what `parameters.Values` gives; `sizes` are bytes as nccl-tests counts them. A rate in
GB/s is 1e3 bytes per us.
"""

import numpy as np

from .channels import NVLS_CHANNELS, SLOT, nvls_chunk, tree_chunk, used_channels

KIB = 1024.0
# How far the latency of a ring's steps and the transfer of other data overlap: powers of a softmax,
# 1 where one follows the other. Within a node the threads of LL pass their data on by themselves,
# the other protocols wait for whole chunks. Between nodes the host posts slices of chunks ahead.
OVERLAP = {"LL": 2, "LL128": 1, "Simple": 1}
OVERLAP_BETWEEN = {"LL": 1.3, "LL128": 1.5, "Simple": 1.5}
ASKING = ("slingshot", "efa")  # libfabric: longer messages wait for the receiver
EAGER = 4 * KIB  # bytes that go without
PEERS_AT_ONCE = 8  # of grouped sends and receives


def ring(machine, value, protocol, sizes):
    """All-reduce, all-gather and reduce-scatter: hops follow one another, shares are pipelined."""
    ranks, nodes = machine.ranks, machine.nodes
    rounds = 2 if machine.collective == "all-reduce" else 1
    hops = rounds * (ranks - 1)
    between = hops if machine.local == 1 else hops * nodes / ranks if nodes > 1 else 0
    channels = used_channels(machine, "ring", protocol, sizes)
    message = np.minimum(sizes / ranks / channels, SLOT[protocol])
    rate = ring_rate(machine, value, protocol)
    if machine.collective == "reduce-scatter":
        rate = rate * value("gpu.reduce-rate")
    moving = move(value, protocol, sizes * hops / ranks, channels, rate)
    passing = (hops - between) * value(f"gpu.hop.{protocol}")
    if between:
        messages = np.maximum(1, sizes / ranks / SLOT[protocol])  # of all channels, in a step
        hop = net_hop(machine, value, "net.hop", protocol, message, messages)
        passing = passing + between * hop
    overlap = (OVERLAP if nodes == 1 else OVERLAP_BETWEEN)[protocol]
    time = start(value, protocol, channels) + softmax(passing, moving, overlap)
    if protocol == "Simple":
        time = time + value("net.skew" if nodes > 1 else "gpu.skew") * np.sqrt(moving)
    return time


def move(value, protocol, bytes_of_rank, channels, rate):
    """us of the bytes of a rank. Few channels of LL give less than the link takes."""
    time = bytes_of_rank / (1e3 * rate)
    if protocol != "LL":
        return time
    few = bytes_of_rank / (1e3 * channels * value("gpu.channel-rate"))
    return softmax(time, few, 3)


def start(value, protocol, channels):
    """Of the kernel, and of each channel that takes part."""
    return value(f"gpu.base.{protocol}") + channels * value("gpu.channel-start")


def net_hop(machine, value, name, protocol, message, messages=1):
    """Between nodes. Messages of LL beyond the eager size wait, one after the other, for the
    receiver's consent."""
    asking = asks_first(machine, protocol, message)
    return value(f"{name}.{protocol}") + np.where(asking, messages * value("net.rendezvous"), 0.0)


def asks_first(machine, protocol, message):
    """Whether messages of so many bytes of data are too long to be sent without consent."""
    if protocol != "LL" or machine.transport not in ASKING:
        return np.zeros_like(message, bool)
    return 2 * message > EAGER


def net_rate(machine, value, protocol):
    """GB/s of the NICs of a node. LL goes through the host's memory on any machine, so a slow path
    between GPU and NIC does not slow it down."""
    nic = machine.listed_nic if protocol == "LL" else machine.nic
    return nic_share(value, protocol) * nic


def link_share(value, protocol):
    """Of the link's rate that a ring gets."""
    share = value("gpu.rate.Simple")
    return share if protocol == "Simple" else share * value(f"gpu.rate.{protocol}")


def nic_share(value, protocol):
    share = value("net.rate.Simple")
    return share if protocol == "Simple" else share * value(f"net.rate.{protocol}")


def ring_rate(machine, value, protocol):
    """Bus rate. Rings enter a node by one NIC after another, so a GPU's links carry L - 1 of L."""
    link = link_share(value, protocol) * machine.link
    if machine.nodes == 1:
        return link
    nic = net_rate(machine, value, protocol)
    if machine.local == 1:
        return nic
    return min(link * machine.local / (machine.local - 1), nic)


def tree(machine, value, protocol, sizes):
    """All-reduce: two trees, up and down at once, a chain within a node."""
    levels = int(np.ceil(np.log2(machine.nodes))) if machine.nodes > 1 else 0
    channels = used_channels(machine, "tree", protocol, sizes)
    chunk = tree_chunk(protocol, sizes, channels)
    message = np.minimum(SLOT[protocol], sizes / channels)
    rate = link_share(value, protocol) * machine.link / 2
    time = start(value, protocol, channels)
    time = time + 2 * (machine.local - 1) * value(f"gpu.tree-hop.{protocol}")
    depth = 2 * (machine.local - 1) + 2 * levels
    if levels:
        nic = net_rate(machine, value, protocol) * value("net.tree-rate")
        rate = min(rate, nic if machine.nodes == 2 else nic / 2)
        time = time + 2 * levels * net_hop(machine, value, "net.tree-hop", protocol, message)
    fill = value("net.tree-fill") * depth * chunk * channels
    return time + (sizes + fill) / (1e3 * rate)


def nvls(machine, value, _, sizes):
    """All-reduce in the switch of one node: loops of one chunk for each head and channel."""
    heads = machine.local
    per_loop = nvls_chunk(sizes, heads, 128 * KIB) * NVLS_CHANNELS * heads
    rate = value("gpu.nvls-rate") * machine.link
    return nvls_base(value, sizes, heads) + loops(value, sizes, per_loop, rate)


def nvls_base(value, sizes, heads):
    channels = np.clip(sizes / (4 * KIB), 1, NVLS_CHANNELS)
    return value("gpu.nvls-base") + channels * value("gpu.nvls-channel")


def loops(value, sizes, per_loop, rate):
    count = np.ceil(sizes / per_loop)
    of_one = value("gpu.nvls-loop") + np.minimum(sizes, per_loop) / (1e3 * rate)
    return (count - 1 + value("gpu.nvls-fill")) * of_one


def nvls_tree(machine, value, _, sizes):
    """All-reduce: NVLS within a node, a tree between nodes."""
    nodes, heads = machine.nodes, machine.local
    most = (64 if nodes >= 4 else 128) * KIB
    per_loop = nvls_chunk(sizes, heads, most) * NVLS_CHANNELS * heads
    nic = nic_share(value, "Simple") * machine.nic * value("net.nvls-tree-rate")
    rate = min(value("gpu.nvls-rate") * machine.link, nic if nodes == 2 else nic / 2)
    levels = int(np.ceil(np.log2(nodes)))
    time = nvls_base(value, sizes, heads) + loops(value, sizes, per_loop, rate)
    return time + 2 * levels * value("net.nvls-tree-hop")


def chain(machine, value, protocol, sizes):
    """Broadcast and reduce: a pipelined chain of all ranks.

    A benchmark calls it again and again, and a rank is done as soon as it has passed its part on.
    So the ranks work on different calls at the same time, and the hops are in no call's time. But a
    process with several GPUs launches their kernels together, when all have ended.
    """
    channels = used_channels(machine, "ring", protocol, sizes)
    chunk = np.minimum(SLOT[protocol], sizes / channels)
    rate = ring_rate(machine, value, protocol) * value("gpu.chain-rate")
    moving = move(value, protocol, sizes, channels, rate)
    time = start(value, protocol, channels) + moving
    if machine.launch == "process-per-node":
        time = time + (machine.ranks - machine.nodes) * value(f"gpu.hop.{protocol}")
    if machine.nodes > 1:
        time = time + net_hop(machine, value, "net.hop", protocol, chunk)
        time = time + value("net.chain-fill") * chunk * channels / (1e3 * rate)
    if protocol == "Simple":
        time = time + value("net.skew" if machine.nodes > 1 else "gpu.skew") * np.sqrt(moving)
    return time


def all_to_all(machine, value, _, sizes):
    """Each rank sends its part to each other; parts within the node and to others run at once."""
    ranks, local = machine.ranks, machine.local
    part = sizes / ranks
    link = np.minimum(link_share(value, "Simple") * machine.link * value("gpu.p2p-rate"),
                      channels_rate(value, max(1, local - 1), part))
    time = inside = part * (local - 1) / (1e3 * link)
    if machine.nodes > 1:
        nic = min(nic_share(value, "Simple") * machine.nic / local * value("net.all-to-all-rate"),
                  min(ranks - local, PEERS_AT_ONCE) * value("net.peer-rate"))
        time = softmax(inside, part * (ranks - local) / (1e3 * nic), 6)
        time = time + (ranks - local) * value("net.pair") + value("net.skew") * np.sqrt(time)
    else:
        time = time + value("gpu.skew") * np.sqrt(time)
    return time + value("gpu.base.Simple") + (local - 1) * value("gpu.p2p-hop")


def send_receive(machine, value, _, sizes):
    """To one neighbour: as many channels as its bytes give work to."""
    if machine.nodes > 1:
        nic = nic_share(value, "Simple") * machine.nic / machine.nics
        rate = min(value("net.peer-rate"), nic)
        return value("gpu.base.Simple") + value("net.pair") + sizes / (1e3 * rate)
    most = link_share(value, "Simple") * machine.link * value("gpu.p2p-rate")
    rate = np.minimum(channels_rate(value, 1, sizes), most)
    return value("gpu.base.Simple") + value("gpu.hop.Simple") + sizes / (1e3 * rate)


def channels_rate(value, peers, sizes):
    """Of sends inside a node: each has 8 channels, up to 32 where one has more than 16 MiB."""
    channels = 8 * 2 ** np.clip(np.ceil(np.log2(sizes / (8 * 16 * KIB * KIB))), 0, 2)
    return min(peers, PEERS_AT_ONCE) * channels * value("gpu.p2p-channel")


def softmax(one, other, power):
    """The larger of two, a little more where they are equal: what happens at the same time."""
    return (one**power + other**power) ** (1 / power)
