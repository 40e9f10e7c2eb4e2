# SPDX-License-Identifier: GPL-2.0-only
"""The page of three runs, of which the first is the base: what it shows is what the files say."""

import json
import unittest

from browser_bench import Page
from compare_bench import RESULTS, rows_of
from pages_bench import data_of, driver, folder, open_page, results
from report_bench import read_summary

PAIRS = {"-b": "fast", "-c": "straggler"}


def picoseconds(texts):
    return [round(1000 * float(text)) for text in texts]


def columns_of(page, table, *heads):
    return [page.exact(table, head) for head in heads]


class Comparison(unittest.TestCase):
    def setUp(self):
        self.page = open_page("comparison")
        fields = json.loads((folder("comparison") / "comparison.json").read_text())
        self.fields = dict(zip(PAIRS, fields["comparisons"], strict=True))

    def test_the_key_that_differs_comes_before_everything_but_the_runs(self):
        sections = [one.get_attribute("id") for one in self.page.all("section")]
        self.assertEqual(sections[:4], ["runs", "configuration", "finish-b", "ranks-b"])
        self.assertEqual(self.page.rows("keys")[0],
                         ["network.dimensions[0].bandwidth", "10 GB/s", "20 GB/s", "10 GB/s"])
        keys = [one[0] for one in self.page.rows("keys")]
        for fields in self.fields.values():
            self.assertLessEqual({one["key"] for one in fields["configuration"]}, set(keys))

    def test_times_stand_side_by_side(self):
        names = ["base", *PAIRS.values()]
        finish = [read_summary(RESULTS / name)["finish_time_ns"] for name in names]
        self.assertEqual([float(one) for one in self.page.exact("runs-table", "finish")], finish)
        sums = [sum(values) for values in zip(*(one["y"] for one in self.page.traces("times")))]
        for shown, time in zip(sums, finish, strict=True):
            self.assertAlmostEqual(shown / sums[0], time / finish[0], places=6)

    def test_the_parts_are_those_of_the_json_and_add_up_exactly(self):
        for suffix, fields in self.fields.items():
            parts = fields["finish_time"]["parts"]
            for head, name in (("A", "before_ps"), (suffix[1:].upper(), "after_ps"),
                               ("difference", "difference_ps")):
                *shown, total = picoseconds(self.page.exact(f"parts{suffix}", head))
                self.assertEqual(shown, [one[name] for one in parts])
                self.assertEqual(sum(shown), total)
                self.assertEqual(total, fields["finish_time"][name])

    def test_the_bars_lead_from_one_finish_time_to_the_other(self):
        for suffix, fields in self.fields.items():
            trace, = self.page.traces(f"difference{suffix}")
            changed = [one for one in fields["finish_time"]["parts"] if one["difference_ps"]]
            self.assertEqual(trace["x"], [*(one["part"] for one in changed), "difference"])
            *steps, total = trace["y"]
            self.assertAlmostEqual(sum(steps), total, places=9)
            for step, one in zip(steps, changed):
                share = one["difference_ps"] / fields["finish_time"]["difference_ps"]
                self.assertAlmostEqual(step / total, share, places=9)

    def test_bars_of_each_rank_add_up_to_its_finish_in_both_runs(self):
        for suffix, name in PAIRS.items():
            traces = self.page.traces(f"ranks-chart{suffix}")
            own = suffix[1:].upper()
            finish = {f"{row['rank']} {letter}": float(row["finish_ns"])
                      for letter, run in (("A", "base"), (own, name))
                      for row in rows_of(run, "ranks")}
            self.assertEqual(set(traces[0]["x"]), set(finish))
            sums = {bar: sum(one["y"][place] for one in traces)
                    for place, bar in enumerate(traces[0]["x"])}
            for bar, time in finish.items():
                self.assertAlmostEqual(sums[bar] / sums["0 A"], time / finish["0 A"], places=5)

    def test_collectives_have_the_times_of_the_files_and_the_largest_difference_first(self):
        times = [{(row["name"], row["communicator"]): round(
            1e3 * (float(row["end_ns"]) - float(row["begin_ns"])))
            for row in rows_of(name, "collectives")} for name in ("base", "fast")]
        names, groups, *shown = columns_of(self.page, "matches-b", "name", "communicator", "A", "B",
                                           "difference")
        before, after, differences = map(picoseconds, shown)
        for key, old, new in zip(zip(names, groups), before, after):
            self.assertEqual((old, new), (times[0][key], times[1][key]))
        self.assertEqual(differences, [new - old for old, new in zip(before, after)])
        self.assertGreater(len(names), 5)
        self.assertEqual(differences, sorted(differences, key=lambda one: -abs(one)))

    def test_collectives_are_sorted_and_searched(self):
        self.page.sort("matches-b", "B")
        longest = picoseconds(self.page.exact("matches-b", "B"))
        self.assertEqual(longest, sorted(longest, reverse=True))
        wanted = rows_of("base", "collectives")[0]["name"]
        self.page.filter("matches-b", "name", wanted)
        self.assertEqual(set(self.page.exact("matches-b", "name")), {wanted})
        self.page.filter("matches-b", "name", "")

    def test_links_that_differ_most_come_first_with_the_utilization_of_the_files(self):
        used = [{(row["from"], row["to"]): float(row["utilization"])
                 for row in rows_of(name, "links")} for name in ("base", "fast")]
        one, other, *shown = columns_of(self.page, "links-table-b", "from", "to", "used A",
                                        "used B", "used difference")
        old, new, differences = ([float(text) for text in texts] for texts in shown)
        for ends, *pair in zip(zip(one, other), old, new):
            self.assertEqual(pair, [used[0][ends], used[1][ends]])
        everything = sorted((abs(used[1][ends] - used[0][ends]) for ends in used[0]), reverse=True)
        for shown, difference in zip(differences, everything):
            self.assertAlmostEqual(abs(shown), difference, places=9)

    def test_a_run_and_itself_are_said_to_be_the_same(self):
        file = RESULTS / "same.html"
        results().nadi("compare", RESULTS / "base", RESULTS / "base", "--report", file)
        same = Page(driver(), file)
        open_page.cache_clear()
        self.assertIn("A and B are the same: nothing differs.", same.find("#runs").text)
        self.assertEqual([one.get_attribute("id") for one in same.all("section")],
                         ["runs", "configuration"])

    def test_parts_of_several_comparisons_have_names_of_their_own(self):
        names = list(data_of("comparison")["parts"])
        for suffix in PAIRS:
            self.assertIn(f"matches{suffix}", names)
