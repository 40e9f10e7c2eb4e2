#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What nadi optimize says of studies and demands that are wrong."""

import json
import unittest

from optimize_bench import DEMANDS, PYTHON_WITHOUT_PACKAGES, STUDY, StudyBench, libra


class Faults(StudyBench):
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


if __name__ == "__main__":
    unittest.main()
