# SPDX-License-Identifier: GPL-2.0-only
"""The points of a study: every variant with every combination of the swept values."""

import concurrent.futures
import contextlib
import dataclasses
import itertools
import os

from . import simulator
from .identity import failure_id, parse, point_id
from .key_path import names_file
from .progress import Progress
from .study import Variant
from .yaml_tree import inline, setting_text


@dataclasses.dataclass
class Refusal:
    """Why the simulator cannot run a point."""

    code: int
    message: str


@dataclasses.dataclass
class Point:
    """One simulation. `coordinates` are the texts of its columns, `settings` its `--set`."""

    coordinates: dict
    settings: list
    id: str = ""
    configuration: dict = None  # the effective one, in plain values; None: see `refusal`
    refusal: Refusal = None

    def describe(self):
        told = [f"{key}={text}" for key, text in self.coordinates.items() if text]
        return ", ".join(told) or "the base as it is"


def expand(study, binary):
    """In sweep order: variants vary slowest, the last key of the sweep fastest."""
    points = list(combinations(study))
    configure_all(points, lambda _: study.base, binary)
    return points


def configure_all(points, base_of, binary):
    """Asks the simulator for the configuration of each point, and names it after that. `base_of`
    says of a point in which file the configuration is that its settings change."""
    version = simulator.version(binary)
    progress = Progress(len(points), "points checked")

    def ask(point):
        return configure(base_of(point), point, binary)

    with (
        concurrent.futures.ThreadPoolExecutor(simulator.cores()) as pool,
        contextlib.closing(pool.map(ask, points)) as answers,  # an interrupt asks no more
    ):
        for point, (configuration, refusal) in zip(points, answers):
            point.configuration, point.refusal = configuration, refusal
            if refusal:
                point.id = failure_id(point.settings, refusal.message, version)
            else:
                point.id = point_id(configuration, version)
            progress.add()
    progress.clear()


def combinations(study):
    variants = study.variants or [Variant("", {}, {})]
    directory = study.file.parent.resolve()
    for variant in variants:
        for values in itertools.product(*study.sweep.values()):
            swept = dict(zip(study.sweep, values))
            settings = [
                f"{path}={setting_text(with_absolute_files(value, path, directory))}"
                for path, value in (variant.settings | swept).items()
            ]
            texts = {key: inline(value) for key, value in swept.items()}
            yield Point({"variant": variant.name} | variant.labels | texts, settings)


def configure(base, point, binary):
    """(effective configuration, None) of a point, or (None, Refusal)."""
    try:
        done = simulator.start(binary, "config", str(base), *simulator.set_options(point.settings))
    except OSError as error:  # the settings may be too long for a command line
        return None, Refusal("", f"cannot start the simulator: {error.strerror}")
    if done.returncode != 0:
        return None, Refusal(done.returncode, simulator.message_of(done))
    return parse(done.stdout), None


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
