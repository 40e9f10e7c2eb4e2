# SPDX-License-Identifier: GPL-2.0-only
"""The time that the library itself expects: latency + size / rate, from its constants.

It decides which algorithm and protocol run. It is often far from the true time, and the choice is
then wrong in the same way as on the real machine. Source: NCCL, src/graph/tuning.cc.
"""

import numpy as np

from . import releases
from .channels import most_channels
from .releases import PROTOCOLS, family_of

SIZE_LIST = len(releases.TREE_CORRECTION["LL"])


class Estimate:
    """Of one machine; `time` says us for sizes in bytes."""

    def __init__(self, machine):
        self.machine = machine
        self.family = family_of(machine.release)
        self.channels = most_channels(machine)
        if machine.nodes == 1:
            self.bus = releases.NODE_SHARE * machine.link
            if machine.generation == "a100" and machine.release < (2, 17):
                self.bus = 235.0
        else:
            self.bus = releases.NIC_SHARE * machine.listed_nic
        self.latency = releases.PLUGIN_LATENCY.get(machine.transport, 0.0)

    def time(self, algorithm, protocol, sizes):
        of = {"ring": self.ring, "tree": self.tree, "nvls": self.nvls, "nvls-tree": self.nvls_tree}
        latency, rate = of[algorithm](protocol, sizes)
        return latency + sizes / (1e3 * rate)

    @property
    def steps(self):
        ranks = self.machine.ranks
        return {"all-reduce": 2 * (ranks - 1), "broadcast": ranks, "reduce": ranks}.get(
            self.machine.collective, ranks - 1
        )

    def column(self):
        """Of the tables for one node, two nodes, more."""
        return min(self.machine.nodes, 3) - 1

    def ll_most(self):
        machine = self.machine
        if machine.nodes == 1:
            table = releases.LL_MOST
            if machine.release < (2, 20):
                table = table | releases.LL_MOST_BEFORE_2_20
            return table[machine.generation]
        return releases.LL_MOST_BETWEEN[machine.cpu][self.column() - 1]

    def ring_rate(self, protocol):
        machine = self.machine
        if protocol == "LL":
            rate = min(self.ll_most(), self.bus * self.ll_share())
        elif protocol == "LL128":
            alone = machine.local == 1 and machine.release < (2, 23)
            cap = self.channels * releases.LL128_OF_CHANNEL[machine.generation]
            rate = min(self.bus * (0.7 if alone else 0.92), cap)
        else:
            rate = self.bus
        return rate * machine.ranks / self.steps

    def ll_share(self):
        """Of a ring's rate, as LL sends a flag with each 4 bytes."""
        machine = self.machine
        if machine.release >= (2, 20):
            return 1 / 2
        copies = machine.nodes == 1 and machine.collective not in ("all-reduce", "reduce")
        return 1 / 3 if copies else 1 / 4

    def ring(self, protocol, sizes):
        p, machine, family = PROTOCOLS.index(protocol), self.machine, self.family
        if machine.collective in ("broadcast", "reduce"):
            hop = (family.ring_net if machine.nodes > 1 else family.ring_link)[p]
            return family.ring_base[p] + hop, self.ring_rate(protocol)
        inside, between = self.ring_hops(protocol)
        crossing = self.crossing_steps()
        latency = family.ring_base[p] + (self.steps - crossing) * inside + crossing * between
        if protocol == "Simple" and machine.nodes > 1 and machine.collective == "all-reduce":
            plateau = family.ring_plateau
            if machine.generation == "v100" and plateau > 1:
                plateau = 1.9
            wide = sizes / (self.channels * machine.ranks) >= 64
            latency = np.where(wide, plateau, 1.0) * latency
        return latency, self.ring_rate(protocol)

    def ring_hops(self, protocol):
        """us of a step within a node, and of one between nodes."""
        p, machine, family = PROTOCOLS.index(protocol), self.machine, self.family
        inside, between = family.ring_link[p], family.ring_net[p]
        if machine.nodes > 1:
            if machine.release >= (2, 17):
                post = releases.POST[machine.cpu] * (3 if protocol == "Simple" else 1)
                inside = max(inside, post)
                if machine.local == 1 and machine.release >= (2, 23):
                    between = family.tree_net[p]
            elif protocol == "LL":
                inside *= 1.8
            between += self.latency * (2 if protocol == "Simple" else 1)
        return inside, between

    def crossing_steps(self):
        machine = self.machine
        if machine.nodes == 1:
            return 0
        if machine.collective != "all-reduce":
            return machine.nodes - 1
        one_more = (2, 12) <= machine.release < (2, 23)
        return 2 * (machine.nodes if one_more else machine.nodes - 1)

    def tree(self, protocol, sizes):
        p, machine, family = PROTOCOLS.index(protocol), self.machine, self.family
        of_channel = releases.TREE_OF_CHANNEL[machine.generation][self.column()]
        rate = min(self.tree_bus() * 0.92, self.channels * of_channel)
        if protocol == "LL":
            rate = min(rate / 3.8, self.ll_most())
        elif protocol == "LL128":
            cap = self.channels * releases.LL128_OF_CHANNEL[machine.generation]
            rate = min(rate * (7 / 9 if machine.nodes == 1 else 120 / 128), cap)
        if machine.nodes > 1 and not machine.nics_shared and machine.release >= (2, 12):
            rate *= 0.85  # the NIC of a tree hangs at one GPU
        inside = family.tree_link[p]
        if machine.nodes > 1 and protocol == "LL" and machine.release < (2, 17):
            inside *= 1.8
        between = family.tree_net[p] + self.latency * (2 if protocol == "Simple" else 1)
        levels = int(np.log2(machine.nodes))
        latency = family.tree_base[p] + 2 * ((machine.local - 1) * inside + levels * between)
        return latency, rate / 2 * self.correction(protocol, sizes)

    def tree_bus(self):
        """Two nodes: each direction of a tree uses the links of a node once, so twice the NICs."""
        machine = self.machine
        if machine.nodes == 2 and machine.release >= (2, 12) and machine.nic_path != "host-bridge":
            return min(2 * self.bus, releases.NODE_SHARE * machine.link)
        return self.bus

    def correction(self, protocol, sizes):
        place = np.floor(np.log2(np.maximum(sizes, 64) / 64)).astype(int)
        table = np.array(releases.TREE_CORRECTION[protocol] + (1.0,), dtype=float)
        return np.where(sizes >= 64, table[np.minimum(place, SIZE_LIST)], 1.0)

    def nvls(self, _, sizes):
        machine = self.machine
        if machine.release < (2, 28):
            return self.family.nvls_base, self.bus * 5 / 6
        return 25.0, self.nvls_bus() * machine.ranks / self.steps

    def nvls_bus(self):
        """Of one node; all-reduce pipelines two operations. Each GPU is the head of a channel."""
        share = releases.NVLS_SHARE[self.machine.generation]
        bus = releases.NODE_SHARE * self.machine.link
        return 2 * bus * share * (self.machine.local - 1) / self.machine.local

    def nvls_tree(self, _, sizes):
        machine, family = self.machine, self.family
        nodes = machine.nodes
        levels = int(np.log2(nodes))
        between = family.nvls_net + self.latency * 2
        if machine.release < (2, 19):
            hops = 2 * (nodes - 1)
            return family.nvls_base + hops * between, self.bus * 0.7 * nodes / hops
        latency = family.nvls_base + 2 * levels * between
        if machine.release < (2, 28):
            return latency, self.bus * (5 / 6 if nodes == 2 else 5 / 12)
        caps = releases.NVLS_TREE_OF_CHANNEL[machine.generation]
        rate = min(self.nvls_bus(), self.bus * (2 if nodes == 2 else 1),
                   machine.local * caps[self.column() - 1])
        return latency, rate * machine.ranks / self.steps
