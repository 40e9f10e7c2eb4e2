#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""nadi optimize, from the study to what was simulated."""

import json
import signal
import subprocess
import unittest

from optimize_bench import CONFIG, PRICES, STUDY, StudyBench, libra
from study_bench import BUILD, SECONDS_AT_MOST, TOP

from studies.optimize.command import Optimization
from studies.optimize.inputs import read_inputs
from studies.optimize.study import read_study


INTERRUPTED = (r"^nadi: interrupted after \d+ of \d+ simulations; the same command goes on from "
               r"here$")


class Verified(StudyBench):
    def test_the_optimum_is_simulated_with_what_is_around_it_and_may_be_run(self):
        done = self.run_study(STUDY + PRICES)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, optimum = self.allocations(), self.optimum()
        self.check_names(rows)
        self.check_best(rows, optimum)
        self.check_allocation(optimum)
        self.assertIn(f"Verified by {len(rows)} simulated allocations", done.stdout)
        self.assertTrue((self.path / "out/plots/time-against-cost.png").exists())
        self.check_files(done.stdout)
        self.check_page()
        again = self.run_study(STUDY + PRICES)
        self.assertEqual(again.stdout, done.stdout)
        self.assertIn("are finished already and are not run again", again.stderr)
        self.assertEqual(self.optimum(), optimum)

    def check_files(self, told):
        listed = [line.split()[0] for line in told.partition("\nresults: ")[2].splitlines()[1:]]
        there = {one.name for one in (self.path / "out").iterdir() if one.name[0] != "."}
        self.assertEqual(sorted(listed), sorted(there))

    def check_page(self):
        self.check_no_page('nadi report: "out" holds an optimisation, of which there is no page; '
                           'name one of its simulations: "out/points/<id>"\n')

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


class Interrupted(StudyBench):
    def test_an_interrupt_is_one_line_and_the_same_command_goes_on(self):
        self.write("config.yaml", CONFIG.replace("BACKEND", "analytical"))
        study = self.write("study.yaml", STUDY)
        self.use_slow_simulator(0.3)
        words = self.optimize_command(study, "--out", "out", "--workers", "1")
        with subprocess.Popen(words, cwd=self.path, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.wait_until(lambda: len(self.finished_ids("out")) >= 1)
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=SECONDS_AT_MOST)
        self.assertEqual((process.returncode, told[0]), (5, ""))
        self.assertRegex(told[1].splitlines()[-1], INTERRUPTED)
        self.assertNotIn("Traceback", told[1])
        finished, before = self.finished_ids("out"), len(self.starts())
        self.assertEqual({one.name for one in (self.path / "out").iterdir()}, {".lock", "points"})
        self.assertEqual([one for one in (self.path / "out/points").iterdir()
                          if one.name not in finished], [])
        self.check_no_page('nadi report: "out" has no results.csv: its sweep or optimisation has '
                           "not ended; wait for it, or give its command again\n")
        self.build = BUILD
        done = self.run_study(STUDY, "--workers", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"nadi: {len(finished)} of 6 simulations are finished already", done.stderr)
        self.assertTrue(self.optimum()["verified"])
        self.assertLess(before, 6)


class Demanded(StudyBench):
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
        self.check_no_page('nadi report: "out" holds an optimisation, of which there is no page; '
                           "allocations.csv has what it compared\n")

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
        optima = []
        for text in (STUDY.replace("config: config.yaml", "demands: written.json"), STUDY):
            study = read_study(self.write("study.yaml", text))
            optima.append(Optimization(study, read_inputs(study, BUILD / "cli/nadi")).optimum)
        self.assertEqual(optima[0].value, optima[1].value)
        self.assertEqual(list(optima[0].allocation), list(optima[1].allocation))

    def test_a_file_that_cannot_be_written_is_exit_2_and_leaves_nothing(self):
        done = self.nadi("check", "config.yaml", "--demands", "none/d.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn('cannot write "none/d.json"; name another file with --demands', done.stderr)


if __name__ == "__main__":
    unittest.main()
