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
    return path in FILE_PATHS or steps(path)[-1] == "file"


def set_at(root, path, value):
    """Puts a plain value at `path`, as `--set` does. Returns False where the path leads nowhere."""
    *above, last = steps(path)
    at = root
    for step in above:
        at = enter(at, step)
        if at is None:
            return False
    if isinstance(last, int):
        if not isinstance(at, list) or last >= len(at):
            return False
    elif not isinstance(at, dict):
        return False
    at[last] = value
    return True


def enter(at, step):
    """The value below; a mapping is added where there is none."""
    if isinstance(step, int):
        return at[step] if isinstance(at, list) and step < len(at) else None
    if not isinstance(at, dict):
        return None
    if at.get(step) in (None, ""):
        at[step] = {}
    return at[step]
