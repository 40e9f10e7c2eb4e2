#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tutorial runs as written, and page_bench finds what a page leaves out."""

import unittest

from page_bench import PageBench
from study_bench import TOP


class Tutorial(PageBench):
    def test_the_tutorial_runs_as_written(self):
        commands, _ = self.run_page(TOP / "docs/tutorial.md")
        self.assertGreater(commands, 4)

    def test_what_a_page_leaves_out_of_an_output_is_marked(self):
        for shown in ("a\nb  b\n", "b b\nc\n...\ne", "...\nd\ne", "a\n...\n...\nc"):
            self.assert_shows(shown, "a\nb b\nc\nd\ne\n")
        for shown in ("a\nc", "b b\n...\na", "c\n...\nc", "a\n...\nb b\nd"):
            with self.assertRaises(AssertionError, msg=shown):
                self.assert_shows(shown, "a\nb b\nc\nd\ne\n")


if __name__ == "__main__":
    unittest.main()
