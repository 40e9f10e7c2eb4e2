# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of `nadi validate` share: tables, runs of the command, a simulator that logs."""

import csv
import json
import os
import pathlib
import subprocess

from measured_bench import NODE, TOP, MeasuredBench

BUILD = pathlib.Path(os.environ.get("NADI_BUILD", TOP / "build"))
VALIDATE = TOP / "scripts/validate.py"
SECONDS_AT_MOST = 300  # ends only what hangs
MIB = 1 << 20

# To this simulator all libraries are plain, and all nodes have a switch, so that a test can derive
# the times that it expects. It logs its runs, and takes its time for each.
STAND_IN = """#!/bin/bash
case $1 in
config) sed -i -e 's/library: {{.*}}/library: plain/' -e '/inside: mesh/d' "$2" ;;
run) echo "$*" >>{log}; sleep {delay} ;;
esac
exec {simulator} "$@"
"""

# Four NPUs on a ring; its workload is not that of a table.
CONFIG = """
workload: {trace: unused.et}
network:
  dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]
"""


class ValidateBench(MeasuredBench):
    def setUp(self):
        super().setUp()
        self.use_simulator()

    def use_simulator(self, delay=0):
        self.simulator = self.write("nadi", STAND_IN.format(
            log=self.path / "starts", delay=delay, simulator=BUILD / "cli/nadi"))
        self.simulator.chmod(0o755)

    def command(self, *words):
        out = self.path / "out"
        return [VALIDATE, "--simulator", self.simulator, "--out", out, "--workers", "1", *words]

    def validate(self, *words):
        """The process that ended."""
        return subprocess.run(self.command(*words), capture_output=True, text=True,
                              cwd=self.path, timeout=SECONDS_AT_MOST)

    def starts(self):
        log = self.path / "starts"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def rows(self):
        with open(self.path / "out/validation.csv", newline="") as stream:
            return list(csv.DictReader(stream))

    def scores(self):
        return json.loads((self.path / "out/validation.json").read_text())

    def send_receive(self, name, factor=1.0, sizes=(16 * MIB, 64 * MIB), **keys):
        """A table of eight GPUs that all send to the next, measured as the wire time times a
        factor."""
        rows = [(size, factor * size / 450e3) for size in sizes]
        return self.table(name, NODE | {"collective": "sendrecv"} | keys, rows)
