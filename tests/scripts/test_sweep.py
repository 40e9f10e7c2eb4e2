#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps as users start them: their results, their failures, their command line."""

import json
import os
import re
import subprocess
import sys
import unittest

from study_bench import SWEEP, TOP, Bench

from studies import simulator


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

    def test_a_column_stands_once(self):
        self.assertEqual(self.sweep(self.study("sweep: {seed: [7]}\n"), "out").returncode, 0)
        columns = self.results("out").decode().splitlines()[0].split(",")
        self.assertEqual(len(columns), len(set(columns)))
        self.assertEqual(columns[:4], ["id", "variant", "status", "seed"])

    def test_a_failure_is_kept_and_stops_nothing(self):
        study = self.study("sweep: {network.backend: [flow, smoke, analytical]}\n")
        self.use_slow_simulator(0)
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 3)
        flow, smoke, analytical = self.rows("out")
        self.assertEqual([flow["status"], analytical["status"]], ["done", "done"])
        self.assertEqual(sorted(self.started_ids()), sorted([flow["id"], analytical["id"]]))
        message = '"smoke" is not valid; write analytical, flow or packet'
        self.assertEqual(smoke["status"], "failed")
        self.assertEqual(smoke["exit_reason"], f"exit 3: --set: network.backend: {message}")
        kept = json.loads((self.path / "out/points" / smoke["id"] / "failure.json").read_text())
        self.assertEqual(kept["exit_code"], 3)
        told = f"nadi: point {smoke['id']} (network.backend=smoke) failed: exit 3: --set: "
        self.assertIn(told, done.stderr)
        self.assertIn("2 of 3 points done\n1 failed: the column exit_reason of", done.stdout)
        first = self.results("out")
        self.assertEqual(self.sweep(study, "out").returncode, 3)
        self.assertEqual(len(self.starts()), 2)
        self.assertEqual(self.results("out"), first)

    def test_what_only_a_run_finds_is_kept_and_tried_again(self):
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        fails = "case $* in *seed=2*) yes 'it broke' | head -100000 >&2; exit 70; esac"
        simulator.write_text(simulator.read_text().replace("    sleep 0", f"    {fails}"))
        study = self.study("sweep: {seed: [1, 2]}\n")
        for runs in (2, 3):
            done = self.sweep(study, "out")
            self.assertEqual(done.returncode, 70)
            self.assertEqual(len(self.starts()), runs)
            good, bad = self.rows("out")
            self.assertEqual([good["status"], bad["status"]], ["done", "failed"])
            self.assertTrue(bad["exit_reason"].startswith("exit 70: it broke; it broke; "))
            self.assertTrue(bad["exit_reason"].endswith(" ..."))
            self.assertLess(len(done.stderr), 2000)

    def test_a_fault_of_the_base_is_told_once_with_the_points_that_it_stops(self):
        base = self.path / "base.yaml"
        base.write_text(base.read_text().replace("size: 64 KiB", "sise: 64 KiB"))
        study = self.study("sweep: {seed: [1, 2, 3], network.backend: [flow, packet]}\n")
        reason = f"{base}:3: workload.collective.sise: unknown key (did you mean size?)"
        listed = self.sweep(study, "out", "--dry-run")
        self.assertEqual(listed.returncode, 3)
        self.assertEqual(listed.stdout.splitlines()[1].strip(), f"{reason} (6 points)")
        self.assertEqual(len(listed.stdout.splitlines()), 7)
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 3)
        first = self.rows("out")[0]["id"]
        self.assertEqual(done.stderr, f"nadi: point {first} (seed=1, network.backend=flow) and 5 "
                                      f"more failed: exit 3: {reason}\n")
        self.assertEqual({row["exit_reason"] for row in self.rows("out")}, {f"exit 3: {reason}"})
        self.assertEqual(len(self.rows("out")), 6)

    def test_a_fault_that_only_runs_find_is_told_once(self):
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        fails = "    echo 'it broke' >&2; exit 70"
        simulator.write_text(simulator.read_text().replace("    sleep 0", fails))
        done = self.sweep(self.study("sweep: {seed: [1, 2, 3]}\n"), "out", "--workers", "1")
        self.assertEqual(done.returncode, 70)
        first, more = done.stderr.splitlines()
        point = re.fullmatch(r"nadi: (point .*) failed: exit 70: it broke", first)[1]
        self.assertEqual(more, f"nadi: 2 more for the same reason as {point}")

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

    def test_results_of_another_build_are_told_and_kept(self):
        study = self.study("sweep: {seed: [1, 2]}\n")
        self.write("out/points/0123456789ab/summary.json", '{"status": "done", "build": "older"}')
        done = self.sweep(study, "out")
        self.assertIn(f"nadi: 1 results in {self.path}/out/points are of another build of Nadi",
                      done.stderr)
        self.assertTrue((self.path / "out/points/0123456789ab").exists())
        self.assertNotIn("another build", self.sweep(study, "out").stderr)

    def test_the_names_of_points_depend_on_the_build_that_results_name(self):
        self.assertEqual(self.sweep(self.study("sweep: {seed: [1]}\n"), "out").returncode, 0)
        (row,) = self.rows("out")
        self.assertNotEqual(row["build"], "")
        version = simulator.version(str(self.build / "cli/nadi"))
        self.assertEqual(version, f"nadi {row['version']} (build {row['build']})")

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
        self.assertEqual(done.stderr, "nadi: 4 points: 4 to run; nothing was run\n")

    def test_a_dry_run_finds_the_invalid_points(self):
        done = self.sweep(self.study("sweep: {seed: [1, x]}\n"), "out", "--dry-run")
        self.assertEqual(done.returncode, 3)
        good, bad, reason = done.stdout.splitlines()
        self.assertRegex(good, "^[0-9a-f]{12}  to run      seed=1$")
        self.assertRegex(bad, "^[0-9a-f]{12}  invalid     seed=x$")
        self.assertIn('--set: seed: "x" is not valid', reason)

    def test_names_may_be_what_the_locale_cannot_show(self):
        self.environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        text = "variants: [{name: größe – 雪, set: {seed: 2}}, {name: x, set: {seed: é}}]\n"
        study = self.study(text, "prüfung.yaml")
        done = self.sweep(study, "aus gänge")
        self.assertEqual(done.returncode, 3, done.stderr)
        one, other = self.rows("aus gänge")
        self.assertEqual([one["variant"], one["status"]], ["größe – 雪", "done"])
        self.assertIn('seed: "é" is not valid', other["exit_reason"])
        listed = self.sweep(study, "aus gänge", "--dry-run")
        self.assertEqual(listed.returncode, 3, listed.stderr)
        self.assertIn(f"{one['id']}  done        variant=gr", listed.stdout)

    def test_two_sweeps_do_not_write_to_one_place(self):
        study = self.study("sweep: {seed: [1, 2]}\n")
        self.use_held_simulator()
        first = self.start(self.command(study, "out", "--workers", "2"))
        self.wait_until(lambda: len(self.starts()) == 2)
        second = self.sweep(study, "out")
        self.assertEqual(second.returncode, 2)
        self.assertIn("another sweep is at work in", second.stderr)
        self.release_simulators()
        self.assertEqual(first.wait(), 0)
        self.assertEqual(len(self.starts()), 2)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done", "done"])

    def test_what_stands_in_the_place_of_a_point_gives_way(self):
        study = self.study("sweep: {seed: [1, 2]}\n")
        listed = self.sweep(study, "out", "--dry-run").stdout
        one, two = re.findall(r"^[0-9a-f]{12}", listed, re.MULTILINE)
        self.write(f"out/points/{one}", "a file")
        self.write(f"out/points/{two}/letter.txt", "dear")
        self.write(f"out/points/.{two}.77/summary.json", "of one that was killed")
        self.assertEqual(self.sweep(study, "out").returncode, 0)
        self.assertEqual(sorted(os.listdir(self.path / "out/points")), sorted([one, two]))

    def test_what_cannot_be_written_is_one_line_and_exit_2(self):
        study = self.study("sweep: {seed: [1]}\n")
        self.write("out/points/.nothing", "")
        self.write("out/results.csv/taken", "")
        for out in ("/proc/nadi", "out"):
            done = self.sweep(study, out)
            self.assertEqual(done.returncode, 2, done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("nadi sweep: ")]
            self.assertEqual(len(told), 1, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_costs_and_the_table_of_a_collective_stand_beside_the_results(self):
        study = self.study("sweep: {workload.collective.size: [64 KiB, 1 MiB]}\n")
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = (self.path / "out/table.txt").read_text()
        self.assertIn(table, done.stdout)
        self.assertEqual([line.split()[0] for line in table.splitlines()[3:]], ["65536", "1048576"])
        names, cells = table.splitlines()[1].lstrip("# ").split(), table.splitlines()[4].split()
        row = dict(zip(names, cells))
        size, time, algbw, busbw = (float(row[name]) for name in ("size", "time", "algbw", "busbw"))
        self.assertEqual(size, 2**20)
        self.assertAlmostEqual(algbw, size / (time * 1e3), delta=0.0006)  # three decimals
        self.assertAlmostEqual(busbw, algbw * 2 * (2 - 1) / 2, delta=0.0011)
        _, closing = done.stdout.split(f"results: {self.path}/out\n")
        self.assertEqual([line.split()[0] for line in closing.splitlines()],
                         ["results.csv", "cost.csv", "table.txt", "points"])
        cost = (self.path / "out/cost.csv").read_text().splitlines()
        self.assertEqual(cost[0], "id,wall_time_s,peak_memory_bytes")
        self.assertEqual([line.split(",")[0] for line in cost[1:]],
                         [row["id"] for row in self.rows("out")])
        self.assertNotIn("wall_time_s", self.rows("out")[0])
        self.assertNotIn("peak_memory_bytes", self.rows("out")[0])

    def test_only_what_a_run_wrote_is_listed_as_its_own(self):
        study = "sweep: {seed: [1]}\nplots: [{name: NAME, kind: line, x: seed, y: finish_time_ns}]\n"
        first = self.sweep(self.study(study.replace("NAME", "old")), "out", "--report")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(first.stdout.splitlines()[-1].split(), ["plots", "old.png"])
        self.assertIn("  report.html ", first.stdout)
        again = self.sweep(self.study(study.replace("NAME", "new")), "out")
        self.assertEqual(again.stdout.splitlines()[-2:],
                         ["  plots        new.png",
                          "  earlier      report.html, plots/old.png; not of this run"])
        self.assertNotIn("  report.html ", again.stdout)

    def test_the_example_runs_and_draws(self):
        done = self.sweep(TOP / "configs/studies/torus-bandwidth.yaml", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done"] * 6)
        files = sorted(file.name for file in (self.path / "out/plots").iterdir())
        names = ("busiest-link", "finish-time", "speedup")
        self.assertEqual(files, [f"{name}.{kind}" for name in names for kind in ("pdf", "png")])

    def test_the_studies_of_the_user_guide_run(self):
        guide = (TOP / "docs/user-guide.md").read_text()
        texts = re.findall(r"^```yaml\n(base: .*?)^```", guide, re.MULTILINE | re.DOTALL)
        outs = []
        for number, text in enumerate(texts):
            name, out = f"guide-{number}.yaml", f"out-{number}"
            study = self.write(name, text.replace("base: ../", f"base: {TOP}/configs/"))
            done = self.sweep(study, out)
            self.assertEqual(done.returncode, 0, done.stderr)
            outs.append(out)
        torus, sizes, searched = outs
        for out in (torus, sizes):
            self.assertTrue((self.path / out / "plots/1-line.png").exists())
        (row,) = self.rows(searched)
        self.assertEqual(row["search.end"], "found")
        self.assertEqual([row["ranks"] for row in self.rows(torus)], ["64"] * 6 + ["16"] * 6)
        table = (self.path / sizes / "table.txt").read_text()
        first = re.search(r"^```\n(# system.collectives.all-reduce: ring\n.*?)^```", guide,
                          re.MULTILINE | re.DOTALL)[1]
        self.assertTrue(table.startswith(first), table)

    def test_its_help_has_examples_of_its_own(self):
        done = self.sweep("--help", "out")
        self.assertEqual(done.returncode, 0)
        self.assertIn("nadi sweep study.yaml --dry-run", done.stdout)
        text = re.search(r"^  base: .*?(?=\n\n)", done.stdout, re.MULTILINE | re.DOTALL)[0]
        quickstart = TOP / "configs/quickstart.yaml"
        study = self.write("help.yaml", text.replace("quickstart.yaml", str(quickstart)))
        done = self.sweep(study, "out", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 6)

    def test_what_is_not_a_sweeps_is_left_alone(self):
        self.write("out/letter.txt", "dear")
        done = self.sweep(self.study("sweep: {seed: [1]}\n"), "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds something else than the results of a sweep", done.stderr)
        self.assertEqual(os.listdir(self.path / "out"), ["letter.txt"])

    def test_packages_that_are_missing_are_named(self):
        without_packages = [sys.executable, "-S", SWEEP]
        done = subprocess.run(without_packages, capture_output=True, text=True)
        self.assertEqual(done.returncode, 69)
        named = "^nadi sweep: not installed: .*python3-pandas python3-pil python3-yaml.*\n$"
        self.assertRegex(done.stderr, named)

    def test_wrong_command_lines_are_one_line_and_exit_2(self):
        study = self.study("sweep: {seed: [1]}\n")
        for words, problem in [
            (["--workers", "0"], '"0" is no whole number from 1'),
            (["--worker", "2"], "unrecognized arguments: --worker 2"),
            (["--workers", "2", "--scheduler", "tcp://h:1"],
             "--workers is for points that run on this machine"),
            (["--scheduler", "nonsense"], 'no scheduler answers at "nonsense"; start one with'),
        ]:
            done = self.sweep(study, "out", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(problem, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
