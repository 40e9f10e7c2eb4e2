# SPDX-License-Identifier: GPL-2.0-only
"""Runs the studies of configs/studies, whole or at a reduced size, as `nadi sweep` does."""

import concurrent.futures
import contextlib
import json
import subprocess

import yaml

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

from studies import cluster, command, plot_drawing, simulator
from studies.points import expand
from studies.search import run_search, search_ends
from studies.store import Store
from studies.study import read_study

FOLDER = TOP / "configs/studies"


class StudyRuns(Bench):
    """In this process, without Dask."""

    def read(self, name, swept, variants=None, searched=None):
        """The study with other values swept and searched, and only these variants."""
        tree = yaml.load((FOLDER / f"{name}.yaml").read_text(), yaml.BaseLoader)
        tree["sweep"] = tree.get("sweep", {}) | swept
        tree.get("search", {}).update(searched or {})
        if variants:
            tree["variants"] = [one for one in tree["variants"] if one["name"] in variants]
        for plot in tree["plots"]:
            plot["where"] = reduced(plot.get("where", {}), tree["sweep"])
        schema = json.loads(simulator.ask(BUILD / "cli/nadi", "schema"))
        text = json.dumps(tree).replace('"../', f'"{FOLDER.parent}/')  # it is moved
        return read_study(self.write(f"{name}.yaml", text), schema)

    def run_study(self, study, told=None):
        """[(point, its result)], after the tables are written, `told` what they print, and the
        figures drawn."""
        store = Store(self.path / study.file.stem)
        store.prepare()
        points, results = self.run_points(study, store)
        with contextlib.redirect_stdout(told):
            command.write_tables(study, points, results, store)
        plot_drawing.draw_all(study, points, results, store)
        return list(zip(points, results)), store

    def run_points(self, study, store):
        here = Here(study, self.run_point)
        if study.search:
            points, results, _ = run_search(study, search_ends(study, here.simulator), here,
                                            store)
            return points, results
        points = expand(study, here.simulator)
        here.run_missing(points, store)
        return points, store.load_all(points)

    def run_point(self, study, point, store):
        words = cluster.command(BUILD / "cli/nadi", study.base, point, store.directory(point))
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_AT_MOST)
        self.assertEqual(done.returncode, 0, f"{study.file.stem}: {point}: {done.stderr}")

    def times(self, name, swept, variants=None):
        """{values of the point: finish in us}."""
        runs, _ = self.run_study(self.read(name, swept, variants))
        return {
            tuple(point.coordinates.values()): float(result.summary["finish_time_ns"]) / 1e3
            for point, result in runs
        }

    def assert_near(self, found, published, share=0.03):
        self.assertLess(abs(found / published - 1), share, f"{found} is not near {published}")


class Here:
    """Runs points as a Runner does, in this process."""

    simulator = BUILD / "cli/nadi"

    def __init__(self, study, run_point):
        self.study = study
        self.run_point = run_point

    def one_cluster(self):
        return contextlib.nullcontext()

    def run_missing(self, points, store):
        with concurrent.futures.ThreadPoolExecutor(simulator.cores()) as pool:
            list(pool.map(lambda point: self.run_point(self.study, point, store), points))
        return True


def reduced(where, swept):
    """Which points a plot shows: those of the values that are left, or of another one."""
    found = {}
    for key, value in where.items():
        values = value if isinstance(value, list) else [value]
        left = swept.get(key, values)
        found[key] = [one for one in values if one in left] or left[:1]
    return found
