#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps that lose a worker, are killed or interrupted: nothing is lost, nothing run in vain."""

import glob
import json
import os
import signal
import time
import unittest

import distributed
from study_bench import TOP, Bench

SEEDS = "sweep: {seed: [1, 2, 3, 4, 5, 6, 7, 8]}\n"


class Kills(Bench):
    def start_cluster(self):
        """(address, processes of two workers) of a scheduler on loopback."""
        scratch = self.path / "cluster"
        scratch.mkdir()
        file = scratch / "scheduler.json"
        self.scheduler = self.start(
            ["dask-scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
            + ["--scheduler-file", str(file)],
            cwd=scratch,
        )
        self.wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        workers = [
            self.start(
                ["dask-worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
                + ["--local-directory", str(scratch / f"worker{i}")],
                cwd=scratch,
            )
            for i in range(2)
        ]
        with distributed.Client(address) as client:
            client.wait_for_workers(2)
        return address, workers

    def test_a_lost_worker_changes_no_byte_of_the_results(self):
        study = self.study(SEEDS)
        self.assertEqual(self.sweep(study, "alone", "--workers", "1").returncode, 0)
        self.use_slow_simulator(0.4)
        address, workers = self.start_cluster()
        sweep = self.start(self.command(study, "lost", "--scheduler", address))
        victim = workers[0]
        self.wait_until(lambda: self.runs_second_point(victim.pid))
        victim.kill()
        self.assertEqual(sweep.wait(), 0)
        self.assertEqual(self.results("lost"), self.results("alone"))
        self.assertEqual([row["status"] for row in self.rows("lost")], ["done"] * 8)
        self.assertEqual({pid for pid, _ in self.starts()}, {one.pid for one in workers})
        unfinished = [point for pid, point in self.starts() if pid == victim.pid][-1]
        self.assertEqual(self.started_ids().count(unfinished), 2)
        self.assertEqual(len(self.starts()), 8 + 1)

    def runs_second_point(self, pid):
        own = [point for parent, point in self.starts() if parent == pid]
        return len(own) == 2

    def test_a_killed_sweep_goes_on_where_it_was(self):
        study = self.study(SEEDS)
        self.assertEqual(self.sweep(study, "reference").returncode, 0)
        self.use_slow_simulator(0.3)
        sweep = self.start(self.command(study, "killed", "--workers", "2"))
        self.wait_until(lambda: len(self.finished_ids("killed")) >= 2)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        self.wait_until(self.nothing_runs)
        finished, before = self.finished_ids("killed"), self.started_ids()
        self.assertLess(len(finished), 8)
        self.assertEqual(self.sweep(study, "killed").returncode, 0)
        after = self.started_ids()[len(before):]
        missing = {row["id"] for row in self.rows("killed")} - finished
        self.assertEqual(sorted(after), sorted(missing))
        self.assertEqual(self.results("killed"), self.results("reference"))

    def nothing_runs(self):
        """Whether no worker and no simulator is left that a sweep has started.

        Each thread is asked: of a killed process the first one may be gone while another one still
        renames the results of a point."""
        mark = f"TMPDIR={self.path}\0".encode()
        for name in glob.iglob("/proc/[0-9]*/task/*/environ"):
            try:
                with open(name, "rb") as file:
                    if mark in file.read():
                        return False
            except OSError:
                continue
        return True

    def use_endless_simulator(self):
        """From now on, runs never end by themselves."""
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        simulator.write_text(simulator.read_text().replace("    sleep 0", "    exec sleep 1000"))

    def test_simulators_end_with_a_sweep_that_is_killed(self):
        self.use_endless_simulator()
        sweep = self.start(self.command(self.study(SEEDS), "out", "--workers", "2"))
        self.wait_until(lambda: len(self.starts()) == 2)
        sweep.send_signal(signal.SIGKILL)
        sweep.wait()
        self.wait_until(self.nothing_runs)
        self.assertEqual(len(self.starts()), 2)

    def test_simulators_end_with_a_sweep_that_is_interrupted_twice(self):
        self.use_endless_simulator()
        sweep = self.start(self.command(self.study(SEEDS), "out", "--workers", "2"))
        self.wait_until(lambda: len(self.starts()) == 2)
        sweep.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        sweep.send_signal(signal.SIGTERM)
        self.assertEqual(sweep.wait(), 5)
        self.wait_until(self.nothing_runs)
        self.assertEqual([row["status"] for row in self.rows("out")], ["not run"] * 8)

    def test_a_search_that_is_interrupted_waits_for_no_simulator(self):
        self.use_endless_simulator()
        study = self.write("search.yaml", f"base: {TOP}/configs/serving/llama3-70b-hgx-h100.yaml\n"
                           "search: {key: workload.serve.requests.rate, from: 1 /s, to: 9 /s}\n")
        sweep = self.start(self.command(study, "out", "--workers", "2"))
        self.wait_until(lambda: len(self.starts()) == 2)
        sweep.send_signal(signal.SIGTERM)
        # Dask would give them half a minute.
        self.assertEqual(sweep.wait(timeout=20), 5)
        self.wait_until(self.nothing_runs)

    def test_an_interrupt_keeps_what_is_finished(self):
        study = self.study(SEEDS)
        self.use_slow_simulator(0.3)
        sweep = self.start(self.command(study, "out", "--workers", "2"))
        self.wait_until(lambda: len(self.finished_ids("out")) >= 1)
        sweep.send_signal(signal.SIGTERM)
        self.assertEqual(sweep.wait(), 5)
        self.wait_until(self.nothing_runs)
        self.assert_rows_of_what_is_finished("out")
        self.assertEqual(self.sweep(study, "out").returncode, 0)
        self.assertEqual(self.sweep(study, "reference").returncode, 0)
        self.assertEqual(self.results("out"), self.results("reference"))

    def test_a_lost_terminal_keeps_what_is_finished(self):
        """Nothing can be written to it any more."""
        study = self.study(SEEDS)
        self.use_slow_simulator(0.3)
        own, terminal = os.openpty()
        sweep = self.start(["setsid", "--ctty", *self.command(study, "out", "--workers", "2")],
                           terminal=terminal)
        os.close(terminal)
        self.wait_until(lambda: len(self.finished_ids("out")) >= 1)
        os.close(own)
        self.assertEqual(sweep.wait(), 5)
        self.wait_until(self.nothing_runs)
        self.assert_rows_of_what_is_finished("out")

    def test_output_that_nobody_reads_any_more_keeps_what_is_finished(self):
        """Ctrl-C, a closed terminal and `kill` often end the reader, such as `tee`, too."""
        self.use_endless_simulator()
        simulator = self.build / "cli/nadi"
        simulator.write_text(simulator.read_text().replace(
            "    exec sleep", '    [[ $* == *"size=1 KiB"* ]] || exec sleep'))
        study = self.study("sweep: {workload.collective.size: [1 KiB, 2 KiB]}\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            out = number.name
            own, pipe = os.pipe()
            sweep = self.start(self.command(study, out, "--workers", "1"), terminal=pipe)
            os.close(pipe)
            self.wait_until(lambda: self.finished_ids(out))
            os.close(own)
            sweep.send_signal(number)
            self.assertEqual(sweep.wait(), 5, out)
            self.wait_until(self.nothing_runs)
            self.assertEqual([row["status"] for row in self.rows(out)], ["done", "not run"])
            table = (self.path / out / "table.txt").read_text()
            self.assertRegex(table, r"\n +1024 .*\n +2 KiB +not run\n")

    def test_a_sweep_goes_on_though_nobody_reads_its_output_any_more(self):
        """Such as after `| head -1`: the table is printed before the figures are drawn."""
        study = self.study("sweep: {workload.collective.size: [1 KiB, 2 KiB]}\n"
                           "plots: [{kind: line, name: times, x: workload.collective.size, "
                           "y: finish_time_ns}]\n")
        own, pipe = os.pipe()
        sweep = self.start(self.command(study, "out", "--workers", "1"), terminal=pipe)
        os.close(pipe)
        os.close(own)
        self.assertEqual(sweep.wait(), 0)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done", "done"])
        self.assertTrue((self.path / "out/plots/times.pdf").exists())

    def assert_rows_of_what_is_finished(self, out):
        finished = self.finished_ids(out)
        self.assertGreaterEqual(len(finished), 1)
        self.assertLess(len(finished), 8)
        rows = self.rows(out)
        self.assertEqual([row["seed"] for row in rows], list("12345678"))
        for row in rows:
            expected = "done" if row["id"] in finished else "not run"
            self.assertEqual(row["status"], expected)
            self.assertEqual(row["finish_time_ns"] != "", row["id"] in finished)

    def test_a_sweep_that_was_stopped_for_longer_than_dask_waits_goes_on(self):
        """As on a machine that slept. Dask gives up a worker after 5 minutes by default, and after
        5 s at least."""
        self.use_slow_simulator(0.3)
        self.environment["DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"] = "1s"
        sweep = self.start(self.command(self.study(SEEDS), "out", "--workers", "1"))
        self.wait_until(lambda: len(self.finished_ids("out")) >= 1)
        sweep.send_signal(signal.SIGSTOP)
        time.sleep(7)
        sweep.send_signal(signal.SIGCONT)
        self.assertEqual(sweep.wait(timeout=60), 0)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done"] * 8)

    def test_a_lost_scheduler_keeps_what_is_finished(self):
        study = self.study(SEEDS)
        self.use_slow_simulator(0.5)
        address, _ = self.start_cluster()
        sweep = self.start(self.command(study, "out", "--scheduler", address))
        self.wait_until(lambda: len(self.finished_ids("out")) >= 2)
        before = self.finished_ids("out")
        self.scheduler.kill()
        self.assertEqual(sweep.wait(), 5)
        rows = {row["id"]: row["status"] for row in self.rows("out")}
        self.assertEqual({rows[point] for point in before}, {"done"})
        self.assertEqual(set(rows.values()), {"done", "not run"})
        self.assertEqual(self.sweep(study, "out").returncode, 0)
        self.assertEqual([row["status"] for row in self.rows("out")], ["done"] * 8)

    def test_a_simulator_that_is_killed_is_a_failure_of_its_point(self):
        study = self.study("sweep: {seed: [1, 2]}\n")
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        dies = "case $* in *seed=1*) kill -KILL $$; esac"
        simulator.write_text(simulator.read_text().replace("    sleep 0", f"    {dies}"))
        self.assertEqual(self.sweep(study, "out").returncode, 5)
        killed, done = self.rows("out")
        self.assertEqual(done["status"], "done")
        self.assertEqual([killed["status"], killed["exit_reason"]],
                         ["failed", "exit -9: killed; the machine may be out of memory"])


if __name__ == "__main__":
    unittest.main()
