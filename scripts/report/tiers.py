# SPDX-License-Identifier: GPL-2.0-only
"""The nodes of a network by tiers, and places for drawing them."""

import re

import numpy

STACK_SWITCH = re.compile(r"dim(\d+)\.")
NUMBER = re.compile(r"\d+")


def tiers_of(names, links):
    """{name: tier}. NPUs are tier 0. A switch of a stack is above the dimensions below its own;
    others are as far up as their way to the nearest NPU is long."""
    tiers = {name: 0 for name in names if name.startswith("npu")}
    stack = {name: int(found[1]) + 1 for name in names if (found := STACK_SWITCH.match(name))}
    tiers |= stack
    neighbours = {}
    for one, other in links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    front = [name for name, tier in tiers.items() if tier == 0]
    level = 0
    while front:
        level += 1
        front = [name for name in dict.fromkeys(
            near for one in front for near in neighbours.get(one, ())) if name not in tiers]
        tiers |= dict.fromkeys(front, level)
    return {name: tiers.get(name, level) for name in names}


def kind_of(name):
    """Nodes that differ in their numbers only are of one kind: "npu", "dim0.switch", "leaf"."""
    found = STACK_SWITCH.match(name)
    start = found.end() if found else 0
    return name[:start] + NUMBER.sub("", name[start:]) or name


def natural(name):
    """Sorts npu10 behind npu9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def place_nodes(names, links, width):
    """[(name, x, y)] from 0 to 1: each tier is a line. NPUs without any switch above them are a
    grid with `width` columns."""
    tiers = tiers_of(names, links)
    height = max(tiers.values(), default=0)
    by_tier = [sorted((name for name in names if tiers[name] == tier), key=natural)
               for tier in range(height + 1)]
    if height == 0:
        return place_grid(by_tier[0], width)
    return [(name, (number + 0.5) / len(line), tier / height)
            for tier, line in enumerate(by_tier) for number, name in enumerate(line)]


def place_grid(names, width):
    if len(names) <= width:  # a ring or a full mesh: a circle shows its links best
        angles = 2 * numpy.pi * numpy.arange(len(names)) / max(len(names), 1)
        return [(name, 0.5 + 0.3 * float(numpy.sin(angle)), 0.5 + 0.48 * float(numpy.cos(angle)))
                for name, angle in zip(names, angles)]
    lines = -(-len(names) // width)
    return [(name, (number % width + 0.5) / width, 1 - (number // width + 0.5) / lines)
            for number, name in enumerate(names)]
