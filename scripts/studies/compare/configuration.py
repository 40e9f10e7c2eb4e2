# SPDX-License-Identifier: GPL-2.0-only
"""Which keys of two configurations have other values."""

import dataclasses
import os

from ..identity import map_files, with_contents
from ..simulator import one_line
from ..yaml_tree import inline


@dataclasses.dataclass(frozen=True)
class KeyDifference:
    """The texts are None where a configuration does not have the key."""

    key: str
    before: str
    after: str


DERIVED = ("workload.ranks", "system.collectives")  # often follow from other keys


def compare_configurations(before, after):
    """Keys that often follow from others come last. Files with the same content are the same,
    wherever they lie."""
    trees = [run.configuration for run in (before, after)]
    files = [with_contents(run.configuration, run.ranks) for run in (before, after)]
    changed = {one.key for one in differences(*files, "")}
    found = [one for one in differences(*trees, "") if one.key in changed]
    return sorted(found, key=lambda one: one.key.startswith(DERIVED))


def files_of(run):
    """(key, path) of the files that its configuration names. What a directory keeps changes no
    outcome."""
    found = []

    def add(file, key):
        if not os.path.isdir(file):
            found.append((key, one_line(file)))
        return file

    map_files(run.configuration, "", add)
    return found


def differences(old, new, path):
    """Of two trees of plain values; None where there is none."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            below = f"{path}.{key}" if path else key
            yield from differences(old.get(key), new.get(key), below)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, pair in enumerate(zip(old, new)):
            yield from differences(*pair, f"{path}[{number}]")
    elif old != new:
        yield KeyDifference(path, text_of(old), text_of(new))


def values_of(plain, path=""):
    """(key, its plain value) of every key and every item of a list, named as `differences` does."""
    if path:
        yield path, plain
    if isinstance(plain, dict):
        for key, below in plain.items():
            yield from values_of(below, f"{path}.{key}" if path else key)
    elif isinstance(plain, list):
        for number, below in enumerate(plain):
            yield from values_of(below, f"{path}[{number}]")


def text_of(plain):
    return None if plain is None else inline(plain)
