# SPDX-License-Identifier: GPL-2.0-only
"""Which algorithm and protocol run: the library's own estimate decides among what is allowed."""

import numpy as np

from .estimate import Estimate
from .releases import PROTOCOLS

CHAINS = ("broadcast", "reduce")


def choose(machine, sizes):
    """[(algorithm, protocol)] for each size."""
    candidates = allowed(machine)
    estimate = Estimate(machine)
    times = [np.broadcast_to(estimate.time(*one, sizes), sizes.shape) for one in candidates]
    return [candidates[at] for at in np.argmin(times, axis=0)]


def allowed(machine):
    """The candidates, [(algorithm, protocol)]."""
    algorithms = ["ring"]
    if machine.collective == "all-reduce":
        algorithms += ["tree"]
        if may_use_nvls(machine):
            algorithms += ["nvls" if machine.nodes == 1 else "nvls-tree"]
    if machine.forced:
        algorithms = [one for one in algorithms if one.replace("-", "") == machine.forced]
    algorithms = algorithms or ["ring"]
    candidates = [(algorithm, protocol) for algorithm in algorithms
                  for protocol in protocols(machine)
                  if algorithm not in ("nvls", "nvls-tree") or protocol == "Simple"]
    return candidates or [(algorithms[0], "Simple")]


def may_use_nvls(machine):
    wished = machine.forced in ("nvls", "nvlstree")
    possible = machine.allows_nvls if wished else machine.prefers_nvls
    return possible and machine.release >= ((2, 17) if machine.nodes == 1 else (2, 18))


def protocols(machine):
    if machine.protocol:
        return (machine.protocol,)
    if machine.transport == "efa" and machine.generation in ("v100", "a100"):
        return ("Simple",)  # aws-ofi-nccl, issue 76
    return tuple(one for one in PROTOCOLS if one != "LL128" or allows_ll128(machine))


def allows_ll128(machine):
    """GPU and NIC below one PCIe switch; since 2.28 also through C2C."""
    if machine.generation == "mi300x" or machine.release < (2, 5):
        return False
    if machine.nodes == 1:
        return True
    if machine.nic_path == "c2c":
        return machine.release >= (2, 28)
    if machine.generation in ("h100", "b200") and machine.release < (2, 17):
        return False
    return machine.nic_path == "pcie-switch"
