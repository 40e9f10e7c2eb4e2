#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The points of a study: their order, their settings, and the names of their results."""

import io
import json
import subprocess
import unittest

import yaml
from study_bench import BUILD, Bench

from studies import identity
from studies.cluster import command
from studies.points import expand
from studies.progress import Progress
from studies.store import Store
from studies.study import read_study

OPEN = {"type": "object"}  # a schema that takes any key


class Points(Bench):
    def expand(self, text, version="1"):
        identity.parse.cache_clear()
        identity.contents.cache_clear()
        return expand(read_study(self.study(text), OPEN), version)

    def id_of(self, text, version="1"):
        (point,) = self.expand(text, version)
        return point.id

    def test_variants_vary_slowest_and_the_last_key_fastest(self):
        points = self.expand(
            "sweep: {a: [1, 2], b: [x, y]}\nvariants: [{name: v, set: {c: 1}}, {name: w}]\n"
        )
        told = [" ".join(point.coordinates.values()) for point in points]
        expected = [f"{v} {a} {b}" for v in "vw" for a in "12" for b in "xy"]
        self.assertEqual(told, expected)
        self.assertEqual(points[1].settings, ["c=1", "a=1", "b=y"])
        self.assertEqual(points[4].settings, ["a=1", "b=x"])

    def test_settings_are_one_yaml_value_each(self):
        (point,) = self.expand('sweep: {a: ["x: y # z"], b: [{c: [1, 2 GB]}], d: [[]]}\n')
        values = [yaml.safe_load("v: " + one.partition("=")[2])["v"] for one in point.settings]
        self.assertEqual(values, ["x: y # z", {"c": ["1", "2 GB"]}, []])

    def test_paths_are_relative_to_the_study(self):
        (point,) = self.expand(
            "sweep: {network: [n.yaml], workload.trace: [t.et],\n"
            "        network.topology: [{file: t.yaml}]}\n"
        )
        self.assertEqual(point.settings[0], f"network={self.path}/n.yaml")
        self.assertEqual(point.settings[1], f"workload.trace={self.path}/t.et")
        self.assertEqual(json.loads(point.settings[2].partition("=")[2]),
                         {"file": f"{self.path}/t.yaml"})

    def test_a_number_of_groups_is_no_path(self):
        (point,) = self.expand("sweep: {network.topology.groups: [9]}\n")
        self.assertEqual(point.settings, ["network.topology.groups=9"])

    def test_the_same_configuration_has_the_same_name_however_it_is_written(self):
        plain = self.id_of("sweep: {seed: [2]}\n")
        self.assertRegex(plain, "^[0-9a-f]{12}$")
        self.assertEqual(self.id_of("variants: [{name: v, set: {seed: 2}}]\n"), plain)
        self.write("base.yaml", self.path.joinpath("base.yaml").read_text() + "# why\nseed: 2\n")
        self.assertEqual(self.id_of(""), plain)
        network = "backend: analytical\ndimensions: [{shape: ring, size: 2, latency: 1 us, " \
            "bandwidth: 10 GB/s}]\n"
        workload = "{collective: {size: 64 KiB, type: all-reduce}}"
        self.write("net/n.yaml", network)
        self.write("base.yaml", f"seed: 2\nnetwork: net/n.yaml\nworkload: {workload}\n")
        self.assertEqual(self.id_of(""), plain)
        self.write("net/n.yaml", network.replace("size: 2", "size: 4"))
        self.write("base.yaml", "network: {file: net/n.yaml, 'dimensions[0].size': 2}\nseed: 2\n"
                   f"workload: {workload}\n")
        self.assertEqual(self.id_of(""), plain)

    def test_whatever_can_change_a_result_changes_its_name(self):
        self.write("t/a.0.et", "a")
        self.write("n.yaml", "switches: []\n")
        trace = "sweep: {workload.trace: ['t/a.{rank}.et'], network.topology.file: [n.yaml]}\n"
        seen = [self.id_of("sweep: {seed: [2]}\n"), self.id_of("sweep: {seed: [3]}\n")]
        seen += [self.id_of("sweep: {seed: [2]}\n", version="2"), self.id_of(trace)]
        self.write("t/a.0.et", "b")
        seen.append(self.id_of(trace))
        self.write("t/a.1.et", "b")
        seen.append(self.id_of(trace))
        self.write("n.yaml", "switches: [a]\n")
        seen.append(self.id_of(trace))
        seen.append(self.id_of("sweep: {'network.dimensions[7].size': [2]}\n"))
        seen.append(self.id_of("sweep: {'network.dimensions[7].size': [3]}\n"))
        self.write("base.yaml", self.path.joinpath("base.yaml").read_text().replace("64", "65"))
        seen.append(self.id_of("sweep: {seed: [2]}\n"))
        self.assertEqual(len(set(seen)), len(seen))

    def test_names_do_not_depend_on_where_files_lie(self):
        text = "sweep: {workload.trace: [t.et]}\n"
        self.write("t.et", "a")
        here = self.id_of(text)
        self.path = self.path / "there"
        self.write("base.yaml", self.path.parent.joinpath("base.yaml").read_text())
        self.write("t.et", "a")
        self.assertEqual(self.id_of(text), here)

    def test_the_tree_behind_a_name_is_what_the_simulator_reads(self):
        self.write("net/n.yaml", "backend: flow\ndimensions:\n"
                   "  - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n"
                   "  - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n")
        base = self.write("b.yaml", "workload: {collective: {type: all-reduce, size: 1 KB}}\n"
                          "network: {file: net/n.yaml, 'dimensions[1].size': 2, "
                          "packet: {header: 8 B}}\n")
        settings = [("network.dimensions[0].latency", "2 us"), ("system.chunks", "2"),
                    ("network.packet", {"payload": "100 B"}), ("seed", "7")]
        words = [f"--set={path}={json.dumps(value)}" for path, value in settings]
        out = self.path / "out"
        run = [BUILD / "cli/nadi", "run", base, "--quiet", "--out", out, *words]
        subprocess.run(run, check=True)
        effective = yaml.load((out / "config.yaml").read_text(), yaml.BaseLoader)
        (tree, refused) = identity.effective_tree(base, settings)
        self.assertEqual(refused, [])
        self.assertEqual(tree["network"]["packet"], {"payload": "100 B"})
        self.assert_within(tree, effective)

    def assert_within(self, tree, whole):
        """Every value of `tree` stands in `whole`, which has the defaults too."""
        if isinstance(tree, dict):
            for key, value in tree.items():
                self.assert_within(value, whole[key])
        elif isinstance(tree, list):
            self.assertEqual(len(tree), len(whole))
            for value, other in zip(tree, whole):
                self.assert_within(value, other)
        else:
            self.assertEqual(tree, whole)


class Keeping(Bench):
    def test_points_of_one_configuration_share_a_result(self):
        study = self.study("variants: [{name: a, set: {seed: 5}}, {name: b, set: {seed: 5}}]\n")
        self.use_slow_simulator(0)
        self.assertEqual(self.sweep(study, "out").returncode, 0)
        self.assertEqual(len(self.starts()), 1)
        first, second = self.rows("out")
        self.assertEqual([first.pop("variant"), second.pop("variant")], ["a", "b"])
        self.assertEqual(first, second)

    def test_a_value_more_runs_one_point_more(self):
        self.use_slow_simulator(0)
        self.sweep(self.study("sweep: {seed: [1]}\n"), "out")
        self.sweep(self.study("sweep: {seed: [2, 1]}\n"), "out")
        self.assertEqual([row["seed"] for row in self.rows("out")], ["2", "1"])
        self.assertEqual(len(self.starts()), 2)

    def test_a_task_that_comes_again_leaves_a_finished_point_alone(self):
        self.use_slow_simulator(0)
        (point,) = expand(read_study(self.study(""), OPEN), "1")
        directory = self.path / "points" / point.id
        task = command(self.build / "cli/nadi", self.path / "base.yaml", point, directory)
        for _ in range(2):
            self.assertEqual(subprocess.run(task).returncode, 0)
            self.assertEqual(self.started_ids(), [point.id])

    def test_a_stuck_point_is_finished_and_an_interrupted_one_is_not(self):
        store = Store(self.path / "out")
        (point,) = expand(read_study(self.study(""), OPEN), "1")
        for status, finished in [("done", True), ("stuck", True), ("interrupted", False)]:
            self.write(f"out/points/{point.id}/summary.json", json.dumps({"status": status}))
            self.assertEqual(store.is_finished(point), finished)
        store.forget(point)
        store.keep_failure(point, 70, "a bug of ours")
        self.assertFalse(store.is_finished(point))
        self.assertEqual(store.load(point).summary["exit_reason"], "exit 70: a bug of ours")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Told(unittest.TestCase):
    def test_what_is_left_takes_as_long_a_point_as_what_is_done(self):
        now = [0.0]
        progress = Progress(5, Terminal(), lambda: now[0])
        self.assertEqual(progress.text(), "nadi: 0 of 5 points")
        now[0] = 20.0
        progress.add()
        progress.add("it broke")
        self.assertEqual(progress.text(), "nadi: 2 of 5 points, 1 failed, about 30 s left")
        self.assertIn("it broke\n", progress.stream.getvalue())

    def test_without_a_terminal_lines_are_rare(self):
        now = [0.0]
        progress = Progress(100, io.StringIO(), lambda: now[0])
        for second in range(1, 42):
            now[0] = float(second)
            progress.add()
        self.assertEqual(progress.stream.getvalue().count("\n"), 2)


if __name__ == "__main__":
    unittest.main()
