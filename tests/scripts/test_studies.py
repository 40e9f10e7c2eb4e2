#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every study of configs/studies at a reduced size, and the published numbers that they meet."""

import concurrent.futures
import contextlib
import json
import subprocess
import unittest

import yaml

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

from studies import cluster, command, plot_drawing
from studies.points import expand
from studies.store import Store
from studies.study import read_study

SIZE = "workload.collective.size"
BACKEND = "network.backend"
FOLDER = TOP / "configs/studies"
FLOWS = {
    SIZE: ["1 MB"],
    BACKEND: ["flow"],
    "system.chunks": ["4"],
    "system.chunks-in-flight": ["1"],
}
SHORT = {f"workload.flows[{i}].size": ["64 KiB"] for i in range(3)}
SEEDS = {"seed": ["1", "2"]}
# What is swept instead.
REDUCED = {
    "direct-64": {SIZE: ["64 KiB"]},
    "failed-link": {"network.reroute-after": ["50 us", "200 us"]},
    "incast": SHORT | {"network.packet.congestion-control": ["none", "hpcc"]},
    "interleaved": SEEDS,
    "load-balancing": SEEDS,
    "themis": FLOWS | {"system.intra-dimension": ["smallest-first"]},
    "themis-datum": FLOWS,
    "torus-bandwidth": {SIZE: ["64 KiB"]},
    "victim-flow": SHORT,
    "wafer-and-conventional": FLOWS,
}

GIB = 2.0**30


class Studies(Bench):
    """Runs studies as `nadi sweep` does, but in this process."""

    def read(self, name, swept, variants=None):
        """The study with other values swept, and only these variants."""
        tree = yaml.load((FOLDER / f"{name}.yaml").read_text(), yaml.BaseLoader)
        tree["base"] = str((FOLDER / tree["base"]).resolve())
        tree["sweep"] = tree.get("sweep", {}) | swept
        if variants:
            tree["variants"] = [one for one in tree["variants"] if one["name"] in variants]
        for plot in tree["plots"]:
            plot["where"] = reduced(plot.get("where", {}), tree["sweep"])
        schema = json.loads(command.ask(BUILD / "cli/nadi", "schema"))
        return read_study(self.write(f"{name}.yaml", json.dumps(tree)), schema)

    def run_study(self, study):
        """[(point, its result)], after the tables are written and the figures drawn."""
        points = expand(study, "test")
        store = Store(self.path / study.file.stem)
        store.prepare()
        with concurrent.futures.ThreadPoolExecutor(cluster.cores()) as pool:
            list(pool.map(lambda point: self.run_point(study, point, store), points))
        results = [store.load(point) for point in points]
        with contextlib.redirect_stdout(None):
            command.write_tables(study, points, results, store)
        plot_drawing.draw_all(study, points, results, store)
        return list(zip(points, results)), store

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

    def test_every_study_is_here(self):
        self.assertEqual({file.stem for file in FOLDER.glob("*.yaml")}, set(REDUCED))

    def test_every_study_runs_and_draws_its_figures(self):
        for name, swept in REDUCED.items():
            with self.subTest(name):
                study = self.read(name, swept)
                runs, store = self.run_study(study)
                self.assertTrue(all(result.status == "done" for _, result in runs))
                for plot in study.plots:
                    self.assertTrue((store.out / f"plots/{plot.name}.png").exists(), plot.name)

    def test_the_datum_of_themis_is_met(self):
        times = self.times("themis-datum", {BACKEND: ["flow"]})
        baseline = times["", "flow", "baseline", "fifo"]
        themis = times["", "flow", "themis", "smallest-first"]
        # An NPU sends 2 S (p - 1) / p at 3 x 50 GiB/s.
        ideal = 2 * GIB * 511 / 512 / (3 * 50 * GIB) * 1e6
        self.assert_near(baseline, 35008.129)
        self.assert_near(themis, 13635.871)
        self.assert_near(baseline / themis, 2.567)
        self.assert_near(ideal / themis, 0.9759)
        self.assert_near(ideal / baseline, 0.3801)

    def test_direct_all_reduce_of_64_meets_both_published_times(self):
        swept = {BACKEND: ["flow", "packet"], SIZE: ["1 GiB"]}
        times = self.times("direct-64", swept, ["link to each peer", "switch"])
        for backend in swept[BACKEND]:
            self.assert_near(times["link to each peer", backend, "1 GiB"], 633.217)
            self.assert_near(times["switch", backend, "1 GiB"], 40008.217)


def reduced(where, swept):
    """Which points a plot shows: those of a value that is left."""
    return {
        key: value if value in swept.get(key, [value]) else swept[key][0]
        for key, value in where.items()
    }


if __name__ == "__main__":
    unittest.main()
