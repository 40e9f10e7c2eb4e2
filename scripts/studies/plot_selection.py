# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the points' tables that a plot chooses, and the keys that say so."""

import dataclasses

from .errors import suggest
from .quantities import TIMES, parse_quantity, table_of

KEYS = ["links", "flows", "collectives", "between"]
COLUMN_KEYS = ["value", "label", *KEYS]
TABLES = {  # that a key chooses rows of
    "links": ("links", "series"),
    "flows": ("flows",),
    "collectives": ("collectives",),
    "between": ("series",),
}
EXAMPLES = {"links": "[[npu0, leaf0]]", "flows": "[[0, 4]]"}


@dataclasses.dataclass(frozen=True)
class Selection:
    """Which rows count; all where nothing is chosen. Names may have * for any characters."""

    links: tuple = ()  # (from, to), of links.csv and series.csv
    flows: tuple = ()  # (src, dst), of flows.csv
    collectives: tuple = ()  # types, of collectives.csv
    between: tuple = ()  # (begin, end) in ns, of series.csv

    def choices(self, table):
        """What its rows must meet one of, [{column: name}]; none: all rows count."""
        if table in TABLES["links"]:
            return [{"from": begin, "to": end} for begin, end in self.links]
        if table == "flows":
            return [{"src": src, "dst": dst} for src, dst in self.flows]
        return [{"type": name} for name in self.collectives] if table == "collectives" else []


def read_selection(entries, names, common=None):
    """What `entries`, or else `common`, choose for the numbers of these names.

    Throws StudyError.
    """
    for key in KEYS:
        if key in entries and not any(table_of(name) in TABLES[key] for name in names):
            table = " or ".join(f"{table}.csv" for table in TABLES[key])
            entries[key].fail(f"plots: {key}: chooses rows of {table}, which is not drawn; omit it")
    entries = (common or {}) | entries
    return Selection(
        links=read_pairs(entries, "links"),
        flows=read_pairs(entries, "flows"),
        collectives=read_types(entries.get("collectives")),
        between=read_times(entries.get("between")),
    )


def read_pairs(entries, key):
    value = entries.get(key)
    if value is None:
        return ()
    pairs = [[end.text for end in one.items or []] for one in value.items or []]
    if not pairs or any(len(one) != 2 or None in one for one in pairs):
        value.fail(f"plots: {key}: is no list of pairs; write {key}: {EXAMPLES[key]}")
    return tuple(map(tuple, pairs))


def read_types(value):
    if value is None:
        return ()
    items = value.items if value.items is not None else [value]
    return tuple(item.scalar("plots: collectives: a type") for item in items)


def read_times(value):
    if value is None:
        return ()
    texts = [item.text or "" for item in value.items or []]
    parsed = [parse_quantity(text) for text in texts]
    if len(parsed) != 2 or any(one is None or one[2] is not TIMES for one in parsed):
        value.fail("plots: between: is no pair of times; write between: [1 ms, 2 ms]")
    begin, end = (number * TIMES[unit] for number, unit, _ in parsed)
    if begin >= end:
        value.fail(f"plots: between: {texts[0]} is not before {texts[1]}; exchange them")
    return begin, end


def read_columns(table, check):
    """The columns of a table: [(name, label, Selection)].

    `table` are its entries, `check` gives the name of a number.
    """
    common = {key: table[key] for key in KEYS if key in table}
    columns = []
    for item in table["columns"].list("plots: columns"):
        entries = {"value": item} if item.entries is None else item.entries
        for key, one in entries.items():
            if key not in COLUMN_KEYS:
                one.fail(f"plots: columns: {key}: unknown key{suggest(key, COLUMN_KEYS)}")
        if "value" not in entries:
            item.fail("plots: columns: value is missing; name a number of a point")
        name = check(entries["value"])
        label = entries["label"].scalar("plots: columns: label") if "label" in entries else ""
        columns.append((name, label, read_selection(entries, [name], common)))
    if not columns:
        table["columns"].fail("plots: columns: none; name at least one number of a point")
    return columns
