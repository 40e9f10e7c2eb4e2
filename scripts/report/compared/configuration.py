# SPDX-License-Identifier: GPL-2.0-only
"""The keys whose values differ, those first that do not follow from others."""

from studies.compare.configuration import DERIVED, values_of
from studies.yaml_tree import inline

from ..parts import Section, Table, Text, sentence_column, text_column

ABSENT = "(absent)"


def make_section(comparisons, names):
    rows = rows_of(comparisons)
    if not rows:
        return Section("configuration", "Configuration",
                       [Text("The configurations are the same.")])
    columns = [text_column("key", rows)]
    columns += [sentence_column(name, [values[place] for values in rows.values()])
                for place, name in enumerate(names)]
    return Section("configuration", "Configuration", [Table(
        "keys", "Keys whose values differ", columns,
        f"Defaults are included. {' and '.join(DERIVED)} come last, as they often follow from "
        "others. Files with the same content are the same, wherever they lie.")])


def rows_of(comparisons):
    """{key: its value in each run} of the keys that any comparison names. Two of them may name one
    key at different depths, as network.faults and network.faults[0].at, so each run is asked."""
    runs = [comparisons[0].before, *(one.after for one in comparisons)]
    known = [dict(values_of(run.configuration)) for run in runs]
    keys = dict.fromkeys(one.key for comparison in comparisons for one in comparison.keys)
    return {key: [inline(own[key]) if key in own else ABSENT for own in known]
            for key in sorted(keys, key=lambda key: key.startswith(DERIVED))}
