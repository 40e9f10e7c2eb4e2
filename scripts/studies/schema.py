# SPDX-License-Identifier: GPL-2.0-only
"""Which keys a configuration can have, from `nadi schema`."""

from .errors import StudyError, suggest
from .key_path import steps


def alternatives(node):
    """The schemas without alternatives that a schema comes to."""
    options = node.get("anyOf", []) + node.get("oneOf", [])
    if not options:
        return [node]
    return [found for option in options for found in alternatives(option)]


def is_open(node):
    """Whether any key is good: what is below is the simulator's to judge."""
    return node.get("type") == "object" and node.get("additionalProperties") is not False


def below(nodes, step):
    """The schemas of a key or an item of these."""
    found = []
    for node in nodes:
        if isinstance(step, int) and "items" in node:
            found += alternatives(node["items"])
        elif step in node.get("properties", {}):
            found += alternatives(node["properties"][step])
    return found


def check_key(schema, path, where):
    """Throws StudyError when no configuration has the key `path`."""
    nodes = alternatives(schema)
    above = ""
    for step in steps(path):
        next_nodes = below(nodes, step)
        if not next_nodes:
            if any(is_open(node) for node in nodes):
                return
            fail(nodes, above, step, where)
        nodes = next_nodes
        above += f"[{step}]" if isinstance(step, int) else f"{'.' if above else ''}{step}"


def fail(nodes, above, step, where):
    place = f"{above}: " if above else ""
    if isinstance(step, int):
        raise StudyError(where, f"{place}is not a list; remove [{step}]")
    known = sorted({name for node in nodes for name in node.get("properties", {})})
    if known:
        path = f"{above}.{step}" if above else step
        raise StudyError(where, f"{path}: unknown key{suggest(step, known)}")
    if any("items" in node for node in nodes):
        raise StudyError(where, f"{place}is a list; say which item, as in {above}[0].{step}")
    raise StudyError(where, f'{place}is a single value; remove ".{step}"')
