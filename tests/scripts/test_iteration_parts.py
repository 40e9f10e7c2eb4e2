#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a comparison of whole iterations is made of: plans, fits, times of recordings."""

import types
import unittest

from iteration_bench import COLLECTIVE, COMPUTE, make_node, trace_bytes
from measured_bench import MeasuredBench

from validation.iterations.compared import ComparedTraining
from validation.iterations.content import staged_line, summary_of
from validation.iterations.description import read_description
from validation.iterations.fit import SimulatedTimes, fit, predict_unseen
from validation.iterations.plan import Plan
from validation.iterations.recorded_times import read_recorded_times
from validation.refusal import Refusal

FIXED = [3.0, 5.0, 1.0, 8.0]  # ms of communication that nothing hides
WORK = [900.0, 4000.0, 100.0, 90.0]  # ms of computation at 1 TFLOP/s
PASSES = [40, 10, 30, 20]


def iterations(speed, host=0.0):
    """Times of iterations whose computation is in proportion to 1 / speed."""
    return [fixed + work / speed + host * passes
            for fixed, work, passes in zip(FIXED, WORK, PASSES)]


class Fits(unittest.TestCase):
    def setUp(self):
        self.times = SimulatedTimes({speed: iterations(speed) for speed in (50.0, 200.0, 100.0)})

    def test_the_speed_is_found_between_and_beyond_simulated_speeds(self):
        for speed in (12.0, 60.0, 180.0, 900.0):
            found = fit(self.times, iterations(speed), PASSES)
            self.assertAlmostEqual(found.speed / speed, 1, places=3)
            self.assertEqual(found.host, 0)

    def test_speed_and_host_are_found_together(self):
        found = fit(self.times, iterations(80, host=0.5), PASSES, with_host=True)
        self.assertAlmostEqual(found.speed / 80, 1, places=3)
        self.assertAlmostEqual(found.host, 0.5, places=3)

    def test_without_time_of_the_host_none_is_found(self):
        found = fit(self.times, iterations(80), PASSES, with_host=True)
        self.assertAlmostEqual(found.speed / 80, 1, places=3)
        self.assertAlmostEqual(found.host, 0, places=3)

    def test_a_disturbed_row_that_is_left_out_is_predicted_from_the_others(self):
        measured = iterations(80)
        measured[2] *= 1.5
        unseen = predict_unseen(self.times, measured, PASSES)
        self.assertAlmostEqual(unseen[2] / iterations(80)[2], 1, places=3)
        # the others were predicted with it, by a speed that is too low
        self.assertGreater(unseen[1], measured[1])


class Errors(unittest.TestCase):
    def test_plans_with_stages_are_measured_as_all_rows_are(self):
        """A time that is half as long as it should be is 100 % off, as one that is twice as long."""
        rows = [types.SimpleNamespace(measured=10.0, by_micro_batch=time, simulated=time)
                for time in (5.0, 20.0)]
        training = ComparedTraining("job", "", rows, speeds={1: 20.0})
        told = "100.0 %, worst 100.0 %"
        self.assertIn(f"Mean error of 2 plans {told}.", staged_line(training))
        self.assertIn(f"Mean error {told};", summary_of(training, "simulated", "simulated"))


class Plans(unittest.TestCase):
    def test_layers_follow_one_another_on_the_longest_stage_and_while_the_pipeline_fills(self):
        plan = Plan(nodes=2, pp=3, dp=2, tp=1, batch=32, micro_batch=4, stages=(5, 7, 6))
        self.assertEqual(plan.micro_batches, 4)
        self.assertEqual(plan.layer_passes, 4 * 7 + 5 + 6)


class RecordedTimes(MeasuredBench):
    def read(self, *nodes):
        file = self.path / "t.0.et"
        file.write_bytes(trace_bytes(nodes))
        return read_recorded_times(file)

    def test_a_recording_lasts_from_the_first_start_to_the_last_end(self):
        found = self.read(make_node(0, COMPUTE, 300, 10**6),
                          make_node(1, COMPUTE, 250, 20))
        self.assertEqual((found.begin, found.end, found.whole), (250, 300 + 10**6, 50 + 10**6))
        self.assertIsNone(found.after_first_collective)

    def test_the_first_collective_is_the_one_that_began_first(self):
        found = self.read(make_node(0, COLLECTIVE, 500, 100), make_node(1, COLLECTIVE, 100, 450),
                          make_node(2, COMPUTE, 600, 50))
        self.assertEqual(found.first_collective, 550)
        self.assertEqual(found.after_first_collective, 100)

    def test_traces_without_recorded_times_are_refused(self):
        with self.assertRaisesRegex(Refusal, "t.0.et has no recorded times"):
            self.read(make_node(0, COMPUTE, 0, 0))


class Descriptions(MeasuredBench):
    def test_paths_are_relative_to_the_description(self):
        (self.path / "t.0.et").write_bytes(b"")
        (self.path / "d.yaml").write_text(
            "recording: t.{rank}.et\nsystem: s.yaml\nnetwork: {topology: {file: n.yaml}}\n"
            "set: {system.compute.kernels: k.csv, network.backend: flow}\n")
        found = read_description(self.path / "d.yaml")
        folder = self.path.resolve()
        self.assertEqual(found.sections, {"system": f"{folder}/s.yaml",
                                          "network": {"topology": {"file": f"{folder}/n.yaml"}}})
        self.assertEqual(found.settings,
                         [f"system.compute.kernels={folder}/k.csv", "network.backend=flow"])


if __name__ == "__main__":
    unittest.main()
