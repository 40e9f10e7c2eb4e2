# SPDX-License-Identifier: GPL-2.0-only
"""Linear constraints on bandwidths, such as `network.dimensions[1].bandwidth <= 100 GB/s`."""

import dataclasses
import re

from ..quantities import RATES, parse_number, parse_quantity

RELATION = re.compile(r"<=|>=|=")
PATH = re.compile(r"network\.dimensions\[(\d+)\]\.bandwidth")
TERM = re.compile(r"(?:([0-9.eE+-]+)\s*\*\s*)?(\S.*)")
GB = 1e9


@dataclasses.dataclass(frozen=True)
class Constraint:
    """sum of weights[d] x the bandwidth of a link of dimension d, in GB/s, `relation` `bound`."""

    text: str
    weights: dict  # {dimension: number}
    relation: str  # <= or =
    bound: float


def dimension_of(path):
    """The dimension whose bandwidth a path names, or None."""
    found = PATH.fullmatch(path)
    return int(found[1]) if found else None


def rate_of(text):
    """A bandwidth in GB/s, or None."""
    parsed = parse_quantity(text)
    return parsed[0] * RATES[parsed[1]] / GB if parsed and parsed[2] is RATES else None


def parse_constraint(text):
    """The Constraint of a text, or a text that says what is wrong."""
    sides = RELATION.split(text)
    if len(sides) != 2:
        return "has not one of <=, >= and ="
    relation = RELATION.search(text)[0]
    weights, bound = {}, 0.0
    for side, sign in zip(sides, (1.0, -1.0)):
        for term in split_terms(side):
            parsed = parse_term(term)
            if parsed is None:
                return f'"{term.strip()}" is neither a bandwidth nor a key of one'
            dimension, value = parsed
            if dimension is None:
                bound -= sign * value
            else:
                weights[dimension] = weights.get(dimension, 0.0) + sign * value
    if relation == ">=":
        weights, bound = {key: -weight for key, weight in weights.items()}, -bound
    return Constraint(text, weights, "=" if relation == "=" else "<=", bound)


def split_terms(side):
    """The terms that are added; one that is subtracted begins with -."""
    parts = re.split(r"\s([+-])\s", side)
    return [parts[0], *(f"-1 * {term.strip()}" if sign == "-" else term
                        for sign, term in zip(parts[1::2], parts[2::2]))]


def parse_term(term):
    """(dimension or None, factor or GB/s), or None."""
    factor = 1.0
    while (found := TERM.fullmatch(term.strip())) and found[1]:
        number = parse_number(found[1])
        if number is None:
            return None
        factor, term = factor * number, found[2]
    dimension = dimension_of(term.strip())
    if dimension is not None:
        return dimension, factor
    rate = 0.0 if term.strip() == "0" else rate_of(term.strip())
    return None if rate is None else (None, factor * rate)
