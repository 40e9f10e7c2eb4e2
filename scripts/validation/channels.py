# SPDX-License-Identifier: GPL-2.0-only
"""How many channels a collective uses, and its chunks.

Source: NCCL, src/enqueue.cc (a channel is added for each threshold of bytes), src/init.cc and
src/include/device.h (sizes of buffers).
"""

import numpy as np

KIB = 1024.0
THREADS = {"LL": 512, "LL128": 640, "Simple": 512}
BYTES_PER_THREAD = {"LL": 8, "LL128": 8, "Simple": 64}  # before another channel is used
SLOT = {"LL": 4 * KIB, "LL128": 72000.0, "Simple": 512 * KIB}  # data bytes of one of 8 slots
ONE_NODE = {"v100": 12, "a100": 24, "h100": 24, "b200": 32, "mi300x": 28}
BETWEEN = {"v100": 1, "a100": 1, "h100": 2, "b200": 2, "mi300x": 2}  # for each GPU of a node
NVLS_CHANNELS = 16
NVLS_CHUNKS = (16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB)


def most_channels(machine):
    """The most that one collective uses."""
    if machine.nodes == 1:
        most = ONE_NODE[machine.generation]
    else:
        most = max(2, BETWEEN[machine.generation] * machine.local)
    return max(most, machine.least_channels)


def used_channels(machine, algorithm, protocol, sizes):
    """As many as the bytes give work to, between 1 and the most."""
    threshold = THREADS[protocol] * BYTES_PER_THREAD[protocol]
    if algorithm == "ring" and protocol == "LL":
        threshold *= machine.ranks
    return np.clip(np.floor(sizes / threshold), 1, most_channels(machine))


def tree_chunk(protocol, sizes, channels):
    """A channel has at least four chunks on their way up or down a tree."""
    return np.minimum(SLOT[protocol], sizes / (4 * channels))


def nvls_chunk(sizes, heads, most):
    """The loops of NVLS move one chunk for each head and channel; small sizes take smaller ones."""
    chunk = np.full_like(sizes, most)
    for smaller, loops in zip(NVLS_CHUNKS[::-1][1:], (64, 8, 2)):
        larger = 2 * smaller
        if larger <= most:
            small = sizes < loops * NVLS_CHANNELS * heads * larger
            chunk = np.where(small & (chunk == larger), smaller, chunk)
    return chunk
