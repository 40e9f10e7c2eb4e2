# SPDX-License-Identifier: GPL-2.0-only
"""The name of a result: a hash of all that it depends on.

That is the configuration with its included files and settings in place (what is left out counts as
left out, whatever its default), the content of the traces and other files that it names, and the
version of the simulator. Comments, layout, the order of keys and where files lie do not count.
"""

import functools
import glob
import hashlib
import json
import os
import pathlib

from .errors import StudyError
from .key_path import SECTIONS, is_path, names_file, set_at
from .yaml_tree import read_yaml

MAX_INCLUDES = 16


def point_id(base, settings, version):
    """12 hex digits; `settings` are (path, plain value), their files absolute."""
    tree = with_contents(effective_tree(base, settings), "")
    text = json.dumps([version, tree], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def effective_tree(base, settings):
    """The configuration as the simulator puts it together, in plain values.

    What the simulator will refuse is kept beside it, so that no two configurations look alike.
    """
    root = read_tree(base, "")
    refused = apply(root, settings, of_includes=True)
    for section in SECTIONS:
        if section in root:
            root[section] = expand_section(section, root[section], 0)
    refused += apply(root, settings, of_includes=False)
    return [root, refused]


def apply(root, settings, of_includes):
    refused = []
    for path, value in settings:
        section, dot, key = path.partition(".")
        includes = section in SECTIONS and (not dot or key == "file")
        if includes != of_includes:
            continue
        if dot and includes and isinstance(root.get(section), str):
            root[section] = {"file": root[section]}
        if not set_at(root, path, copy(value)):
            refused.append([path, value])
    return refused


@functools.lru_cache(maxsize=None)
def parse(file):
    return json.dumps(read_yaml(file, str(file)).plain())


def read_tree(file, section):
    """The plain values of a file, read once; paths in it become absolute."""
    tree = json.loads(parse(file))
    tree = {} if tree == "" else tree
    directory = pathlib.Path(file).parent
    return map_files(tree, section, lambda text: os.path.normpath(directory / text))


def expand_section(section, tree, depth):
    """A section that is `{file: PATH, <keys that override>}`, or a path, with the file in place."""
    over = {"file": tree} if isinstance(tree, str) else tree
    if not isinstance(over, dict) or not over.get("file") or depth >= MAX_INCLUDES:
        return tree
    try:
        included = read_tree(over["file"], section)
    except StudyError as error:
        return {"unreadable": str(error)} | over
    included = expand_section(section, included, depth + 1)
    for key, value in over.items():
        if key != "file":
            included = override(included, key, value)
    return included


def override(tree, key, value):
    if key not in tree and is_path(key) and ("." in key or "[" in key):
        return tree if set_at(tree, key, value) else [tree, key, value]
    return merged(tree, {key: value})


def merged(tree, over):
    if not isinstance(tree, dict) or not isinstance(over, dict):
        return over
    return tree | {key: merged(tree.get(key), value) for key, value in over.items()}


def copy(plain):
    return json.loads(json.dumps(plain))


def map_files(tree, path, change):
    """The same plain values, `change` applied to every text that is the path of a file."""
    if isinstance(tree, dict):
        return {
            key: map_files(item, f"{path}.{key}" if path else key, change)
            for key, item in tree.items()
        }
    if isinstance(tree, list):
        return [map_files(item, f"{path}[0]", change) for item in tree]
    return change(tree) if tree and path and names_file(path) else tree


def with_contents(effective, path):
    root, refused = effective
    return [map_files(root, path, contents), refused]


@functools.lru_cache(maxsize=None)
def contents(pattern):
    """What stands in the file, or in the files of all ranks; the text itself where there is none.

    Files are read once: a study does not change its inputs while it is expanded.
    """
    if "{rank}" not in pattern:
        return digest(pattern) if os.path.isfile(pattern) else pattern
    begin, _, end = pattern.partition("{rank}")
    files = glob.glob(glob.escape(begin) + "*" + glob.escape(end))
    ranks = {file[len(begin) : len(file) - len(end)]: file for file in files}
    found = {rank: digest(file) for rank, file in ranks.items() if rank.isdigit()}
    return found or pattern


def digest(file):
    hashed = hashlib.sha256()
    with open(file, "rb") as stream:
        while block := stream.read(1 << 20):
            hashed.update(block)
    return hashed.hexdigest()
