#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""docs/results-in-python.md runs as written (page_bench), its figures are drawn, and what it says of the
rows of each table is true of the results that it reads."""

import json
import os
import re
import unittest

from page_bench import PageBench
from study_bench import TOP

os.environ.setdefault("MPLBACKEND", "Agg")  # the tests have no screen
PAGE = TOP / "docs/results-in-python.md"
NAME = re.compile(r"`(\w+)`")


def row_keys():
    """{table: the columns that tell its rows apart}, as the page's table has them."""
    lines = PAGE.read_text().split("| what tells its rows apart |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [line.strip("|").split("|") for line in lines.splitlines()]
    return {table: NAME.findall(keys) for tables, keys in rows for table in NAME.findall(tables)}


class ResultsInPython(PageBench):
    def test_the_page_runs_as_written(self):
        commands, cells = self.run_page(PAGE)
        self.assertGreater(commands, 3)
        self.assertGreater(cells, 8)
        for name in ["exposed.png", "utilization.png"]:
            self.assertGreater((self.path / name).stat().st_size, 1000)
        self.check_keys()

    def check_keys(self):
        checked = set()
        for table, keys in row_keys().items():
            for run in [self.path / "results/gpt3", self.path / "results/serve"]:
                if (run / f"{table}.csv").exists() and table != "links":  # some links are parallel
                    frame = self.cells["read_frame"](run, table)
                    self.assertFalse(frame.duplicated(keys).any(), table)
                    checked.add(table)
        self.assertGreater(len(checked), 6)

    def test_every_table_has_its_key(self):
        known = json.loads((TOP / "scripts/studies/columns.json").read_text())
        self.assertEqual(set(row_keys()), set(known))


if __name__ == "__main__":
    unittest.main()
