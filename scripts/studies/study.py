# SPDX-License-Identifier: GPL-2.0-only
"""The study file: which configuration, what varies, what is searched, which figures."""

import dataclasses
import json
import math
import pathlib

from . import plot_spec
from .errors import suggest
from .key_path import is_path
from .quantities import SUMMARY_FIELDS, is_result_column, words_of
from .schema import check_key
from .search_spec import Search, read_search
from .yaml_tree import inline, read_yaml

KEYS = ["base", "sweep", "variants", "search", "plots"]
MOST_POINTS = 100_000  # at a second each, a day of one processor
OWN_COLUMNS = ["id", "variant"]  # beside those of the results
TITLES = {words_of(name): name for name in SUMMARY_FIELDS}  # of a report's columns


@dataclasses.dataclass
class Variant:
    """Keys that vary together. `labels` are columns of its own: {column: text}."""

    name: str
    labels: dict
    settings: dict  # path: plain value


@dataclasses.dataclass
class Study:
    file: pathlib.Path
    base: pathlib.Path
    sweep: dict  # path: list of plain values
    variants: list
    plots: list
    search: Search = None

    def columns(self):
        """What tells points apart, with the values of each in their order: {column: texts}."""
        names = {"variant": [one.name for one in self.variants]} if self.variants else {}
        labels = {
            key: list(dict.fromkeys(one.labels[key] for one in self.variants))
            for key in self.labels()
        }
        swept = {key: [inline(value) for value in self.sweep[key]] for key in self.sweep}
        return names | labels | swept

    def labels(self):
        """The columns that the variants' labels make; together they tell variants apart."""
        return list(self.variants[0].labels) if self.variants else []


def read_study(file, schema):
    """`schema` is what `nadi schema` prints. Throws StudyError."""
    file = pathlib.Path(file)
    root = read_yaml(file, "nadi sweep")
    entries = root.mapping("a study")
    check_known(entries, KEYS, "")
    if "base" not in entries:
        root.fail("base is missing; name a configuration: base: ../quickstart.yaml")
    sweep = read_sweep(entries.get("sweep"), schema)
    variants = read_variants(entries.get("variants"), schema, sweep)
    check_points(entries, sweep, variants)
    study = Study(file, read_base(file, entries["base"]), sweep, variants, [])
    if "search" in entries:
        study.search = read_search(
            entries["search"],
            lambda path, value: check_searched(path, value, schema, study),
        )
    if "plots" in entries:
        study.plots = plot_spec.read_plots(entries["plots"], study.columns(), study.labels())
    return study


def check_known(entries, known, place):
    for key, value in entries.items():
        if key not in known:
            value.fail(f"{place}{key}: unknown key{suggest(key, known)}")


def read_base(file, value):
    base = file.parent / value.scalar("base")
    read_yaml(base, value.where)  # only whether it can be read: what it means is the simulator's
    return base.resolve()


def check_points(entries, sweep, variants):
    """Before any point is made: three keys of a thousand values each would fill the memory."""
    counts = [len(values) for values in [variants, *sweep.values()] if values]
    points = math.prod(counts)
    if points <= MOST_POINTS:
        return
    if not sweep:
        entries["variants"].fail(
            f"variants: {points} are more than {MOST_POINTS} points; write fewer"
        )
    product = " x ".join(map(str, counts))
    entries["sweep"].fail(
        f"sweep: {points} points ({product}) are more than {MOST_POINTS}; sweep fewer keys or "
        "values"
    )


def check_path(path, value, schema):
    if not is_path(path):
        value.fail(f'"{path}" is not a path of keys; write it like network.dimensions[0].bandwidth')
    check_key(schema, path, value.where)


def check_searched(path, value, schema, study):
    check_path(path, value, schema)
    if path in study.sweep or any(path in variant.settings for variant in study.variants):
        value.fail(f"search: {path} varies in the study already; leave it in one of them")


def read_sweep(value, schema):
    if value is None:
        return {}
    sweep = {}
    for path, values in value.mapping("sweep").items():
        check_path(path, values, schema)
        items = values.list(f"sweep: {path}")
        if not items:
            values.fail(f"sweep: {path}: no values; write at least one")
        sweep[path] = []
        seen = set()
        for item in items:
            plain = item.plain()
            text = json.dumps(plain, sort_keys=True)
            if text in seen:
                item.fail(f'sweep: {path}: "{inline(plain)}" is given twice; remove one')
            seen.add(text)
            sweep[path].append(plain)
    return sweep


def read_variants(value, schema, sweep):
    variants = []
    for item in value.list("variants") if value else []:
        entries = item.mapping("a variant")
        check_known(entries, ["name", "labels", "set"], "variants: ")
        if "name" not in entries:
            item.fail("variants: name is missing; it becomes the column variant")
        name = entries["name"].scalar("variants: name")
        if not name or name in [variant.name for variant in variants]:
            entries["name"].fail(f'variants: "{name}" is no name of its own; write another')
        labels = read_labels(entries.get("labels"), sweep)
        check_labels(item, labels, variants)
        variants.append(Variant(name, labels, read_settings(entries.get("set"), schema, sweep)))
    return variants


def read_labels(value, sweep):
    labels = {}
    for name, item in value.mapping("variants: labels").items() if value else []:
        if name in OWN_COLUMNS or name in sweep or is_result_column(name):
            item.fail(f"variants: labels: {name} is a column already; write another name")
        if name in TITLES:
            item.fail(f"variants: labels: {name} is the title of {TITLES[name]} in reports; write "
                      "another name")
        labels[name] = item.scalar(f"variants: labels: {name}")
    return labels


def check_labels(item, labels, variants):
    """All variants have the same labels, no two of them with the same texts."""
    if variants and list(labels) != list(variants[0].labels):
        wanted = ", ".join(variants[0].labels) or "none"
        item.fail(f"variants: labels differ from those of the first; write {wanted}")
    if labels and any(labels == variant.labels for variant in variants):
        item.fail("variants: labels are those of another variant; make one of them differ")


def read_settings(value, schema, sweep):
    settings = {}
    for path, item in value.mapping("variants: set").items() if value else []:
        check_path(path, item, schema)
        if path in sweep:
            item.fail(f"variants: set: {path} is swept too; leave it in one of them")
        settings[path] = item.plain()
    return settings
