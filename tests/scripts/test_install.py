#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What `cmake --install` puts down is whole: the program finds the scripts that lie beside it."""

import os
import subprocess
import unittest

from study_bench import BUILD, SECONDS_AT_MOST, Bench

PYTHON = "/usr/bin/python3"


class Installed(Bench):
    def install(self):
        """The program of a fresh installation."""
        prefix = self.path / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True,
                       capture_output=True, timeout=SECONDS_AT_MOST)
        return prefix / "bin/nadi"

    def run_at_home(self, *words):
        """A command of a user who has `nadi` on the PATH, in a directory of their own."""
        home = self.path / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_AT_MOST,
                              cwd=home, env=self.environment)

    def test_a_sweep_runs_and_draws(self):
        program = self.install()
        self.environment |= {"PATH": f"{program.parent}:{os.environ['PATH']}"}
        self.study("sweep: {seed: [1, 2]}\n"
                   "plots: [{kind: line, x: seed, y: finish_time_ns, name: it}]\n")
        done = self.run_at_home("nadi", "sweep", "../study.yaml", "--workers", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.rows("home/results/study")], ["done"] * 2)
        self.assertTrue((self.path / "home/results/study/plots/it.png").exists())
        wrong = self.run_at_home("nadi", "sweep", "none.yaml")
        self.assertEqual(wrong.returncode, 3)
        self.assertEqual(wrong.stderr,
                         'nadi sweep: cannot read "none.yaml": No such file or directory\n')

    def test_a_validation_finds_its_presets(self):
        """By the closed form, which needs no library in the simulator."""
        program = self.install()
        self.write("huge.csv", "size_bytes,time_us,algbw_GBps,busbw_GBps\n1048576,900,1.2,1.2\n")
        self.write("huge.yaml", "{collective: alltoall, ranks: 2160, nodes: 270, gpu: H100, "
                   "inter_link: InfiniBand, inter_Gbps_per_gpu: 400}\n")
        script = program.parents[1] / "share/nadi/scripts/validate.py"
        done = self.run_at_home(PYTHON, script, "--simulator", program, "../huge.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept = self.path / "home/results/validation/validation.csv"
        self.assertIn("closed-form", kept.read_text())

    def test_without_its_scripts_it_says_so(self):
        program = self.install()
        (program.parents[1] / "share/nadi/scripts/sweep.py").unlink()
        done = self.run_at_home(program, "sweep", "../study.yaml")
        self.assertEqual(done.returncode, 69)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn('share/nadi/scripts/sweep.py", which comes with the program', done.stderr)


if __name__ == "__main__":
    unittest.main()
