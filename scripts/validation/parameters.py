# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of the closed form: what each is, where its first value is from, how far it may
go.

A parameter belongs to the GPU (`gpu.`: a value for each generation), to the network (`net.`: a
value for each transport) or to scripted algorithms. Its value is the common one times deviations:
of the generation; of the network's software, transport and path. All are found by the fit, unless
their widths are 0, each with a prior: log(common / first value) and log(deviation) are normal. What
the data do not speak of keeps its first value, and an unknown generation or transport has the
common one.
"""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Parameter:
    first: float
    common: float  # width of the prior of log(common / first)
    deviation: float  # width of the prior of log(deviation)
    unit: str
    help: str
    source: str


LATENCY = (0.5, 0.35)
RATE = (0.12, 0.08)
WIDE = (1.0, 0.7)
NCCL = "NCCL, src/graph/tuning.cc"
EARLIER = "an earlier fit to the same tables"


def by_protocol(name, firsts, widths, unit, text, source):
    return {
        f"{name}.{protocol}": Parameter(first, *widths, unit, f"{text}, {protocol}", source)
        for protocol, first in zip(("LL", "LL128", "Simple"), firsts)
    }


PARAMETERS = {
    "gpu.launch": Parameter(6.5, 0.3, 0.2, "us", "floor of a call, one process per GPU", EARLIER),
    "gpu.launch-of-each": Parameter(
        4.8, 0.2, 0.15, "us", "floor of a call for each GPU of a process with several", EARLIER),
    "gpu.p2p-launch-of-each": Parameter(
        11.0, 0.3, 0.2, "us", "the same for grouped sends and receives", EARLIER),
    "gpu.blocking": Parameter(
        48.0, 0.3, 0.0, "us", "floor of a call that the host waits for", EARLIER),
    **by_protocol("gpu.base", (6.6, 14.0, 12.0), LATENCY, "us", "start of a kernel", NCCL),
    **by_protocol("gpu.hop", (0.6, 1.9, 3.4), LATENCY, "us", "ring step within a node", NCCL),
    **by_protocol("gpu.tree-hop", (0.6, 1.25, 4.0), LATENCY, "us", "tree step within a node", NCCL),
    "gpu.channel-start": Parameter(0.3, *WIDE, "us", "each channel that takes part", EARLIER),
    "gpu.channel-rate": Parameter(4.0, 0.5, 0.3, "GB/s", "of one channel of LL", EARLIER),
    "gpu.rate.Simple": Parameter(
        0.80, *RATE, "of the link", "ring, Simple", "NVIDIA: 370 of 450 GB/s on Hopper"),
    "gpu.rate.LL128": Parameter(
        0.9375, 0.08, 0.05, "of Simple", "120 of 128 bytes are data", "NCCL, src/include/device.h"),
    "gpu.rate.LL": Parameter(
        0.30, 0.3, 0.3, "of Simple", "half of the bytes are flags; 8-byte stores", EARLIER),
    "gpu.chain-rate": Parameter(1.0, 0.06, 0.05, "of the ring's", "broadcast, reduce", EARLIER),
    "gpu.reduce-rate": Parameter(
        1.0, 0.06, 0.05, "of all-gather's", "reduce-scatter, which also reads and adds", EARLIER),
    "gpu.p2p-rate": Parameter(1.0, 0.06, 0.05, "of the ring's", "all-to-all", EARLIER),
    "gpu.p2p-hop": Parameter(
        2.0, *LATENCY, "us", "each peer of an all-to-all within a node", EARLIER),
    "gpu.p2p-channel": Parameter(20.0, 0.2, 0.2, "GB/s", "of one channel of a send", EARLIER),
    "gpu.skew": Parameter(1.5, 0.6, 0.3, "us^0.5", "of sqrt(t): ranks and channels drift", EARLIER),
    "gpu.nvls-rate": Parameter(0.65, 0.1, 0.08, "of the link", "NVLS within a node", EARLIER),
    "gpu.nvls-switch-rate": Parameter(
        0.689, 0, 0, "of the link", "of all that a GPU sends where the network computes",
        "nccl-tests: 310 of 450 GB/s on Hopper, 540 of 900 on Blackwell"),
    "gpu.nvls-base": Parameter(24.0, 0.4, 0.3, "us", "start of NVLS", NCCL),
    "gpu.nvls-channel": Parameter(0.5, 0.7, 0.3, "us", "each channel of NVLS", EARLIER),
    "gpu.nvls-loop": Parameter(5.0, 0.5, 0.3, "us", "a loop of NVLS", EARLIER),
    "gpu.nvls-fill": Parameter(
        2.0, 0.4, 0.2, "loops", "until the pipeline of NVLS is full", EARLIER),
    "net.rate.Simple": Parameter(
        0.955, 0.03, 0.03, "of the NICs", "rings; InfiniBand's headers leave 0.984", EARLIER),
    "net.rate.LL128": Parameter(0.9375, 0.08, 0.08, "of Simple", "120 of 128 bytes are data",
                                "NCCL, src/include/device.h"),
    "net.rate.LL": Parameter(
        0.26, 0.4, 0.3, "of Simple", "half are flags; short messages", EARLIER),
    "net.tree-rate": Parameter(0.92, 0.08, 0.05, "of the ring's", "trees between nodes", EARLIER),
    "net.nvls-tree-rate": Parameter(
        0.95, 0.05, 0.05, "of the ring's", "NVLSTree: 45.5 of 50 GB/s for each NIC", NCCL),
    **by_protocol("net.hop", (5.0, 9.0, 14.0), (0.6, 0.5), "us", "ring step between nodes", NCCL),
    # most tables have it below the transfer only, where others could stand in for it
    "net.hop.Simple": Parameter(
        14.0, 0.4, 0.3, "us", "ring step between nodes, Simple", NCCL),
    **by_protocol(
        "net.tree-hop", (6.0, 9.0, 18.0), (0.6, 0.5), "us", "tree step between nodes", NCCL),
    "net.rendezvous": Parameter(
        3.0, *WIDE, "us", "each message of LL that is not eager", EARLIER),
    "net.nvls-tree-hop": Parameter(16.0, 0.5, 0.5, "us", "step of NVLSTree between nodes", NCCL),
    "net.tree-fill": Parameter(
        0.75, 0.4, 0.2, "chunks", "of each hop until a tree is full", EARLIER),
    "net.chain-fill": Parameter(
        2.0, 0.5, 0.2, "chunks", "until a chain that crosses the network moves", EARLIER),
    "net.all-to-all-rate": Parameter(
        0.93, 0.06, 0.05, "of the ring's", "many peers share the NICs", EARLIER),
    "net.pair": Parameter(
        7.0, 0.5, 0.4, "us", "each peer of an all-to-all on another node", EARLIER),
    "net.peer-rate": Parameter(25.0, 0.3, 0.2, "GB/s", "to one peer: few channels", EARLIER),
    "net.skew": Parameter(1.5, 0.6, 0.3, "us^0.5", "of sqrt(t) between nodes", EARLIER),
    "msccl.LL": Parameter(1.58, 0.3, 0, "GB/s", "of a channel and link", EARLIER),
    "msccl.LL128": Parameter(2.18, 0.3, 0, "GB/s", "of a channel and link", EARLIER),
    "msccl.Simple": Parameter(10.4, 0.3, 0, "GB/s", "of a channel and link", EARLIER),
    "msccl.base.LL": Parameter(6.5, 0.5, 0, "us", "start", EARLIER),
    "msccl.base.LL128": Parameter(200.0, 0.3, 0, "us", "start", EARLIER),
    "msccl.base.Simple": Parameter(9.0, 0.5, 0, "us", "start", EARLIER),
    **by_protocol("msccl.ring-hop", (1.4, 1.9, 4.0), (0.5, 0), "us", "step of a ring", EARLIER),
    **by_protocol("msccl.phase", (3.0, 4.0, 5.0), (0.7, 0), "us", "phase of allpair", EARLIER),
    "msccl.pipelined": Parameter(1.6, 0.2, 0.15, "", "gain of four channels", EARLIER),
    "msccl.pair-rate": Parameter(
        0.5, 0.2, 0, "of a pair's link", "allpair, many instances", EARLIER),
    **by_protocol("msccl.reduce-rate", (0.95, 0.95, 0.95), (0.2, 0), "of copying",
                  "the phase that also adds", EARLIER),
}  # fmt: skip


# Where a generation's first value is known to differ: logarithms of first / common first.
KNOWN = {
    # AMD, "Understanding RCCL Bandwidth and xGMI Performance": 48 of the 64 GB/s of a link
    "gpu.rate.Simple@mi300x": math.log(0.75 / 0.80),
    # stas00/ml-engineering: rings of eight B200 reach 673 to 682 of 900 GB/s
    "gpu.rate.Simple@b200": math.log(0.755 / 0.80),
    # nccl-tests: 540 of 900 GB/s
    "gpu.nvls-switch-rate@b200": math.log(0.6 / 0.689),
}


# How much farther, or less far, some owners stand from the common value than others.
SPREAD = {"verbs": 0.7, "libfabric": 0.7, "other": 0.7, "host-bridge": 2.0}


class Values:
    """Parameters of a machine, given logarithms of commons and deviations.

    `asked` collects the names of the variables that a prediction needs.
    """

    def __init__(self, logs, machine, asked=None):
        self.logs = logs
        protocol = (machine.script.protocol,) if machine.script else ()
        self.owners = {"gpu": (machine.generation,), "net": machine.network, "msccl": protocol}
        self.asked = asked

    def __call__(self, name):
        variables = [name, *(f"{name}@{owner}" for owner in self.owners[name.partition(".")[0]])]
        if self.asked is not None:
            self.asked.update(variables)
        away = sum(self.logs.get(one, 0.0) + KNOWN.get(one, 0.0) for one in variables)
        return PARAMETERS[name].first * math.exp(away)


def width(variable):
    """Of the prior of a variable, a common name or name@owner; 0 where it may not move."""
    name, specific, owner = variable.partition("@")
    parameter = PARAMETERS[name]
    if not specific:
        return parameter.common
    return parameter.deviation * SPREAD.get(owner.partition("-")[2] or owner, 1.0)
