# SPDX-License-Identifier: GPL-2.0-only
"""What a workload moves in each dimension: the file that `nadi check --demands` writes."""

import dataclasses
import json
import math

from ..errors import StudyError, suggest

DIMENSION_KEYS = ("shape", "size", "links")
RANK_KEYS = ("first", "count", "compute_ns", "collectives")
CALL_KEYS = ("type", "size_bytes", "ranks", "calls", "members", "bytes", "links", "steps",
             "step_latency_ns")
LINKS = {"ring": lambda size: min(size - 1, 2), "mesh": lambda size: min(size - 1, 2),
         "fully-connected": lambda size: size - 1, "switch": lambda size: 1}


@dataclasses.dataclass(frozen=True)
class Dimension:
    shape: str
    size: int
    links: int  # of an NPU there


@dataclasses.dataclass(frozen=True)
class Call:
    """One kind of calls. Lists are by dimension."""

    bytes: tuple  # that the busiest NPU sends or receives
    links: tuple  # of an NPU that are used at a time
    latency_ns: float  # of one call, whatever the bandwidths
    calls: float


@dataclasses.dataclass(frozen=True)
class Rank:
    """A rank, and all that do the same."""

    compute_ns: float
    calls: tuple


@dataclasses.dataclass(frozen=True)
class Demands:
    dimensions: tuple
    ranks: tuple


def read_demands(file, where):
    """The demands of a file; `where` names it. Throws StudyError."""
    try:
        with open(file, encoding="utf-8") as stream:
            root = json.load(stream)
    except OSError as error:
        raise StudyError(where, f'cannot read "{file}": {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise StudyError(file, "is not text in UTF-8; name a file of demands") from error
    except RecursionError as error:
        raise StudyError(file, "lists are nested too deeply; name a file of demands") from error
    except json.JSONDecodeError as error:
        raise StudyError(f"{file}:{error.lineno}", f"is not valid JSON: {error.msg}; correct this "
                         "line") from error
    return Reader(file).read(root)


class Reader:
    """Reads one file of demands."""

    def __init__(self, file):
        self.file = file
        self.sizes = 0

    def fail(self, place, problem):
        raise StudyError(f"{self.file}: {place}" if place else self.file, problem)

    def read(self, root):
        entries = self.mapping("", root, ("dimensions", "ranks"))
        dimensions = self.items("dimensions", entries.get("dimensions"), self.dimension)
        self.sizes = len(dimensions)
        return Demands(dimensions, self.items("ranks", entries.get("ranks"), self.rank))

    def mapping(self, place, value, known):
        if not isinstance(value, dict):
            self.fail(place, "is no mapping; write {\"key\": value}")
        for key in value:
            if key not in known:
                self.fail(place, f'unknown key "{key}"{suggest(key, known)}')
        return value

    def items(self, place, value, read):
        if not isinstance(value, list) or not value:
            self.fail(place, "is no list of one or more; write [{...}]")
        return tuple(read(f"{place}[{index}]", item) for index, item in enumerate(value))

    def dimension(self, place, value):
        entries = self.mapping(place, value, DIMENSION_KEYS)
        shape = entries.get("shape")
        if not isinstance(shape, str) or ("links" not in entries and shape not in LINKS):
            self.fail(place, f"shape is none of {', '.join(LINKS)}; write one of them, or links")
        size = self.number(f"{place}: size", entries.get("size"), is_whole=True)
        default = LINKS[shape](max(size, 2)) if shape in LINKS else 1
        links = self.number(f"{place}: links", entries.get("links", default), is_whole=True)
        if size < 1 or links < 1:
            self.fail(place, "size and links are at least 1")
        return Dimension(shape, size, links)

    def rank(self, place, value):
        entries = self.mapping(place, value, RANK_KEYS)
        compute = self.number(f"{place}: compute_ns", entries.get("compute_ns"))
        calls = entries.get("collectives", [])
        if calls == []:
            return Rank(compute, ())
        return Rank(compute, self.items(f"{place}: collectives", calls, self.call))

    def call(self, place, value):
        entries = self.mapping(place, value, CALL_KEYS)
        if "bytes" not in entries:
            self.fail(place, "bytes is missing; write a number for each dimension")
        steps = self.by_dimension(place, entries, "steps", 0)
        latencies = self.by_dimension(place, entries, "step_latency_ns", 0)
        moved = self.by_dimension(place, entries, "bytes", 0)
        links = self.by_dimension(place, entries, "links", math.inf)
        if any(used == 0 < size for used, size in zip(links, moved)):
            self.fail(place, "links is 0 in a dimension with bytes; write how many links carry "
                      "them, or leave links out")
        latency = sum(count * each for count, each in zip(steps, latencies))
        return Call(moved, links, latency, self.number(f"{place}: calls", entries.get("calls", 1)))

    def by_dimension(self, place, entries, key, default):
        values = entries.get(key, [default] * self.sizes)
        if not isinstance(values, list) or len(values) != self.sizes:
            self.fail(place, f"{key} is no list of {self.sizes}; write a number for each dimension")
        return tuple(value if value is default else self.number(f"{place}: {key}", value)
                     for value in values)

    def number(self, place, value, is_whole=False):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 0 <= value < 1e300 or (is_whole and value != int(value)):
            wanted = "whole number" if is_whole else "number"
            self.fail(place, f"is no {wanted} from 0; write one")
        return int(value) if is_whole else value
