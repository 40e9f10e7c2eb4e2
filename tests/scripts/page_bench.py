# SPDX-License-Identifier: GPL-2.0-only
"""Runs a page as written: its files, its commands and its Python in their order, and what it shows of
their output.

A YAML block that begins with the comment `# NAME.yaml` is that file. Of an `sh` block each command
runs. A `python` block runs in the namespace of those before it, as the cells of a notebook do. A block
without a language after them is the output, where `...` stands for lines left out.
"""

import contextlib
import io
import os
import re
import subprocess

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.yaml)\n")
VARIES = re.compile(r"simulated in [0-9.]+ s|\s+")  # from run to run, or with the width of columns


def same(line):
    return VARIES.sub(" ", line).strip()


def runs_of_lines(shown):
    """Lists of the lines between those of `...`."""
    runs = [[]]
    for line in map(same, shown.splitlines()):
        if line == "...":
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


class PageBench(Bench):
    def setUp(self):
        """A reader is at the top of the tree."""
        super().setUp()
        (self.path / "configs").symlink_to(TOP / "configs")
        (self.path / "scripts").mkdir()
        (self.path / "scripts/nadi").symlink_to(BUILD / "cli/nadi")
        self.environment = os.environ | {"COLUMNS": "100"}
        self.cells = {"__name__": "__main__"}

    def type(self, command):
        done = subprocess.run(
            command,
            shell=True,
            cwd=self.path,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS_AT_MOST,
        )
        self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
        return done.stdout + done.stderr

    def execute(self, cell):
        output = io.StringIO()
        before = os.getcwd()
        os.chdir(self.path)
        try:
            with contextlib.redirect_stdout(output):
                exec(compile(cell, "a block of the page", "exec"), self.cells)
        finally:
            os.chdir(before)
        return output.getvalue()

    def assert_shows(self, shown, output):
        """Lines that follow each other in the output too; where `...` stands, others are between."""
        left = [same(line) for line in output.splitlines()]
        for run in runs_of_lines(shown):
            places = [place for place in range(len(left) - len(run) + 1)
                      if left[place:place + len(run)] == run]
            self.assertTrue(places, "\n".join(["not one after the other:", *run, "in", output]))
            left = left[places[0] + len(run):]

    def run_page(self, page):
        """How many commands and how many blocks of Python the page has."""
        commands, cells, output = 0, 0, ""
        for kind, body in BLOCK.findall(page.read_text()):
            if kind == "yaml" and (name := FILE.match(body)):
                self.write(name[1], body)
            elif kind == "sh":
                for command in body.replace("\\\n", " ").splitlines():
                    output = self.type(command)
                    commands += 1
            elif kind == "python":
                output = self.execute(body)
                cells += 1
            elif kind == "":
                self.assert_shows(body, output)
        return commands, cells
