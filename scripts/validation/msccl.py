# SPDX-License-Identifier: GPL-2.0-only
"""Closed forms of algorithms that a file gives, with known protocol and channels (one node)."""

import numpy as np

from .times import OVERLAP, softmax

SMALLEST = 128.0  # bytes for each instance: below, the library's own algorithm runs
LIBRARY_TIME = 17.0  # us, of that algorithm


def scripted(machine, value, sizes):
    """us of the algorithm of `machine.script`, without the launch."""
    of = {"ring": script_ring, "allpair": script_allpair}
    return of[machine.script.algorithm](machine, value, sizes)


def script_ring(machine, value, sizes):
    """A ring "with c channels" moves piece i on channel i mod c: a pipeline, not c rings."""
    script, ranks = machine.script, machine.ranks
    p = script.protocol
    rounds = 2 if machine.collective == "all-reduce" else 1
    hops = rounds * (ranks - 1)
    gain = value("msccl.pipelined") ** (np.log2(script.channels) / 2)  # it is that of four
    rate = value(f"msccl.{p}") * script.instances * gain
    moving = sizes * hops / ranks / (1e3 * rate)
    return script_time(value, p, hops * value(f"msccl.ring-hop.{p}"), moving)


def script_allpair(machine, value, sizes):
    """Each rank exchanges its share with all others at once; all-reduce in two phases."""
    script, ranks = machine.script, machine.ranks
    p = script.protocol
    phases = 2 if machine.collective == "all-reduce" else 1
    pair = value("msccl.pair-rate") * machine.link / (ranks - 1)
    rate = min(script.instances * value(f"msccl.{p}"), pair)
    passes = 1 if phases == 1 else 1 + 1 / value(f"msccl.reduce-rate.{p}")
    moving = passes * sizes / ranks / (1e3 * rate)
    return script_time(value, p, phases * value(f"msccl.phase.{p}"), moving)


def script_time(value, protocol, passing, moving):
    """Of steps that pass data on and of its transfer, as in the library's own rings."""
    time = value(f"msccl.base.{protocol}") + softmax(passing, moving, OVERLAP[protocol])
    if protocol == "Simple":
        time = time + value("gpu.skew") * np.sqrt(moving)
    return time


def takes_over(machine, sizes):
    """Where the library's own algorithm runs instead."""
    return sizes < SMALLEST * machine.script.instances * (
        2 if machine.collective == "all-reduce" else 0
    )
