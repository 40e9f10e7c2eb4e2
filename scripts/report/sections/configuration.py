# SPDX-License-Identifier: GPL-2.0-only
"""The effective configuration: each key with its value and its help; defaults are dimmed."""

from studies.quantities import parse_quantity
from studies.schema import alternatives
from studies.yaml_tree import inline

from ..parts import Section, Settings
from ..words import short

LONGEST_VALUE = 1000
YES, NO = ("on", "true", "yes"), ("off", "false", "no")
UNKNOWN = object()


def make_section(config, schema):
    """`config` in plain dictionaries, lists and texts; `schema` as `nadi schema` prints it."""
    rows = list(rows_of(config, [schema], ""))
    return Section("configuration", "Configuration", [Settings(rows)])


def rows_of(place, nodes, path):
    """(path, value, help, whether it is the default) of each key that has no keys below it."""
    for key, value in place.items():
        own = f"{path}.{key}" if path else key
        found = [node for one in nodes for node in properties_of(one, key)]
        if isinstance(value, dict) and value:
            yield from rows_of(value, [deep for one in found for deep in alternatives(one)], own)
            continue
        text = inline(value)
        default = next((one["default"] for one in found if "default" in one), UNKNOWN)
        words = next((one["description"] for one in found if "description" in one), "")
        is_default = default is not UNKNOWN and means_the_same(text, default)
        yield own, short(text, LONGEST_VALUE), words, is_default


def properties_of(node, key):
    """The schemas of a key, with their default and help, which stand beside alternatives."""
    return [one["properties"][key] for one in alternatives(node)
            if key in one.get("properties", {})]


def means_the_same(text, default):
    """Whether a value is the default in other words: 4096 B is 4 KiB, yes is on."""
    other = default if isinstance(default, str) else inline(default)
    if isinstance(default, bool):
        other = "on" if default else "off"
    if text == other or {text, other} <= set(YES) or {text, other} <= set(NO):
        return True
    one, two = parse_quantity(text), parse_quantity(other)
    if not one or not two or one[2] is not two[2]:
        return False
    return one[0] * one[2][one[1]] == two[0] * two[2][two[1]]
