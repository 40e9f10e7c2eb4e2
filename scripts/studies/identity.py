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

import yaml

from .key_path import names_file

RANK = "{rank}"
Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # of texts, as the simulator reads them


def point_id(configuration, version):
    """12 hex digits. `version` names the build too.

    Requires: a configuration with its `workload.ranks`, as `nadi config` has."""
    ranks = int(configuration["workload"]["ranks"])
    return name_of([version, map_files(configuration, "", lambda path: contents(path, ranks))])


def failure_id(settings, message, version):
    """The name of a point that the simulator refuses with this message."""
    return name_of([version, settings, message])


def name_of(plain):
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parse(text):
    """The plain values of an effective configuration."""
    return yaml.load(text, Loader)


def map_files(tree, path, change):
    """The same plain values, `change` applied to every text that is the path of a file."""
    if isinstance(tree, dict):
        return {
            key: map_files(item, f"{path}.{key}" if path else key, change)
            for key, item in tree.items()
        }
    if isinstance(tree, list):
        return [map_files(item, f"{path}[{i}]", change) for i, item in enumerate(tree)]
    return change(tree) if tree and path and names_file(path) else tree


def contents(pattern, ranks):
    """What stands in the file, or in those of all ranks; the path of what cannot be read."""
    if RANK not in pattern:
        return digest(pattern)
    return [digest(pattern.replace(RANK, str(rank))) for rank in range(ranks)]


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
