#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The program of docs/chakra-traces.md writes traces that run, and take as long as they should."""

import json
import re
import subprocess
import sys
import unittest

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

PAGE = TOP / "docs/chakra-traces.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NS_PER_US = 1000


def blocks(wanted):
    return [body for kind, body in BLOCK.findall(PAGE.read_text()) if kind == wanted]


class TraceWriting(Bench):
    def run_in_folder(self, *words):
        done = subprocess.run(
            words, cwd=self.path, capture_output=True, text=True, timeout=SECONDS_AT_MOST
        )
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def setUp(self):
        super().setUp()
        command, configuration = blocks("")
        (program,) = blocks("python")
        (self.path / "proto").symlink_to(TOP / "proto")
        self.run_in_folder(*command.split())
        self.write("write.py", program)
        self.run_in_folder(sys.executable, "write.py")
        self.write("pair.yaml", configuration)

    def test_the_program_is_as_short_as_it_says(self):
        (program,) = blocks("python")
        lines = [line for line in program.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 25)

    def test_nothing_is_noted(self):
        found = self.run_in_folder(BUILD / "cli/nadi", "check", "pair.yaml")
        self.assertIn("2 all-reduce, 2 compute, 1 receive, 1 send", found)
        self.assertNotIn("note:", found)

    def test_the_job_takes_as_long_as_it_should(self):
        self.run_in_folder(BUILD / "cli/nadi", "run", "pair.yaml", "--quiet", "--out", "out")
        summary = json.loads((self.path / "out/summary.json").read_text())
        self.assertEqual(summary["warnings"], [])
        # 100 us of compute; each rank of two sends all the buffer, half in each of two phases;
        # then 64 KiB. At 50 bytes a nanosecond, with at most a tenth more for headers and latency.
        bytes_sent = (1 << 20) + (1 << 16)
        least = 100 * NS_PER_US + bytes_sent / 50
        self.assertGreater(summary["finish_time_ns"], least)
        self.assertLess(summary["finish_time_ns"], 1.2 * least)


if __name__ == "__main__":
    unittest.main()
