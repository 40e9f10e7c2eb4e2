#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps as users start them: their results, their failures, their command line."""

import json
import os
import re
import unittest

from study_bench import TOP, Bench


class Sweep(Bench):
    def test_many_workers_write_the_same_bytes_as_one(self):
        study = self.study(
            'sweep: {"network.dimensions[0].size": [16, 2, 8], network.backend: [packet, flow]}\n'
        )
        self.assertEqual(self.sweep(study, "one", "--workers", "1").returncode, 0)
        self.assertEqual(self.sweep(study, "many", "--workers", "3").returncode, 0)
        self.assertEqual(self.results("one"), self.results("many"))
        found = [(row["network.dimensions[0].size"], row["network.backend"])
                 for row in self.rows("one")]
        sizes = ("16", "2", "8")
        self.assertEqual(found, [(size, one) for size in sizes for one in ("packet", "flow")])
        self.assertEqual([row["ranks"] for row in self.rows("one")], [size for size, _ in found])

    def test_a_failure_is_kept_and_stops_nothing(self):
        study = self.study("sweep: {network.backend: [flow, smoke, analytical]}\n")
        self.use_slow_simulator(0)
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 3)
        flow, smoke, analytical = self.rows("out")
        self.assertEqual([flow["status"], analytical["status"]], ["done", "done"])
        message = '"smoke" is not valid; write packet, flow or analytical'
        self.assertEqual(smoke["status"], "failed")
        self.assertEqual(smoke["exit_reason"], f"exit 3: --set: network.backend: {message}")
        kept = json.loads((self.path / "out/points" / smoke["id"] / "failure.json").read_text())
        self.assertEqual(kept["exit_code"], 3)
        self.assertIn(f"{smoke['id']} (network.backend=smoke): failed: exit 3", done.stderr)
        first = self.results("out")
        self.assertEqual(self.sweep(study, "out").returncode, 3)
        self.assertEqual(self.started_ids()[3:], [smoke["id"]])
        self.assertEqual(self.results("out"), first)

    def test_a_job_that_cannot_finish_is_a_result(self):
        study = self.study("sweep: {seed: [1, 2]}\n")
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        stuck = 'mkdir "$5"; echo \'{"status": "stuck", "exit_reason": "a circle"}\''
        words = [f'{stuck} >"$5/summary.json"; exit 4' if line.startswith("    sleep") else line
                 for line in simulator.read_text().splitlines()]
        simulator.write_text("\n".join(words))
        for _ in range(2):
            self.assertEqual(self.sweep(study, "out").returncode, 4)
            told = [(row["status"], row["exit_reason"]) for row in self.rows("out")]
            self.assertEqual(told, [("stuck", "a circle")] * 2)
            self.assertEqual(len(self.starts()), 2)

    def test_a_dry_run_lists_the_points_and_runs_nothing(self):
        study = self.study("sweep: {seed: [1, 2], network.backend: [flow, packet]}\n")
        self.use_slow_simulator(0)
        done = self.sweep(study, "out", "--dry-run")
        self.assertEqual(done.returncode, 0)
        told = [line.split(None, 1)[1].strip() for line in done.stdout.splitlines()]
        expected = [f"seed={s}, network.backend={b}" for s in (1, 2) for b in ("flow", "packet")]
        self.assertEqual(told, [f"to run      {one}" for one in expected])
        self.assertFalse((self.path / "out").exists())
        self.assertEqual(self.starts(), [])

    def test_costs_and_the_table_of_a_collective_stand_beside_the_results(self):
        study = self.study("sweep: {workload.collective.size: [64 KiB, 1 MiB]}\n")
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = (self.path / "out/table.txt").read_text()
        self.assertIn(table, done.stdout)
        self.assertEqual([line.split()[0] for line in table.splitlines()[2:]], ["65536", "1048576"])
        size, time, algbw, busbw, _ = map(float, table.splitlines()[3].split())
        self.assertEqual(size, 2**20)
        self.assertAlmostEqual(algbw, size / (time * 1e3), delta=0.0006)  # three decimals
        self.assertAlmostEqual(busbw, algbw * 2 * (2 - 1) / 2, delta=0.0011)
        cost = (self.path / "out/cost.csv").read_text().splitlines()
        self.assertEqual(cost[0], "id,wall_time_s,peak_memory_bytes")
        self.assertEqual([line.split(",")[0] for line in cost[1:]],
                         [row["id"] for row in self.rows("out")])
        self.assertNotIn("wall_time_s", self.rows("out")[0])
        self.assertNotIn("peak_memory_bytes", self.rows("out")[0])

    def test_the_studies_that_come_with_the_program_are_valid(self):
        studies = sorted((TOP / "configs/studies").glob("*.yaml"))
        self.assertNotEqual(studies, [])
        for study in studies:
            done = self.sweep(study, "out", "--dry-run")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_example_runs_and_draws(self):
        done = self.sweep(TOP / "configs/studies/torus-bandwidth.yaml", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done"] * 6)
        files = sorted(file.name for file in (self.path / "out/plots").iterdir())
        names = ("busiest-link", "finish-time", "speedup")
        self.assertEqual(files, [f"{name}.{kind}" for name in names for kind in ("pdf", "png")])

    def test_the_study_of_the_user_guide_runs(self):
        guide = (TOP / "docs/user-guide.md").read_text()
        text = re.search(r"^```yaml\n(base: .*?)^```", guide, re.MULTILINE | re.DOTALL)[1]
        study = self.write("guide.yaml", text.replace("../systems", f"{TOP}/configs/systems"))
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        ranks = [row["ranks"] for row in self.rows("out")]
        self.assertEqual(ranks, ["64"] * 6 + ["16"] * 6)
        self.assertTrue((self.path / "out/plots/1-line.png").exists())

    def test_what_is_not_a_sweeps_is_left_alone(self):
        self.write("out/letter.txt", "dear")
        done = self.sweep(self.study("sweep: {seed: [1]}\n"), "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds something else than the results of a sweep", done.stderr)
        self.assertEqual(os.listdir(self.path / "out"), ["letter.txt"])

    def test_wrong_command_lines_are_one_line_and_exit_2(self):
        study = self.study("sweep: {seed: [1]}\n")
        for words, problem in [
            (["--workers", "0"], '"0" is no whole number from 1'),
            (["--worker", "2"], "unrecognized arguments: --worker 2"),
            (["--workers", "2", "--scheduler", "tcp://h:1"], "--workers is for a cluster of this"),
            (["--scheduler", "nonsense"], 'no scheduler answers at "nonsense"; start one with'),
        ]:
            done = self.sweep(study, "out", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(problem, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
