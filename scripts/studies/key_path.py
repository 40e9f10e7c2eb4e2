# SPDX-License-Identifier: GPL-2.0-only
"""Paths of keys, such as network.dimensions[0].bandwidth."""

import re

STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
WHOLE = re.compile(r"[^.\[\]]+(\[\d+\])*(\.[^.\[\]]+(\[\d+\])*)*")
SECTIONS = ("workload", "system", "network")
FILES = (  # keys that take the path of a file, or a list of them; * stands for any one key
    *SECTIONS,
    *(f"{section}.file" for section in SECTIONS),
    "workload.trace",
    "workload.groups",
    "workload.placement.file",
    "workload.generate.file",
    "workload.what-if.kernels",
    "workload.serve.requests.trace",
    "workload.serve.experts.routing.trace",
    "system.collectives.*.from",
    "system.collectives.*.flat.from",
    "system.collectives.per-node",
    "system.collectives.per-node.*",
    "system.compute.kernels",
    "system.plan-cache",
    "network.topology.file",
)


def pattern_of(keys):
    """Of the paths of these keys, which may lie in lists."""
    names = [r"[^.\[\]]+" if name == "*" else re.escape(name) for name in keys.split(".")]
    return r"(\[\d+\])*\.".join(names) + r"(\[\d+\])*"


FILE = re.compile("|".join(map(pattern_of, FILES)))


def is_path(text):
    return WHOLE.fullmatch(text) is not None


def steps(path):
    """Names, and numbers for the items of lists."""
    return [name if name else int(index) for name, index in STEP.findall(path)]


def names_file(path):
    """Whether the single value at this path of a configuration is the path of a file."""
    return FILE.fullmatch(path) is not None
