#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the Chakra paper of 2023 says in section 6.2, held against our studies of it.

docs/studies/chakra-2023.md explains what holds on which reading of the switches, and what does not.
"""

import pathlib
import unittest

from study_runs import StudyRuns

BACKEND = "network.backend"
MLPS = ["mlp-mp", "mlp-dp-mp", "mlp-mp-dp"]
ALL = MLPS + ["dlrm", "transformer"]
LOWEST, HIGHEST = "1/2, 1/2", "2, 2"


class Chakra2023(StudyRuns):
    """The points of both studies, run once; backend flow, whose times are near those of packets."""

    @classmethod
    def setUpClass(cls):
        cls.found = {}

    def numbers(self, study, swept, *keys):
        """{(workload, texts of the keys): the point's summary}."""
        if study not in self.found:
            runs, _ = self.run_study(self.read(study, swept))
            self.found[study] = {
                (
                    pathlib.Path(point.coordinates["workload"]).stem,
                    *(point.coordinates[key] for key in keys),
                ): {name: number(text) for name, text in result.summary.items()}
                for point, result in runs
            }
        return self.found[study]

    def scaling(self):
        return self.numbers("chakra-2023", {BACKEND: ["flow"]}, "system", "NPUs")

    def bandwidths(self):
        swept = {BACKEND: ["flow"]}
        return self.numbers("chakra-2023-bandwidth", swept, "system", "bandwidths")

    def times(self, workload, system):
        """With 4, 16 and 64 NPUs."""
        found = self.scaling()
        return [found[workload, system, npus]["finish_time_ns"] for npus in ("4", "16", "64")]

    def test_the_two_ratios_of_its_text(self):
        transformer = self.scaling()["transformer", "torus", "4"]
        self.assert_near(transformer["compute_ns"] / transformer["communication_ns"], 25, 0.02)
        mlp = self.bandwidths()["mlp-mp", "torus", LOWEST]
        self.assert_near(mlp["exposed_communication_ns"] / mlp["compute_ns"], 128, 0.08)

    def test_the_transformer_on_the_torus_improves_monotonically_and_no_mlp_does(self):
        slow, middle, fast = self.times("transformer", "torus")
        self.assertTrue(slow > middle > fast)
        for system in ("torus", "hierarchy"):
            for workload in MLPS:
                _, middle, many = self.times(workload, system)
                self.assertGreater(many, middle, f"{workload} on {system}")
        _, middle, many = self.times("dlrm", "hierarchy")
        self.assertGreater(many, middle)

    def test_exposed_communication_grows_as_a_share_and_dominates_mlp_mp(self):
        for workload in ("transformer", "mlp-mp"):
            runs = [self.scaling()[workload, "torus", npus] for npus in ("4", "16", "64")]
            shares = [run["exposed_communication_ns"] / run["finish_time_ns"] for run in runs]
            self.assertEqual(shares, sorted(shares))
        self.assertGreater(shares[0], 0.5)

    def test_mlp_mp_is_the_most_sensitive_to_bandwidth(self):
        found = self.bandwidths()
        for system in ("torus", "switches"):
            gains = {
                workload: found[workload, system, LOWEST]["finish_time_ns"]
                / found[workload, system, HIGHEST]["finish_time_ns"]
                for workload in ALL
            }
            self.assertEqual(max(gains, key=gains.get), "mlp-mp", f"{system}: {gains}")

    def test_the_torus_is_ahead_of_the_hierarchy_of_switches(self):
        found = self.bandwidths()
        for workload, system, pair in found:
            torus = found[workload, "torus", pair]["finish_time_ns"]
            if system == "hierarchy":
                self.assertLess(torus, found[workload, system, pair]["finish_time_ns"])


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


if __name__ == "__main__":
    unittest.main()
