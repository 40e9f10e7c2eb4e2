#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Numbers that nearly agree, and columns and keys with similar names, stay apart on a page."""

import types
import unittest

from browser_bench import Page
from pages_bench import driver, results
from report_bench import PAIR, read_csv

from report.compared.configuration import ABSENT, rows_of
from report.parts import encode_numbers
from report.sweep_page import Points
from report.text_tables import make_column, written_column
from studies.compare.configuration import differences

LOSS = "network.faults[0].loss"
SIZE = "workload.collective.size"
LOSSES = ["1e-5", "1e-4", "4e-4"]
SIZES = ["4 KiB", "8192 B"]
STUDY = f"""
base: lossy.yaml
sweep:
  {SIZE}: {SIZES}
  {LOSS}: [{", ".join(LOSSES)}]
"""
LOSSY = PAIR + """  faults: [{at: 0 ns, link: all, loss: 0.5}]
workload: {collective: {type: all-reduce, size: 4 KiB}}
"""


class SmallValues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        results().write("lossy.yaml", LOSSY)
        study = results().write("losses.yaml", STUDY)
        results().nadi("sweep", study, "--out", "losses", "--report")
        cls.rows = read_csv(results().path / "losses/results.csv")
        cls.page = Page(driver(), results().path / "losses/report.html")

    def test_each_value_is_a_series_of_its_own(self):
        traces = self.page.traces("explorer")
        self.assertEqual([one["name"] for one in traces], LOSSES)
        for trace in traces:
            own = [row for row in self.rows if row[LOSS] == trace["name"]]
            self.assertEqual(trace["x"], [4, 8])  # in the unit of the first size
            times = [float(row["finish_time_ns"]) / 1e3 for row in own]
            for shown, time in zip(trace["y"], times, strict=True):
                self.assertAlmostEqual(shown, time, places=9)

    def test_cells_show_what_the_study_says_and_sort_as_numbers(self):
        self.page.sort("points-table", LOSS)
        column, = (place for place, head in enumerate(self.page.heads("points-table"))
                   if head == LOSS)
        shown = [row[column] for row in self.page.rows("points-table")]
        self.assertEqual(shown, [loss for loss in reversed(LOSSES) for _ in SIZES])
        self.assertEqual(self.page.exact("points-table", SIZE), SIZES * len(LOSSES))

    def test_filters_take_small_numbers(self):
        for text, count in (("1e-5..1e-4", 4), ("< 1e-4", 2), ("4e-4", 2)):
            self.page.filter("points-table", LOSS, text)
            self.assertEqual(len(self.page.rows("points-table")), count, text)
        self.page.filter("points-table", LOSS, "")

    def test_the_numbers_of_a_chart_are_not_rounded_to_0(self):
        self.choose("Horizontal axis:", LOSS)
        self.addCleanup(self.choose, "Horizontal axis:", SIZE)
        part = self.page.part("explorer")
        self.page.click(part + " summary")
        self.page.wait_for(lambda: self.page.all(part + " details tbody tr"))
        shown = {row[1] for row in self.page.rows("explorer")}
        self.assertEqual({float(one) for one in shown}, set(map(float, LOSSES)))

    def choose(self, label, option):
        choose(self.page, label, option)


def choose(page, label, option):
    page.run("""const label = [...document.querySelectorAll(".choice")].find(
        one => one.textContent.startsWith(arguments[0]));
        const select = label.querySelector("select"); select.value = arguments[1];
        select.dispatchEvent(new Event("change"));""", label, option)


class ThreeKeys(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        base = results().write("three.yaml", PAIR + "  backend: analytical\nworkload: {collective: "
                               "{type: all-reduce, size: 64 KiB}}\n")
        study = results().write("three-keys.yaml", f"base: {base.name}\nsweep:\n  {SIZE}: {SIZES}\n"
                                "  system.chunks: [1, 2]\n  seed: [1, 2, 3]\n")
        results().nadi("sweep", study, "--out", "three", "--report")
        cls.page = Page(driver(), results().path / "three/report.html")

    def modes(self):
        self.page.traces("explorer")
        return self.page.run("return document.querySelector(arguments[0]).data.map(t => t.mode)",
                             self.page.part("explorer") + " .plot")

    def test_a_line_joins_points_that_differ_in_nothing_but_its_axis(self):
        traces = self.page.traces("explorer")
        self.assertEqual([one["name"] for one in traces],
                         [f"{chunks}, {seed}" for chunks in (1, 2) for seed in (1, 2, 3)])
        for trace in traces:
            self.assertEqual(trace["x"], [4, 8])
        self.assertEqual(self.modes(), ["lines+markers"] * 6)

    def test_points_that_differ_in_other_keys_too_have_no_line(self):
        choose(self.page, "Series:", "system.chunks")
        self.addCleanup(choose, self.page, "Series:", "all other keys")
        self.assertEqual([len(one["x"]) for one in self.page.traces("explorer")], [6, 6])
        self.assertEqual(self.modes(), ["markers"] * 2)

    def test_points_without_a_place_on_a_logarithmic_axis_are_counted(self):
        for label, option in (("Vertical axis:", "compute"), ("Scale:", "logarithmic")):
            choose(self.page, label, option)
        left = self.page.find(self.page.part("explorer") + " [role=status]").text
        self.assertTrue(left.endswith(": 12."), left)  # no rank computes
        for label, option in (("Scale:", "linear"), ("Vertical axis:", "finish time")):
            choose(self.page, label, option)
        self.assertEqual(self.page.find(self.page.part("explorer") + " [role=status]").text, "")


class Columns(unittest.TestCase):
    def test_written_values_keep_their_texts(self):
        column = written_column("size", ["1 MiB", "", "512 KiB"])
        self.assertEqual((column.values[0], column.values[2], column.unit), (1, 0.5, "MiB"))
        self.assertEqual(column.data()["texts"]["words"], ["1 MiB", "", "512 KiB"])
        self.assertEqual(written_column("x", ["auto", "1"]).unit, None)

    def test_a_key_that_is_named_as_a_result_has_no_unit_of_results(self):
        self.assertEqual(written_column("lag_ns", ["5", "7"]).unit, "")
        self.assertEqual(make_column("lag_ns", ["5", "7"]).unit, "ns")

    def test_columns_whose_words_agree_have_their_names(self):
        keys = ["finish time", "seed"]
        points = Points([], ["id", *keys, "finish_time_ns", "packet_hops"], keys)
        self.assertEqual(points.titles(), {
            "id": "id", "finish time": "finish time", "seed": "seed",
            "finish_time_ns": "finish_time_ns", "packet_hops": "packet hops"})

    def test_numbers_beyond_those_of_doubles_do_not_wrap_around(self):
        self.assertEqual(encode_numbers([2.0**64, 1]), [2.0**64, 1.0])
        self.assertEqual(encode_numbers([3.0, float("nan")]), [3.0, None])


class Compared(unittest.TestCase):
    """Of more than two runs, each is held against the first."""

    def rows(self, *values):
        runs = [types.SimpleNamespace(configuration={"system": {"order": one}}) for one in values]
        first = runs[0]
        return rows_of([types.SimpleNamespace(before=first, after=other, keys=[*differences(
            first.configuration, other.configuration, "")]) for other in runs[1:]])

    def test_keys_that_differ_at_several_depths_show_what_each_run_has(self):
        near, far = {"name": "near", "by": "2"}, {"name": "near", "by": "3"}
        self.assertEqual(self.rows(near, "plain", far), {
            "system.order": ['{"name": "near", "by": "2"}', "plain",
                             '{"name": "near", "by": "3"}'],
            "system.order.by": ["2", ABSENT, "3"]})

    def test_lists_of_several_lengths_show_what_each_run_has(self):
        self.assertEqual(self.rows(["a"], ["b"], []), {
            "system.order[0]": ["a", "b", ABSENT], "system.order": ['["a"]', '["b"]', "[]"]})


if __name__ == "__main__":
    unittest.main()
