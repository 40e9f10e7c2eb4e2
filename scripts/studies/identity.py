# SPDX-License-Identifier: GPL-2.0-only
"""The name of a result: a hash of all that it depends on.

That is the effective configuration, as the simulator prints it, with the content of the traces and
other files in place of their paths; and the simulator's version and build, as `nadi --version` has
them: another build may come to other results. So layout, comments, includes, values that are the
default anyway, and where files lie do not count.
"""

import functools
import hashlib
import json
import os

import yaml

from .key_path import names_file

RANK = "{rank}"
RANKS_LOOKED_PAST = 1024  # for files behind a gap, as the simulator does
Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # of texts, as the simulator reads them


def point_id(configuration, version):
    """12 hex digits. `version` names the build too.

    Requires: a configuration with its `workload.ranks`, as `nadi config` has."""
    return name_of([version, with_contents(configuration, int(configuration["workload"]["ranks"]))])


def failure_id(settings, message, version):
    """The name of a point that the simulator refuses with this message."""
    return name_of([version, settings, message])


def name_of(plain):
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parse(text):
    """The plain values of an effective configuration."""
    return yaml.load(text, Loader)


def with_contents(configuration, ranks):
    """The plain values of the configuration of a run of so many ranks, with a text of what stands
    in files in place of their paths."""
    reads_all = "what-if" in (configuration.get("workload") or ())

    def content(file, key):
        if RANK not in file:
            return digest(file)
        runs_them = key == "workload.trace" and not reads_all
        return contents(file, range(ranks) if runs_them else recorded_ranks(file))

    return map_files(configuration, "", content)


def map_files(tree, path, change):
    """The same plain values; every text that is the path of a file becomes `change` of it and of
    the path of its key."""
    if isinstance(tree, dict):
        return {
            key: map_files(item, f"{path}.{key}" if path else key, change)
            for key, item in tree.items()
        }
    if isinstance(tree, list):
        return [map_files(item, f"{path}[{i}]", change) for i, item in enumerate(tree)]
    return change(tree, path) if tree and path and names_file(path) else tree


def contents(pattern, ranks):
    """What stands in the files of these ranks; the path of what cannot be read."""
    if not ranks:
        return pattern
    digests = [f"{rank}: {digest(pattern.replace(RANK, str(rank)))}" for rank in ranks]
    return ", ".join(digests)


@functools.lru_cache(maxsize=None)
def recorded_ranks(pattern):
    """Those that have a file. A job that is made from traces, and an algorithm that they describe,
    may need more of them than there are ranks in the run."""
    found, end = [], RANKS_LOOKED_PAST
    rank = 0
    while rank < end:
        if os.path.isfile(pattern.replace(RANK, str(rank))):
            found.append(rank)
            end = rank + 1 + RANKS_LOOKED_PAST
        rank += 1
    return tuple(found)


@functools.lru_cache(maxsize=None)
def digest(file):
    """Files are read once: a study does not change its inputs while it is expanded."""
    hashed = hashlib.sha256()
    try:
        with open(file, "rb") as stream:
            while block := stream.read(1 << 20):
                hashed.update(block)
    except OSError:
        return file
    return hashed.hexdigest()
