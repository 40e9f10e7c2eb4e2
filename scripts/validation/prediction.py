# SPDX-License-Identifier: GPL-2.0-only
"""The predicted time of a collective: the library's choice, its closed form, and the launch."""

import numpy as np

from . import times
from .choice import CHAINS, choose
from .msccl import LIBRARY_TIME, scripted, takes_over

FORMS = {
    "ring": times.ring,
    "tree": times.tree,
    "nvls": times.nvls,
    "nvls-tree": times.nvls_tree,
    "chain": times.chain,
    "all-to-all": times.all_to_all,
    "send-receive": times.send_receive,
}
PEER_TO_PEER = ("all-to-all", "send-receive")
SHARPNESS = 6  # of the change from the launch's time to the kernel's


def plan(machine, sizes):
    """[(algorithm, protocol)] for each size, as the library runs them."""
    if machine.script:
        return [(machine.script.algorithm, machine.script.protocol)] * len(sizes)
    if machine.collective in PEER_TO_PEER:
        return [(machine.collective, "Simple")] * len(sizes)
    chosen = choose(machine, sizes)
    if machine.collective in CHAINS:
        return [("chain", protocol) for _, protocol in chosen]
    return chosen


def predict(machine, value, sizes, planned):
    """us of each size."""
    if machine.script:
        kernel = scripted(machine, value, sizes)
        kernel = np.where(takes_over(machine, sizes), LIBRARY_TIME, kernel)
        return kernel
    kernel = np.empty_like(sizes)
    for one in sorted(set(planned)):
        these = np.array([other == one for other in planned])
        algorithm, protocol = one
        kernel[these] = FORMS[algorithm](machine, value, protocol, sizes[these])
    return times.softmax(launch(machine, value), kernel, SHARPNESS)


def launch(machine, value):
    """us: a launch is a floor under the kernel's time, and so is the wait of a host."""
    floor = launch_of_processes(machine, value)
    return max(floor, value("gpu.blocking")) if machine.blocking else floor


def launch_of_processes(machine, value):
    """us, of a host that does not wait."""
    single = value("gpu.launch")
    each = "gpu.p2p-launch-of-each" if machine.collective in PEER_TO_PEER else "gpu.launch-of-each"
    if machine.launch == "process-per-gpu":
        return single
    several = value(each) * machine.local
    return several if machine.launch == "process-per-node" else np.sqrt(single * several)
