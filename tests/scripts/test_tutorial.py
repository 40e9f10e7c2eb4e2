#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tutorial runs as written (page_bench)."""

import unittest

from page_bench import PageBench
from study_bench import TOP


class Tutorial(PageBench):
    def test_the_tutorial_runs_as_written(self):
        commands, _ = self.run_page(TOP / "docs/tutorial.md")
        self.assertGreater(commands, 4)


if __name__ == "__main__":
    unittest.main()
