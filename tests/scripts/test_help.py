#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of every page of help run, in the order of the pages, in one folder: what one of
them writes, others read. Left out is only what needs files of the user's own.
"""

import os
import re
import subprocess
import unittest

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

# What a user brings, by a part of its name; other tests have such files.
OF_THE_USER = {
    " w/": "inputs of ASTRA-sim",
    "recorded": "a recording of a job",
    "host.": "a recording by PyTorch",
    "et/rank": "a recording by PyTorch",
    "gpt3.txt": "a text workload",
    "measured/": "measured tables",
    "all_reduce.log": "a measured table",
    "table.csv": "a measured table",
    "step.yaml": "a measured iteration",
    "host:8786": "a scheduler that runs",
    "1a2b3c4d5e6f": "the name of a point",
    "configs/studies/": "minutes; test_studies runs them at a reduced size",
}

# What the pages call c.yaml and study.yaml.
CONFIG = """
workload: {trace: configs/workloads/mlp-six-layers.et}
network: configs/networks/torus-8x8.yaml
"""
STUDY = """
base: base.yaml
sweep:
  network.dimensions[0].bandwidth: [31 GB/s, 62 GB/s]
"""


def section(page, title):
    """The lines below the title, up to an empty one."""
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", page, re.MULTILINE | re.IGNORECASE)
    return found[1].splitlines() if found else []


def commands_of(page):
    return [re.split(r"\s{2,}", line.strip())[0] for line in section(page, "subcommands")]


def examples_of(page):
    """Behind two spaces and more stands what an example does."""
    return [re.split(r"\s{2,}", line.strip())[0] for line in section(page, "examples")]


def is_of_the_user(example):
    return any(part in example for part in OF_THE_USER)


class Help(Bench):
    known_pages = {}  # of all tests: by command

    def setUp(self):
        super().setUp()
        (self.path / "configs").symlink_to(TOP / "configs")
        self.write("c.yaml", CONFIG)
        self.write("study.yaml", STUDY)
        (self.path / "programs").mkdir()
        (self.path / "programs/nadi").symlink_to(BUILD / "cli/nadi")
        self.environment["PATH"] = f"{self.path / 'programs'}:{os.environ['PATH']}"

    def type(self, command):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.path,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS_AT_MOST,
        )

    def page(self, name):
        if name not in self.known_pages:
            done = self.type(f"{name} --help")
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
            self.known_pages[name] = done.stdout
        return self.known_pages[name]

    def pages(self, name):
        """[(command, examples)] of the commands of a command, and of theirs."""
        found = []
        for nested in commands_of(self.page(name)):
            own = f"{name} {nested}"
            found += [(own, examples_of(self.page(own))), *self.pages(own)]
        return found

    def test_each_page_has_examples_of_its_own(self):
        pages = self.pages("nadi")
        self.assertGreater(len(pages), 25)
        whose = {}
        for name, examples in pages:
            with self.subTest(name):
                self.assertTrue(examples)
                for example in examples:
                    self.assertEqual(example.split()[:2], name.split()[:2])
                    self.assertNotIn(example, whose, f"{whose.get(example)} has it too")
                    whose[example] = name

    def test_the_first_page_shows_examples_of_the_others(self):
        others = {example for _, examples in self.pages("nadi") for example in examples}
        shown = examples_of(self.page("nadi"))
        self.assertEqual(len(shown), len(commands_of(self.page("nadi"))))
        self.assertLessEqual(set(shown), others)

    def test_the_examples_run_in_the_order_of_the_pages(self):
        ran, left = 0, set()
        for name, examples in self.pages("nadi"):
            for example in examples:
                left |= {part for part in OF_THE_USER if part in example}
                if not is_of_the_user(example):
                    done = self.type(example)
                    with self.subTest(name, example=example):
                        self.assertEqual(done.returncode, 0, done.stderr)
                    ran += 1
        self.assertGreater(ran, 40)
        self.assertEqual(left, set(OF_THE_USER), "no example is left out for the others")


if __name__ == "__main__":
    unittest.main()
