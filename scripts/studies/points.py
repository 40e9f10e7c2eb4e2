# SPDX-License-Identifier: GPL-2.0-only
"""The points of a study: every variant with every combination of the swept values."""

import dataclasses
import itertools
import os

from .identity import point_id
from .key_path import names_file
from .yaml_tree import inline, setting_text


@dataclasses.dataclass
class Point:
    """One simulation. `coordinates` are the texts of its columns, `settings` its `--set`."""

    id: str
    coordinates: dict
    settings: list

    def describe(self):
        told = [f"{key}={text}" for key, text in self.coordinates.items() if text]
        return ", ".join(told) or "the base as it is"


def expand(study, version):
    """In sweep order: variants vary slowest, the last key of the sweep fastest."""
    names = [(variant.name, variant.settings) for variant in study.variants] or [("", {})]
    directory = study.file.parent.resolve()
    points = []
    for name, common in names:
        for values in itertools.product(*study.sweep.values()):
            swept = dict(zip(study.sweep, values))
            settings = [
                (path, with_absolute_files(value, path, directory))
                for path, value in (common | swept).items()
            ]
            texts = {key: inline(value) for key, value in swept.items()}
            points.append(
                Point(
                    id=point_id(study.base, settings, version),
                    coordinates={"variant": name} | texts,
                    settings=[f"{path}={setting_text(value)}" for path, value in settings],
                )
            )
    return points


def with_absolute_files(value, path, directory):
    """The same plain value; paths of files in it no longer depend on the working directory."""
    if isinstance(value, dict):
        return {
            key: with_absolute_files(item, f"{path}.{key}", directory)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            with_absolute_files(item, f"{path}[{i}]", directory) for i, item in enumerate(value)
        ]
    if value and names_file(path):
        return os.path.normpath(os.path.join(directory, value))
    return value
