#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The calibration: parameters that made tables are found again, and what was left out is not
used."""

import math
import subprocess
import unittest

import numpy as np
import yaml
from measured_bench import CLUSTER, NODE, TOP, MeasuredBench

from validation.cross_validation import by_system, leave_out
from validation.fit import determined, fit
from validation.machine import make_machine
from validation.parameters import PARAMETERS, Values, width
from validation.prediction import predict
from validation.presets import GPUS, NETWORKS
from validation.problem import make_cases
from validation.reading import read_tables
from validation.side_file import describe
from validation.statistics import errors_of

SIZES = 2.0 ** np.arange(10, 34, 2)
# What the tables of these tests are made with: logarithms away from the first values.
TRUTH = {"gpu.rate.Simple": -0.10, "gpu.nvls-rate@h100": 0.05, "net.hop.LL": 0.4,
         "gpu.launch-of-each": 0.2}
TABLES = {
    "first_1n8g-all_reduce": NODE,
    "first_1n8g-all_gather": NODE | {"collective": "all_gather"},
    "second_1n8g-all_gather": NODE | {"collective": "all_gather", "launch": "process-per-node"},
    "third_4n32g-all_gather": CLUSTER | {"collective": "all_gather"},
}


class Fit(MeasuredBench):
    def make(self, truth, **factors):
        """The cases of tables as the model predicts them with `truth`, times a factor."""
        for name, keys in TABLES.items():
            self.table(name, keys, [(int(size), 1) for size in SIZES])
        for case in make_cases(read_tables([self.path]).tables)[0]:
            times = predict(case.machine, Values(truth, case.machine), case.sizes, case.planned)
            times = times * factors.get(case.system, 1.0)
            self.table(case.name, TABLES[case.name], list(zip(SIZES.astype(int), times)))
        return make_cases(read_tables([self.path]).tables)[0]

    def test_without_a_difference_nothing_moves(self):
        found = fit(self.make({}))
        self.assertLess(max(map(abs, found.values())), 1e-6)

    def test_parameters_that_made_the_tables_are_found_again(self):
        cases = self.make(TRUTH)
        before = errors_of(np.concatenate([case.residuals({}) for case in cases])).mean
        found = fit(cases)
        after = errors_of(np.concatenate([case.residuals(found) for case in cases])).mean
        self.assertGreater(before, 0.06)
        self.assertLess(after, before / 4)
        rate = found["gpu.rate.Simple"] + found["gpu.rate.Simple@h100"]
        self.assertAlmostEqual(rate, TRUTH["gpu.rate.Simple"], delta=0.02)

    def test_what_no_table_asks_for_keeps_its_first_value(self):
        found = fit(self.make(TRUTH))
        self.assertNotIn("gpu.rate.Simple@a100", found)
        self.assertNotIn("net.hop.LL@slingshot", found)
        machine = make_machine(describe({**NODE, "gpu": "MI300X"}, []))[0]
        self.assertEqual(Values(found, machine)("msccl.LL"), PARAMETERS["msccl.LL"].first)

    def test_a_system_that_is_left_out_does_not_speak(self):
        """Another time in its tables changes its own errors, and by just so much."""
        honest = self.make(TRUTH)
        start = fit(honest)
        calm = leave_out(honest, start, by_system)["third_4n32g-all_gather"]
        doubled = self.make(TRUTH, third=2.0)
        told = leave_out(doubled, start, by_system)["third_4n32g-all_gather"]
        np.testing.assert_allclose(told, calm - math.log(2), atol=1e-3)

    def test_the_data_determine_no_more_parameters_than_there_are(self):
        cases = self.make(TRUTH)
        found = fit(cases)
        self.assertGreater(determined(cases, found), 3)
        self.assertLess(determined(cases, found), len(found))

    def test_one_wild_row_hardly_moves_the_fit(self):
        found = fit(self.make(TRUTH))
        cases = self.make(TRUTH)
        cases[0].measured[-1] += 3
        wild = fit(cases)
        moved = max(abs(wild[name] - found[name]) / width(name) for name in found)
        self.assertLess(moved, 0.5)

    def test_the_command_writes_presets_and_a_page(self):
        self.make(TRUTH)
        page = self.path / "page.md"
        done = subprocess.run([TOP / "scripts/calibrate.py", self.path, "--page", page, "--presets",
                               self.path / "presets", "--leave-out", "systems"],
                              capture_output=True, text=True, check=True)
        self.assertIn("4 tables, 48 rows: error", done.stdout)
        text = page.read_text()
        for part in ("### leave one system out", "| third | 1 |", "## Worst rows", "Glitch rows"):
            self.assertIn(part, text)
        files = {file.stem for file in (self.path / "presets").iterdir()}
        expected = {f"gpu-{name}" for name in GPUS} | {f"net-{name}" for name in NETWORKS}
        scripted = {"msccl-ll", "msccl-ll128", "msccl-simple"}
        self.assertEqual(files, expected | scripted)
        keys = yaml.safe_load((self.path / "presets/gpu-h100.yaml").read_text())
        self.assertEqual(len(keys), sum(name.startswith("gpu.") for name in PARAMETERS))
        self.assertRegex(keys["launch"], r"^[\d.]+ us$")

    def test_the_command_refuses_what_is_unusable(self):
        done = subprocess.run([TOP / "scripts/calibrate.py", self.path / "none.csv"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("none.csv", done.stderr)


if __name__ == "__main__":
    unittest.main()
