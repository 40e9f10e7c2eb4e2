# SPDX-License-Identifier: GPL-2.0-only
"""What a study searches: the largest value of a key at which a cluster that serves keeps its SLO.
"""

import dataclasses
import math

from .quantities import parse_quantity

KEYS = ["key", "from", "to", "tolerance", "keep"]
DIGITS = 6  # of a value that is tried


@dataclasses.dataclass
class Search:
    """`keep` is the share of requests that must keep the SLO; `tolerance` the relative distance of
    two values, one good and one bad, at which the search ends. `first` and `last` are in `unit`."""

    where: str
    key: str
    first: float
    last: float
    unit: str
    tolerance: float
    keep: float
    is_whole: bool

    def text(self, number):
        """As a configuration has it."""
        told = f"{number:.{DIGITS}g}" if not self.is_whole else str(round(number))
        return f"{told} {self.unit}".rstrip()

    def middle(self, good, bad):
        """Between the two; of rates by ratio, as they span orders of magnitude."""
        if self.is_whole:
            return (good + bad) // 2
        return float(f"{math.sqrt(good * bad):.{DIGITS}g}")

    def is_near(self, good, bad):
        """Or so near that no value between them can be written."""
        return bad <= good * (1 + self.tolerance) or not good < self.middle(good, bad) < bad


def read_search(value, check_path):
    """Throws StudyError. `check_path` is called with the key and where it stands."""
    entries = value.mapping("search")
    for key, item in entries.items():
        if key not in KEYS:
            item.fail(f"search: {key}: unknown key; known: {', '.join(KEYS)}")
    for key in ("key", "from", "to"):
        if key not in entries:
            value.fail(f"search: {key} is missing; write such as search: {{key: "
                       "workload.serve.requests.rate, from: 1 /s, to: 200 /s}")
    path = entries["key"].scalar("search: key")
    check_path(path, entries["key"])
    first, unit, is_first_whole = read_number(entries["from"], "from")
    last, last_unit, is_last_whole = read_number(entries["to"], "to")
    if unit != last_unit:
        entries["to"].fail(f'search: from has the unit "{unit}" and to "{last_unit}"; write the '
                           "same one")
    if not 0 < first < last:
        entries["from"].fail("search: from is to be above 0 and below to")
    tolerance = read_share(entries.get("tolerance"), "tolerance", 0.01)
    keep = read_share(entries.get("keep"), "keep", 0.9)
    is_whole = unit == "" and is_first_whole and is_last_whole
    return Search(value.where, path, first, last, unit, tolerance, keep, is_whole)


def read_number(value, name):
    """(number, unit, whether it is whole)."""
    text = value.scalar(f"search: {name}")
    parsed = parse_quantity(text)
    if parsed is None:
        value.fail(f'search: {name}: "{text}" is no number; write such as 20 /s')
    number, unit, _ = parsed
    return (int(text), unit, True) if text.isdigit() else (number, unit, False)


def read_share(value, name, default):
    """"1 %" or 0.01, above 0 and at most 1."""
    if value is None:
        return default
    text = value.scalar(f"search: {name}")
    number = parse_quantity(text.removesuffix("%").strip())
    share = number[0] / (100 if text.endswith("%") else 1) if number and not number[1] else 0
    if not 0 < share <= 1:
        value.fail(f'search: {name}: "{text}" is no share; write such as 0.9 or 90 %')
    return share
