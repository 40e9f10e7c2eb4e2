# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of studies share: scratch folders, small studies, a simulator that keeps a log.

NADI_BUILD is the build whose simulator they run.
"""

import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("NADI_BUILD", TOP / "build"))
SWEEP = TOP / "scripts/sweep.py"
SECONDS_AT_MOST = 300  # of anything that a test waits for; machines differ, this ends only what hangs

sys.path.insert(0, str(TOP / "scripts"))

# Two NPUs; a run takes some milliseconds.
BASE = """
workload:
  collective: {type: all-reduce, size: 64 KiB}
network:
  backend: analytical
  dimensions:
    - {shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}
"""

# Counts its starts, with the process that started it, and takes its time.
SLOW_SIMULATOR = """#!/bin/bash
if [ "$1" = run ]; then
    echo "$PPID $*" >>{log}
    sleep {delay}
fi
exec {simulator} "$@"
"""


class Bench(unittest.TestCase):
    """A scratch folder with base.yaml; `self.build` is the build whose simulator the sweeps run."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)
        self.build = BUILD
        self.environment = os.environ | {"TMPDIR": scratch.name}  # who is killed leaves it there
        self.write("base.yaml", BASE)

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def study(self, text, name="study.yaml"):
        return self.write(name, "base: base.yaml\n" + text)

    def use_slow_simulator(self, delay):
        """From now on, runs take at least `delay` seconds and are logged."""
        self.build = self.path / "build"
        self.write("build/cli/nadi", SLOW_SIMULATOR.format(
            log=self.path / "starts", delay=delay, simulator=BUILD / "cli/nadi"
        )).chmod(0o755)

    def use_held_simulator(self):
        """From now on, runs are logged and wait until they are released."""
        self.use_slow_simulator(0)
        simulator = self.build / "cli/nadi"
        held = f'    until [ -e {self.path}/released ]; do sleep 0.05; done'
        simulator.write_text(simulator.read_text().replace("    sleep 0", held))

    def release_simulators(self):
        self.write("released", "")

    def pretend_build(self, name):
        """From now on, the slow simulator says that it is of this build."""
        simulator = self.build / "cli/nadi"
        lines = [line for line in simulator.read_text().splitlines() if "--version" not in line]
        lines.insert(1, f'[ "$1" = --version ] && echo "nadi 1 (build {name})" && exit')
        simulator.write_text("\n".join(lines) + "\n")

    def starts(self):
        """(process that started it, id of the point) of every run so far."""
        log = self.path / "starts"
        lines = log.read_text().splitlines() if log.exists() else []
        found = [re.match(r"(\d+) .*/points/([0-9a-f]{12})\b", line) for line in lines]
        return [(int(one[1]), one[2]) for one in found]

    def started_ids(self):
        return [point for _, point in self.starts()]

    def command(self, study, out, *words):
        simulator = ["--simulator", str(self.build / "cli/nadi")]
        return [SWEEP, *simulator, str(study), "--out", str(self.path / out), *words]

    def sweep(self, study, out, *words):
        """The process of a sweep that ended."""
        return subprocess.run(
            self.command(study, out, *words),
            capture_output=True,
            text=True,
            timeout=SECONDS_AT_MOST,
            cwd=self.path,
            env=self.environment,
        )

    def start(self, words, cwd=None, terminal=subprocess.DEVNULL):
        """A process that is killed with the test."""
        process = subprocess.Popen(words, stdin=terminal, stdout=terminal, stderr=terminal,
                                   cwd=cwd or self.path, env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, holds):
        end = time.monotonic() + SECONDS_AT_MOST
        while not holds():
            self.assertLess(time.monotonic(), end, "it never came to hold")
            time.sleep(0.02)

    def finished_ids(self, out):
        """The points whose result is complete. A run writes to a hidden directory first."""
        return {file.parent.name for file in (self.path / out).glob("points/[!.]*/summary.json")}

    def results(self, out):
        return (self.path / out / "results.csv").read_bytes()

    def rows(self, out):
        return list(csv.DictReader(io.StringIO(self.results(out).decode())))
