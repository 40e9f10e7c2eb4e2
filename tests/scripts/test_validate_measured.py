#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Four small tables of real clusters, simulated with the real libraries: their errors are those
that were found, and would not be with a mechanism broken."""

import json
import subprocess
import unittest

import yaml
from measured_bench import TOP, MeasuredBench
from validate_bench import BUILD, SECONDS_AT_MOST, VALIDATE

TABLES = TOP / "tests/data/measured"
TREES = "h100_xe9680_2n16g-all_reduce-issue309"
# Errors of sizes from 1 MiB on, in percent, as `nadi validate tests/data/measured` prints them.
FOUND = {
    "h100cluster01_1n8g-all_gather-xxrjun": 1.8,
    TREES: 10.4,
    "hgx_a100_1n8g-all_reduce-superbench": 6.0,
    "oci_mi300x_2n16g-all_reduce-ocioke": 1.6,
}
AWAY = 1.5  # that a change of presets may move them
# What breaks which table: the value of a parameter.
BROKEN = [
    ("hgx_a100_1n8g-all_reduce-superbench", "rate-ll128", "0.5"),
    (TREES, "net-nvls-tree-rate", "0.5"),
]


class Measured(MeasuredBench):
    def errors(self, *words):
        """{table: error of sizes from 1 MiB on}."""
        out = self.path / "out"
        command = [VALIDATE, "--simulator", BUILD / "cli/nadi", "--out", out, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_AT_MOST)
        self.assertEqual(done.returncode, 0, done.stderr)
        scores = json.loads((out / "validation.json").read_text())
        return {name: 100 * one["error_1mib"] for name, one in scores["tables"].items()}

    def test_the_errors_are_those_found_and_larger_with_a_mechanism_broken(self):
        errors = self.errors(TABLES)
        self.assertEqual(set(errors), set(FOUND))
        for name, found in FOUND.items():
            self.assertAlmostEqual(errors[name], found, delta=AWAY, msg=name)
        for name, key, value in BROKEN:
            with self.subTest(name, key=key):
                tree = yaml.safe_load((self.path / f"out/configurations/{name}.yaml").read_text())
                tree["system"]["library"][key] = value
                config = self.write("broken.yaml", yaml.safe_dump(tree))
                broken = self.errors(TABLES / f"{name}.csv", "--config", config)
                self.assertGreater(broken[name], FOUND[name] + AWAY)


if __name__ == "__main__":
    unittest.main()
