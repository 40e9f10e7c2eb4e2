# SPDX-License-Identifier: GPL-2.0-only
"""Paths of keys, such as network.dimensions[0].bandwidth."""

import re

STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
WHOLE = re.compile(r"[^.\[\]]+(\[\d+\])*(\.[^.\[\]]+(\[\d+\])*)*")
SECTIONS = ("workload", "system", "network")
FILE_PATHS = SECTIONS + ("workload.trace", "workload.groups")


def is_path(text):
    return WHOLE.fullmatch(text) is not None


def steps(path):
    """Names, and numbers for the items of lists."""
    return [name if name else int(index) for name, index in STEP.findall(path)]


def names_file(path):
    """Whether the single value at this path of a configuration is the path of a file."""
    last = [step for step in steps(path) if isinstance(step, str)][-1]
    return path in FILE_PATHS or last in ("file", "from", "plan-cache")
