# SPDX-License-Identifier: GPL-2.0-only
"""The keys whose values differ, those first that do not follow from others."""

from studies.compare.configuration import DERIVED

from ..parts import Section, Table, Text, sentence_column, text_column

ABSENT = "(absent)"


def make_section(comparisons, names):
    rows = values_of(comparisons)
    if not rows:
        return Section("configuration", "Configuration",
                       [Text("The configurations are the same.")])
    columns = [text_column("key", rows)]
    columns += [sentence_column(name, [ABSENT if values[place] is None else values[place]
                                       for values in rows.values()])
                for place, name in enumerate(names)]
    return Section("configuration", "Configuration", [Table(
        "keys", "Keys whose values differ", columns,
        f"Defaults are included. {' and '.join(DERIVED)} come last, as they often follow from "
        "others. Files with the same content are the same, wherever they lie.")])


def values_of(comparisons):
    """{key: its value in each run}. A key is that of the base where a comparison does not name
    it."""
    rows = {}
    for place, comparison in enumerate(comparisons, 1):
        for one in comparison.keys:
            row = rows.setdefault(one.key, [one.before] * (len(comparisons) + 1))
            row[place] = one.after
    return dict(sorted(rows.items(), key=lambda row: row[0].startswith(DERIVED)))
