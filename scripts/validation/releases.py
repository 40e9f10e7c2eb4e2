# SPDX-License-Identifier: GPL-2.0-only
"""Constants of the library's own estimate, by release.

Times in us, rates in GB/s, in the order LL, LL128, Simple. Source: NCCL, src/graph/tuning.cc at the
tags from v2.7.8 to v2.29; the names say from which release on the values hold.
"""

import dataclasses

PROTOCOLS = ("LL", "LL128", "Simple")


@dataclasses.dataclass(frozen=True)
class Family:
    first: tuple  # the first release of the family
    tree_base: tuple
    ring_base: tuple
    tree_link: tuple  # of a hop within a node
    ring_link: tuple
    tree_net: tuple  # of a hop between nodes
    ring_net: tuple
    nvls_base: float
    nvls_net: float
    ring_plateau: float  # factor on the latency of a Simple ring between nodes


NONE = float("inf")
FAMILIES = (
    Family((2, 0), (4.4, 4.4, 0), (3.6, 10, 8.4), (0.52, 1.25, 28), (0.47, 1.9, 3.4),
           (5, 8.5, 50), (2.7, 4, 9.6), NONE, NONE, 1.0),
    Family((2, 8), (4.4, 4.4, 0), (3.6, 10, 8.4), (0.52, 1.25, 28), (0.47, 1.9, 3.4),
           (5, 8.5, 28), (2.7, 4, 9.6), NONE, NONE, 1.9),
    Family((2, 12), (4.4, 4.4, 0), (3.6, 10, 8.4), (0.52, 1.25, 28), (0.47, 1.9, 3.4),
           (5, 8.5, 28), (2.7, 4, 28), NONE, NONE, 1.9),
    Family((2, 17), (6.8, 14, 0), (6.6, 14, 8.4), (0.6, 1.25, 4), (0.6, 1.9, 3.4),
           (5, 8.5, 14), (2.7, 4, 14), 23, 18.5, 1.4),
    Family((2, 19), (6.8, 14, 0), (6.6, 14, 8.4), (0.6, 1.25, 28), (0.6, 1.9, 3.4),
           (5, 8.5, 28), (2.7, 4, 14), 23, 14, 1.4),
    Family((2, 21), (6.8, 14, 0), (6.6, 14, 8.4), (0.6, 1.25, 28), (0.6, 1.9, 3.4),
           (5, 8.5, 28), (2.7, 4, 14), 25, 14, 1.4),
    Family((2, 23), (6.8, 14, 8.4), (6.6, 14, 8.4), (0.6, 1.25, 4), (0.6, 1.9, 3.4),
           (5, 8.5, 14), (2.7, 4, 14), 25, 14, 1.4),
    Family((2, 28, 9), (6.8, 14, 8.4), (6.6, 14, 8.4), (0.6, 1.25, 4), (0.6, 1.9, 3.4),
           (5, 8.5, 14), (2.7, 4, 14), 25, 20.9, 1.4),
)  # fmt: skip

NODE_SHARE = 0.8  # of the links' rate: the library counts 20 of the 25 GB/s of an NVLink
NIC_SHARE = 0.96  # of a NIC's rate: the next lower entry of the library's list of rates
# Of one node, two nodes, more; on one node by GPU, else by vendor of the processor.
LL_MOST = {"v100": 39.0, "a100": 87.7, "h100": 141.0, "b200": 282.0, "mi300x": 87.7}
LL_MOST_BEFORE_2_20 = {"h100": 87.7, "b200": 87.7}
LL_MOST_BETWEEN = {"other": (39.0, 20.4), "amd": (22.5, 19.0)}
TREE_OF_CHANNEL = {
    "v100": (26.5, 18.5, 10.0),
    "a100": (24.0, 23.6, 17.8),
    "h100": (38.7, 41.4, 36.0),
    "b200": (70.0, 42.8, 24.0),
    "mi300x": (24.0, 23.6, 17.8),
}
LL128_OF_CHANNEL = {"v100": 20.0, "a100": 20.0, "h100": 36.7, "b200": 40.0, "mi300x": 20.0}
NVLS_SHARE = {"h100": 0.85, "b200": 0.74}  # from 2.28 on
NVLS_TREE_OF_CHANNEL = {"h100": (57.7, 45.5), "b200": (96.0, 43.1)}
# Of a tree's rate, by powers of two from 64 B to 256 MiB.
TREE_CORRECTION = {
    "LL": (1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1),
    "LL128": (1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1),
    "Simple": (.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8,
               .9, .9),
}  # fmt: skip
# us that a network plugin reports for one message: aws-ofi-nccl, its table of platforms.
PLUGIN_LATENCY = {"efa": 75.0}
POST = {"amd": 2.0, "other": 1.0}  # us of a message that the host posts


def family_of(release):
    return [family for family in FAMILIES if family.first <= release][-1]
