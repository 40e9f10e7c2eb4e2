#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The benchmarks' command line and what they need to be built; the comparison of backends."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("NADI_BUILD", TOP / "build"))


def bench(build, *words):
    return subprocess.run([TOP / "scripts/bench.py", "--build", build, *words],
                          capture_output=True, text=True)


class Benchmarks(unittest.TestCase):
    def test_the_programs_that_it_names_are_all_that_it_needs(self):
        programs = bench(BUILD, "--programs").stdout.split()
        self.assertIn("cli/nadi", programs)
        with tempfile.TemporaryDirectory() as other:
            for name in programs:
                link = pathlib.Path(other, name)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(BUILD / name)
            done = bench(other, "--json", "--runs", "1", "--only", "halving-doubling")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(len(result["cases"]), 1)
        self.assertEqual(result["event_core"], [])

    def test_what_is_not_built_is_named(self):
        done = bench("/nowhere")
        self.assertEqual(done.returncode, 69)
        self.assertEqual(done.stderr.count("\n"), 1)
        for program in bench(BUILD, "--programs").stdout.split():
            self.assertIn(program, done.stderr)

    def test_wrong_command_lines_run_nothing(self):
        for words, problem in [
            (["--runs", "0"], "--runs takes a whole number from 1"),
            (["--only", "nothing like it"], 'no case has "nothing like it" in its name'),
        ]:
            done = bench(BUILD, *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(problem, done.stderr)

    def test_help_builds_nothing(self):
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(TOP / "scripts", pathlib.Path(copy, "scripts"))
            done = subprocess.run([pathlib.Path(copy, "scripts/nadi"), "bench", "--help"],
                                  capture_output=True, text=True)
            self.assertFalse(pathlib.Path(copy, "build").exists())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("usage: nadi bench"))


class Comparisons(unittest.TestCase):
    def test_the_jobs_that_are_asked_for_are_compared(self):
        words = [TOP / "scripts/compare-backends", "--only", "16 KiB, switch", BUILD / "cli/nadi"]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, job = done.stdout.splitlines()
        self.assertEqual(head.split(), ["job", "links", "packet", "flow", "its", "messages",
                                        "analytical"])
        # Nobody shares a link: fair rates are those of the packets, and so is the formula.
        self.assertRegex(job, r"^ring all-reduce 16 KiB, switch of 8 +alone +\S+ us +\+0.00%")


if __name__ == "__main__":
    unittest.main()
