#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The points of a study: their order, their settings, and the names of their results."""

import io
import json
import re
import subprocess
import unittest

import yaml
from study_bench import BUILD, Bench

from studies import identity, simulator
from studies.cluster import command
from studies.key_path import FILES, SECTIONS, names_file
from studies.points import combinations, expand
from studies.progress import Failure, Progress
from studies.simulator import LONGEST_MESSAGE, one_line
from studies.store import Store, flatten
from studies.study import read_study

OPEN = {"type": "object"}  # a schema that takes any key
SIMULATOR = BUILD / "cli/nadi"
TOPOLOGY = """
nodes: {npus: 2}
links: [{from: npu0, to: npu1, bandwidth: 1 GB/s, latency: 1 us}]
"""


def keys_of_files(node, path=""):
    """The keys of a schema that take the path of a file; those that are free are a star."""
    if node.get("title", "").startswith("a path"):
        yield path
    items = [node["items"]] if "items" in node else []
    for below in [*node.get("anyOf", []), *node.get("oneOf", []), *items]:
        yield from keys_of_files(below, path)
    for key, below in node.get("properties", {}).items():
        yield from keys_of_files(below, f"{path}.{key}" if path else key)
    if isinstance(node.get("additionalProperties"), dict):
        yield from keys_of_files(node["additionalProperties"], f"{path}.*")


def tree_of(key, value):
    """A configuration of two ranks that has one key more."""
    tree = {"workload": {"ranks": "2"}}
    place = tree
    *above, last = key.split(".")
    for name in above:
        place = place.setdefault(name, {})
    place[last] = value
    return tree


# Of each key that takes a file, one that a configuration can have.
KEYS = [re.sub(r"\*$", "3", key).replace("*", "all-reduce") for key in FILES]


class Files(Bench):
    """The keys whose values are paths."""

    def schema(self):
        printed = subprocess.run([SIMULATOR, "schema"], capture_output=True, check=True).stdout
        return json.loads(printed)

    def id_of(self, key, value):
        identity.digest.cache_clear()
        identity.recorded_ranks.cache_clear()
        return identity.point_id(tree_of(key, value), "nadi 1")

    def test_every_key_of_the_schema_that_takes_a_path_is_known(self):
        found = set(keys_of_files(self.schema()))
        self.assertIn("workload.trace", found)
        self.assertEqual([key for key in found if not names_file(key.replace("*", "3"))], [])

    def test_every_known_key_takes_a_path_by_the_schema(self):
        found = set(keys_of_files(self.schema()))
        for key in FILES:
            if key.partition(".")[0] == key or key in [f"{one}.file" for one in SECTIONS]:
                continue  # a section that stands in a file of its own
            self.assertTrue(any(re.fullmatch(re.escape(key).replace(r"\*", "[^.]+"), one)
                                for one in found), key)

    def test_keys_that_look_alike_take_no_path(self):
        for key in ("workload.file.x", "network.links[0].from", "workload.placement",
                    "system.collectives.all-reduce", "network.dimensions[0].file", "seed"):
            self.assertFalse(names_file(key), key)

    def test_the_content_of_the_file_of_every_key_counts(self):
        file = str(self.path / "f")
        for key in KEYS:
            if key in (*SECTIONS, "system.plan-cache"):
                continue  # never in an effective configuration; a directory
            for value in (file, [file]):
                self.write("f", "a")
                before = self.id_of(key, value)
                self.assertEqual(self.id_of(key, value), before)
                self.write("f", "b")
                self.assertNotEqual(self.id_of(key, value), before, key)

    def test_an_algorithm_may_be_in_traces_of_more_ranks_than_run(self):
        pattern = str(self.path / "a.{rank}.et")
        for key in ("system.collectives.all-reduce.from", "system.collectives.per-node.7"):
            seen = []
            for rank, text in [(0, "a"), (9, "a"), (9, "b"), (10, "b")]:
                self.write(f"a.{rank}.et", text)
                seen.append(self.id_of(key, pattern))
            self.assertEqual(len(set(seen)), len(seen), key)
            for rank in (0, 9, 10):
                (self.path / f"a.{rank}.et").unlink()

    def test_a_job_may_be_made_from_traces_of_more_ranks_than_run(self):
        def id_of_job():
            identity.digest.cache_clear()
            identity.recorded_ranks.cache_clear()
            tree = tree_of("workload.trace", str(self.path / "a.{rank}.et"))
            tree["workload"]["what-if"] = {"dp": "2"}
            return identity.point_id(tree, "nadi 1")

        for rank in range(4):
            self.write(f"a.{rank}.et", "a")
        before = id_of_job()
        self.write("a.3.et", "b")
        self.assertNotEqual(id_of_job(), before)

    def test_every_swept_path_is_relative_to_the_study(self):
        for key in KEYS:
            study = read_study(self.study(f"sweep: {{{key}: [x/y.csv, /z]}}\n"), OPEN)
            self.assertEqual([point.settings for point in combinations(study)],
                             [[f"{key}={self.path}/x/y.csv"], [f"{key}=/z"]])

    def test_a_sweep_over_a_file_runs_anywhere_and_again_after_a_change(self):
        self.write("kern.csv", "op,us\ngemm,50\n")
        study = self.study("sweep: {system.compute: [{model: roofline, peak: 1 TFLOP/s,\n"
                           "  memory-bandwidth: 1 TB/s, kernels: kern.csv}]}\n")
        self.use_slow_simulator(0)
        elsewhere = self.path / "elsewhere"
        elsewhere.mkdir()
        for runs, text in [(1, None), (1, None), (2, "op,us\ngemm,60\n")]:
            if text:
                self.write("kern.csv", text)
            done = subprocess.run(self.command(study, "out"), cwd=elsewhere, env=self.environment,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.starts()), runs)


class Points(Bench):
    def expand(self, text):
        identity.digest.cache_clear()
        return expand(read_study(self.study(text), OPEN), SIMULATOR)

    def id_of(self, text):
        (point,) = self.expand(text)
        self.assertIsNone(point.refusal)
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
        default = "sweep: {seed: [2], system.chunks: [auto]}\n"
        self.assertEqual(self.id_of(default), plain)
        other_unit = "sweep: {seed: [2], 'network.dimensions[0].latency': [1000 ns]}\n"
        self.assertEqual(self.id_of(other_unit), plain)
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
        seen = [self.id_of("sweep: {seed: [2]}\n"), self.id_of("sweep: {seed: [3]}\n")]
        seen.append(self.id_of("sweep: {output.flows: [on]}\n"))
        (point,) = self.expand("sweep: {seed: [2]}\n")
        self.assertEqual(identity.point_id(point.configuration, self.version()), point.id)
        seen.append(identity.point_id(point.configuration, "nadi 0"))
        self.write("base.yaml", self.path.joinpath("base.yaml").read_text().replace("64", "65"))
        seen.append(self.id_of("sweep: {seed: [2]}\n"))
        self.assertEqual(len(set(seen)), len(seen))

    def test_another_build_changes_all_names_and_the_same_one_none(self):
        file = self.study("sweep: {seed: [1, 2], network.backend: [flow, smoke]}\n")
        study = read_study(file, OPEN)
        self.use_slow_simulator(0)
        seen = []
        for build in ("a", "b", "a"):
            self.pretend_build(build)
            simulator.version.cache_clear()
            seen.append([point.id for point in expand(study, self.build / "cli/nadi")])
        self.assertEqual(seen[0], seen[2])
        self.assertEqual(len(set(seen[0] + seen[1])), 8)

    def version(self):
        printed = subprocess.run([SIMULATOR, "--version"], capture_output=True, check=True)
        return printed.stdout.decode().strip()

    def use_traces_and_a_topology(self):
        """A base whose files are only named, never read, by the simulator that is asked."""
        self.write("base.yaml", "workload: {trace: 't/a.{rank}.et', groups: g.json}\n"
                   "network: {topology: {file: n.yaml}}\n")
        self.write("t/a.0.et", "a")
        self.write("g.json", "{}")
        self.write("n.yaml", TOPOLOGY)

    def test_the_content_of_every_file_counts(self):
        self.use_traces_and_a_topology()
        seen = [self.id_of("")]
        for name, text in [("t/a.0.et", "b"), ("t/a.1.et", "b"), ("g.json", "{ }"),
                           ("n.yaml", TOPOLOGY.replace("1 us", "2 us"))]:
            self.write(name, text)
            seen.append(self.id_of(""))
        self.assertEqual(len(set(seen)), len(seen))

    def test_traces_of_ranks_that_do_not_run_do_not_count(self):
        self.use_traces_and_a_topology()
        one = self.id_of("sweep: {workload.ranks: [1]}\n")
        self.assertEqual(self.id_of(""), one)
        self.write("t/a.1.et", "b")
        self.assertEqual(self.id_of("sweep: {workload.ranks: [1]}\n"), one)
        self.assertNotEqual(self.id_of(""), one)

    def test_names_do_not_depend_on_where_files_lie(self):
        self.use_traces_and_a_topology()
        here = self.id_of("")
        self.path = self.path / "there"
        self.use_traces_and_a_topology()
        self.assertEqual(self.id_of(""), here)

    def test_the_configuration_of_a_point_is_what_its_run_keeps(self):
        self.write("net/n.yaml", "backend: flow\ndimensions:\n"
                   "  - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n"
                   "  - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n")
        self.write("base.yaml", "workload: {collective: {type: all-reduce, size: 1 KB}}\n"
                   "network: {file: net/n.yaml, 'dimensions[1].size': 2, "
                   "packet: {header: 8 B}}\n")
        (point,) = self.expand("sweep: {'network.dimensions[0].latency': [2 us], "
                               "system.chunks: [2], network.packet: [{payload: 100 B}]}\n")
        out = self.path / "out"
        base = self.path / "base.yaml"
        subprocess.run(command(SIMULATOR, base, point, out), check=True)
        self.assertEqual(identity.parse((out / "config.yaml").read_text()), point.configuration)
        self.assertEqual(point.configuration["network"]["packet"]["header"], "64 B")

    def test_a_point_that_the_simulator_refuses_has_a_name_and_a_reason(self):
        text = "sweep: {seed: [1, x, y, 2]}\n"
        points = self.expand(text)
        self.assertEqual([point.refusal is None for point in points], [True, False, False, True])
        self.assertEqual(len({point.id for point in points}), 4)
        self.assertEqual([point.id for point in self.expand(text)], [point.id for point in points])
        self.assertEqual(points[1].refusal.code, 3)
        self.assertIn('seed: "x" is not valid', points[1].refusal.message)

    def test_settings_too_long_for_a_command_line_refuse_their_point(self):
        value = "x" * (1 << 17)  # of one argument, Linux takes a byte less
        short, long = self.expand(f"sweep: {{system.collectives.all-reduce: [ring, {value}]}}\n")
        self.assertIsNone(short.refusal)
        self.assertEqual(long.refusal.code, "")
        self.assertIn("Argument list too long", long.refusal.message)


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
        (point,) = expand(read_study(self.study(""), OPEN), SIMULATOR)
        directory = self.path / "points" / point.id
        task = command(self.build / "cli/nadi", self.path / "base.yaml", point, directory)
        for _ in range(2):
            self.assertEqual(subprocess.run(task).returncode, 0)
            self.assertEqual(self.started_ids(), [point.id])

    def test_a_stuck_point_is_finished_and_an_interrupted_one_is_not(self):
        store = Store(self.path / "out")
        (point,) = expand(read_study(self.study(""), OPEN), SIMULATOR)
        for status, finished in [("done", True), ("stuck", True), ("interrupted", False)]:
            self.write(f"out/points/{point.id}/summary.json", json.dumps({"status": status}))
            self.assertEqual(store.is_finished(point), finished)
        for broken in ("", "[]", "{}", '{"status": []}', "no JSON"):
            self.write(f"out/points/{point.id}/summary.json", broken)
            self.assertIsNone(store.load(point))
        store.forget(point)
        store.keep_failure(point, 70, "a bug of ours")
        self.assertFalse(store.is_finished(point))
        self.assertEqual(store.load(point).summary["exit_reason"], "exit 70: a bug of ours")

    def test_what_a_run_had_nothing_to_measure_of_is_empty(self):
        fields = {"serving": {"tpot_ns": {"mean": None, "p50": 2.5}}, "warnings": ["a", "b"]}
        self.assertEqual(flatten(fields), {"serving.tpot_ns.mean": "", "serving.tpot_ns.p50": "2.5",
                                           "warnings": "a | b"})

    def test_a_message_is_one_line_of_bounded_length(self):
        self.assertEqual(one_line("a\n\n b\r\n"), "a; b")
        self.assertEqual(one_line("\x1b[2Ja\0"), "?[2Ja?")
        self.assertEqual(len(one_line("x" * 10**6)), LONGEST_MESSAGE + len(" ..."))


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Told(unittest.TestCase):
    def test_what_is_left_takes_as_long_a_point_as_what_is_done(self):
        now = [0.0]
        progress = Progress(5, "points", Terminal(), lambda: now[0])
        self.assertEqual(progress.text(), "nadi: 0 of 5 points")
        now[0] = 20.0
        progress.add()
        progress.add(Failure("point a", "failed", "it broke"))
        self.assertEqual(progress.text(), "nadi: 2 of 5 points, 1 failed, about 30 s left")
        self.assertIn("nadi: point a failed: it broke\n", progress.stream.getvalue())

    def test_a_reason_is_told_once_with_how_many_it_stopped(self):
        progress = Progress(300, "points", io.StringIO(), lambda: 0.0)
        for number in range(12):
            progress.add(Failure(f"point {number}", "failed", f"reason {number}", 1 + number % 2))
        for number in (0, 0, 1, 11):
            progress.add(Failure("another", "failed", f"reason {number}"))
        progress.tell_repeats()
        self.assertEqual((progress.done, progress.failed), (22, 22))
        told = progress.stream.getvalue().splitlines()
        self.assertEqual(told[:2], ["nadi: point 0 failed: reason 0",
                                    "nadi: point 1 and 1 more failed: reason 1"])
        self.assertEqual(told[10:], [
            "nadi: of further points that fail, results.csv has the reasons",
            "nadi: 2 more for the same reason as point 0",
            "nadi: 1 more for the same reason as point 1"])

    def test_without_a_terminal_lines_are_rare(self):
        now = [0.0]
        progress = Progress(100, "points", io.StringIO(), lambda: now[0])
        for second in range(1, 42):
            now[0] = float(second)
            progress.add()
        self.assertEqual(progress.stream.getvalue().count("\n"), 2)


if __name__ == "__main__":
    unittest.main()
