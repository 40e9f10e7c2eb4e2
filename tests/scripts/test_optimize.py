#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""nadi optimize, from the study to what was simulated."""

import csv
import json
import subprocess
import unittest

from optimize_bench import PYTHON_WITHOUT_PACKAGES, OptimizeBench, libra
from study_bench import BUILD, SECONDS_AT_MOST, TOP

from studies.errors import UserError
from studies.optimize.command import Optimization
from studies.optimize.inputs import read_inputs
from studies.optimize.study import read_study

CONFIG = """
workload:
  collective: [{type: all-reduce, size: 4 MiB}, {type: all-to-all, size: 1 MiB}]
network:
  backend: BACKEND
  dimensions:
    - {shape: ring, size: 4, bandwidth: 40 GB/s, latency: 500 ns}
    - {shape: switch, size: 2, bandwidth: 20 GB/s, latency: 500 ns}
"""
STUDY = """
optimize:
  bandwidths: ["network.dimensions[0].bandwidth", "network.dimensions[1].bandwidth"]
  minimize: time
  total: 100 GB/s
  workloads: [{config: config.yaml}]
"""
DEMANDS = {"dimensions": [{"shape": "ring", "size": 4}, {"shape": "switch", "size": 2}],
           "ranks": [{"compute_ns": 1e6, "collectives": [{"bytes": [6e6, 1e6]}]}]}
PRICES = "  tiers: [near, far]\n  prices: {near: {link: 4.0}, far: {link: 7.8, switch: 18}}\n"


class Optimize(OptimizeBench):
    def setUp(self):
        super().setUp()
        self.write("config.yaml", CONFIG.replace("BACKEND", "packet"))
        self.write("demands.json", json.dumps(DEMANDS))

    def run_study(self, text, *words):
        return self.optimize(self.write("study.yaml", text), "--out", "out", *words)

    def allocations(self):
        with open(self.path / "out/allocations.csv", newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def nadi(self, *words):
        return subprocess.run([BUILD / "cli/nadi", *words], capture_output=True, text=True,
                              timeout=SECONDS_AT_MOST, cwd=self.path)

    def fault(self, text):
        """What is wrong with a study, without the folder of its files."""
        study = self.write("study.yaml", text)
        with self.assertRaises(UserError) as caught:
            found = read_study(study)
            Optimization(found, read_inputs(found, BUILD / "cli/nadi"))
        self.assertEqual(caught.exception.code, 3)
        return str(caught.exception).replace(f"{self.path}/", "")


class Verified(Optimize):
    def test_the_optimum_is_simulated_with_what_is_around_it_and_may_be_run(self):
        done = self.run_study(STUDY + PRICES)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, optimum = self.allocations(), self.optimum()
        self.check_names(rows)
        self.check_best(rows, optimum)
        self.check_allocation(optimum)
        self.assertIn(f"Verified by {len(rows)} simulated allocations", done.stdout)
        self.assertTrue((self.path / "out/plots/time-against-cost.png").exists())
        again = self.run_study(STUDY + PRICES)
        self.assertEqual(again.stdout, done.stdout)
        self.assertIn("are finished already and are not run again", again.stderr)
        self.assertEqual(self.optimum(), optimum)

    def check_names(self, rows):
        steps = [f"optimum, dimension {one} +{step} %" for one in (0, 1) for step in (2, 10)]
        self.assertEqual([row["allocation"] for row in rows][:6],
                         ["optimum", "equal split", *steps])
        self.assertEqual({row["status"] for row in rows}, {"done"})
        for row in rows:  # a ring's NPU has two links
            links = [float(row[f"network.dimensions[{one}].bandwidth"].removesuffix(" GB/s"))
                     for one in (0, 1)]
            self.assertAlmostEqual(2 * links[0] + links[1], 100, places=4)
            cost = 8 * (2 * links[0] * 4.0 + links[1] * (7.8 + 18))
            self.assertAlmostEqual(float(row["cost"]) / cost, 1, places=5)

    def check_best(self, rows, optimum):
        times = [float(row["simulated_time_ns"]) for row in rows]
        self.assertTrue(optimum["verified"])
        self.assertLess(optimum["time_ns"], min(times) * 1.0002)
        self.assertLess(optimum["gap"], 1e-6)
        error = times[0] / float(rows[0]["model_time_ns"]) - 1
        self.assertAlmostEqual(optimum["model"]["error"], error, places=6)
        self.assertLess(abs(error), 0.5)

    def check_allocation(self, optimum):
        """The file runs, and takes as long as was said."""
        self.assertEqual(self.nadi("run", "out/allocation.yaml", "--quiet", "--out", "run")
                         .returncode, 0)
        summary = json.loads((self.path / "run/summary.json").read_text())
        self.assertEqual(summary["finish_time_ns"], optimum["time_ns"])
        self.assertEqual(optimum["bandwidths"][0] / 2,
                         float(optimum["links"]["network.dimensions[0].bandwidth"].split()[0]))

    def test_a_bandwidth_that_is_not_chosen_stays_and_counts(self):
        self.write("config.yaml", CONFIG.replace("BACKEND", "analytical"))
        study = STUDY.replace(', "network.dimensions[1].bandwidth"', "")
        self.assertEqual(self.run_study(study, "--workers", "1").returncode, 0)
        optimum = self.optimum()
        self.assertEqual(optimum["bandwidths"], [80.0, 20.0])
        self.assertEqual(list(optimum["links"].values()), ["40 GB/s"])

    def test_constraints_hold_for_all_that_count_as_allowed(self):
        self.write("config.yaml", CONFIG.replace("BACKEND", "analytical"))
        limit = '  constraints: ["network.dimensions[0].bandwidth <= 30 GB/s"]\n'
        self.assertEqual(self.run_study(STUDY + limit).returncode, 0)
        rows = self.allocations()
        for row in rows:
            link = float(row["network.dimensions[0].bandwidth"].removesuffix(" GB/s"))
            self.assertEqual(row["allowed"], "yes" if link <= 30.00001 else "no")
        self.assertEqual(self.optimum()["bandwidths"], [60.0, 40.0])
        self.assertNotIn("optimum, dimension 0 +2 %", [row["allocation"] for row in rows])

    def test_simulations_that_fail_leave_it_unverified(self):
        self.write("config.yaml", CONFIG.replace("BACKEND", "packet") +
                   "  faults: [{at: 0 us, link: all, state: down}]\n")
        done = self.run_study(STUDY)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("Not verified: simulations failed", done.stdout)
        self.assertFalse(self.optimum()["verified"])
        self.assertEqual({row["status"] for row in self.allocations()}, {"stuck"})


class Demanded(Optimize):
    def test_demands_are_optimised_without_a_simulation(self):
        self.write("gpt3.json", json.dumps(libra("GPT-3", "4D")))
        paths = [f"network.dimensions[{one}].bandwidth" for one in range(4)]
        done = self.run_study(
            f"optimize:\n  bandwidths: {json.dumps(paths)}\n  minimize: time x cost\n"
            "  total: 500 GB/s\n  tiers: [chiplet, package, node, pod]\n  prices:\n"
            "    chiplet: {link: 2.0}\n    package: {link: 4.0, switch: 13.0}\n"
            "    node: {link: 4.0, switch: 13.0}\n"
            "    pod: {link: 7.8, switch: 18.0, nic: 31.6}\n"
            "  workloads: [{demands: gpt3.json, weight: 1}]\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        optimum = self.optimum()
        self.assertFalse(optimum["verified"])
        self.assertIn("Not verified: a file of demands cannot be simulated", done.stdout)
        # Published: 814.1 ms and 4.86 M$; the product is flat there.
        self.assertAlmostEqual(optimum["time_ns"] / 1e6 * optimum["cost"] / 1e6 / (814.1 * 4.86),
                               1, places=2)
        self.assertIn("shape: fully-connected", (self.path / "out/allocation.yaml").read_text())
        self.assertTrue((self.path / "out/plots/time-against-cost.pdf").exists())

    def test_the_example_has_the_bytes_of_the_published_case(self):
        example = TOP / "configs/optimize/gpt3-4096.json"
        self.assertEqual(json.loads(example.read_text()), libra("GPT-3", "3D"))

    def test_the_documentation_has_the_numbers_of_the_examples(self):
        page = (TOP / "docs/optimize.md").read_text()
        study = read_study(TOP / "configs/optimize/torus-budget.yaml")
        found = Optimization(study, read_inputs(study, BUILD / "cli/nadi"))
        for bandwidth in found.optimum.allocation:
            self.assertIn(f"{bandwidth:.3f} GB/s of an NPU", page)
        self.assertIn(f"the optimum: {found.optimum.value / 1e6:.6g} ms by the model", page)
        study = read_study(TOP / "configs/optimize/gpt3-4096.yaml")
        best, equal = Optimization(study, read_inputs(study, None)).candidates
        self.assertIn("costs a fifth of the equal split, and is 1.5 % faster", page)
        self.assertAlmostEqual(best.cost / equal.cost, 0.2, delta=0.01)
        self.assertAlmostEqual(equal.model_time / best.model_time, 1.015, delta=5e-4)

    def test_what_check_writes_is_what_a_configuration_asks_for(self):
        written = self.nadi("check", "config.yaml", "--demands", "written.json")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertIn("what each dimension moves is in written.json", written.stdout)
        text = STUDY.replace("config: config.yaml", "demands: written.json")
        self.assertEqual(self.run_study(text).returncode, 0)
        by_demands = self.optimum()["model"]
        self.write("config.yaml", CONFIG.replace("BACKEND", "analytical"))
        self.assertEqual(self.run_study(STUDY).returncode, 0)
        by_config = self.optimum()["model"]
        for key in ("bandwidths", "time_ns"):
            self.assertEqual(by_demands[key], by_config[key])

    def test_a_file_that_cannot_be_written_is_exit_2_and_leaves_nothing(self):
        done = self.nadi("check", "config.yaml", "--demands", "none/d.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn('cannot write "none/d.json"; name another file with --demands', done.stderr)

    def test_faults_of_demands_name_their_place(self):
        text = STUDY.replace("config: config.yaml", "demands: d.json")
        call = DEMANDS["ranks"][0]["collectives"][0]
        place = "d.json: ranks[0]: collectives[0]"
        for change, problem in [
            ({"byte": []}, f'{place}: unknown key "byte" (did you mean bytes?)'),
            ({"bytes": [1]}, f"{place}: bytes is no list of 2; write a number for each dimension"),
            ({"bytes": [1, -1]}, f"{place}: bytes: is no number from 0; write one"),
            ({"calls": True}, f"{place}: calls: is no number from 0; write one"),
            ({"links": [0, 1]}, f"{place}: links is 0 in a dimension with bytes; write how many "
             "links carry them, or leave links out"),
        ]:
            self.write("d.json", json.dumps(DEMANDS | {"ranks": [
                {"compute_ns": 1, "collectives": [call | change]}]}))
            self.assertEqual(self.fault(text), problem)
        for content, problem in [
            ("{\n1}", "d.json:2: is not valid JSON: Expecting property name enclosed in double "
             "quotes; correct this line"),
            ("[1]", 'd.json: is no mapping; write {"key": value}'),
            ("{}", "d.json: dimensions: is no list of one or more; write [{...}]"),
            ('{"dimensions": [{"shape": "cube", "size": 2}]}', "d.json: dimensions[0]: shape is "
             "none of ring, mesh, fully-connected, switch; write one of them, or links"),
            ('{"dimensions": [{"shape": "ring", "size": 2.5}]}',
             "d.json: dimensions[0]: size: is no whole number from 0; write one"),
        ]:
            self.write("d.json", content)
            self.assertEqual(self.fault(text), problem)


class Faults(Optimize):
    def test_conditions_that_contradict_each_other_are_named_and_no_others(self):
        text = STUDY + """  constraints:
    - network.dimensions[0].bandwidth <= 30 GB/s
    - network.dimensions[1].bandwidth <= 90 GB/s
    - network.dimensions[1].bandwidth <= 35 GB/s
"""
        self.assertEqual(
            self.fault(text),
            "study.yaml:2: optimize: these cannot all hold: total = 100 GB/s; "
            "network.dimensions[0].bandwidth <= 30 GB/s; network.dimensions[1].bandwidth <= "
            "35 GB/s; relax one of them")

    def test_a_fault_is_one_line_and_exit_3_and_nothing_is_written(self):
        done = self.run_study(STUDY.replace("minimize", "minimise"))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.replace(f"{self.path}/", ""), "study.yaml:4: optimize: "
                         "minimise: unknown key (did you mean minimize?)\n")
        self.assertFalse((self.path / "out").exists())

    def test_faults_of_a_study_name_their_line_and_what_would_be_right(self):
        for old, new, line, problem in [
            ("optimize:", "optimise:", 2, "optimise: unknown key (did you mean optimize?)"),
            ("total: 100 GB/s", "total: 100", 5, 'optimize: total: "100" is no bandwidth above 0; '
             "write such as 500 GB/s"),
            ("minimize: time", "minimize: cost", 4, 'optimize: minimize: "cost" is not valid; '
             "write time or time x cost"),
            ("minimize: time", "minimize: time x cost", 4, "optimize: minimize: cost needs tiers "
             "and prices; write them too"),
            ("[1].bandwidth", "[0].bandwidth", 3, "optimize: bandwidths: "
             '"network.dimensions[0].bandwidth" is not the bandwidth of another dimension; write '
             "such as network.dimensions[0].bandwidth"),
            ("  total: 100 GB/s\n", "", 2, "optimize: total is missing; write total: ..."),
            ("[1].bandwidth", "[2].bandwidth", 2, "optimize: there is no network.dimensions[2]; "
             "the workloads have dimensions 0 to 1"),
            ("config: config.yaml", "config: config.yaml, weight: -1", 6,
             'optimize: workloads: weight: "-1" is no number from 0; write one'),
            ("config: config.yaml", "config: config.yaml, weight: 0", 6, "optimize: workloads: "
             "weight: 0 leaves the workload out; write a number above 0"),
            ("workloads", "tiers: [a, a]\n  prices: {a: {link: 0}}\n  workloads", 7,
             "optimize: prices: all parts are free; write a price above 0"),
            ("config: config.yaml", "weight: 1", 6, "optimize: workloads: write config or demands, "
             "and only one of them"),
            ("workloads", "tiers: [a, b]\n  prices: {a: {link: 1}}\n  workloads", 6,
             'optimize: tiers: "b" has no price; known: a'),
            ("workloads", "tiers: [a]\n  prices: {a: {link: 1}}\n  workloads", 2,
             "optimize: tiers: has 1 entries; write 2, one for each dimension"),
        ]:
            text = STUDY.replace(old, new, 1)
            self.assertEqual(self.fault(text), f"study.yaml:{line}: {problem}")

    def test_a_bandwidth_that_is_given_and_leaves_nothing_is_named(self):
        text = STUDY.replace(', "network.dimensions[1].bandwidth"', "").replace("100", "20")
        self.assertEqual(self.fault(text), "study.yaml:2: optimize: these cannot all hold: total = "
                         "20 GB/s, with 20 GB/s of an NPU in dimension 1 as the configuration has "
                         "it; relax one of them")

    def test_workloads_without_communication_are_refused(self):
        self.write("demands.json", json.dumps(DEMANDS | {"ranks": [{"compute_ns": 5}]}))
        text = STUDY.replace("config: config.yaml", "demands: demands.json")
        self.assertIn("they send nothing over the network", self.fault(text))

    def test_a_configuration_that_cannot_run_says_why(self):
        self.write("config.yaml", "workload: {}\n")
        self.assertEqual(self.fault(STUDY), 'config.yaml:1: key "network" is missing: the network '
                         "that connects the NPUs")

    def test_workloads_of_different_networks_are_refused(self):
        self.write("d.json", json.dumps(libra("GPT-3", "3D")))
        text = STUDY.replace("{config: config.yaml}", "{config: config.yaml}, {demands: d.json}")
        self.assertIn("d has other dimensions than config: ring(16) x fully-connected(8) x "
                      "switch(32), not ring(4) x switch(2); use one network", self.fault(text))

    def test_packages_that_are_missing_are_named(self):
        done = self.optimize("study.yaml", python=PYTHON_WITHOUT_PACKAGES)
        self.assertEqual(done.returncode, 69)
        self.assertRegex(done.stderr, "^nadi optimize: not installed: .*python3-scipy.*\n$")


if __name__ == "__main__":
    unittest.main()
