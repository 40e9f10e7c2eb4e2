#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The charts of a report that group ranks by their places in the logical dimensions."""

import types
import unittest

import pandas
from report_bench import Results

from report.sections.time_use import by_place, make_section
from report.stack import places_of
from studies.results.problems import DamagedResult
from studies.results.result_directory import ResultDirectory

# Rank r stands on NPU 8 r mod 127, the last one on NPU 127: the first 16 ranks, which alone have
# something to do, have place 0 in the dimension of 8.
PLACEMENT = [8 * rank % 127 for rank in range(127)] + [127]
ACROSS = f"""
workload:
  ranks: 128
  placement: {PLACEMENT}
  flows: [{", ".join(f"{{src: {rank}, dst: {(rank + 1) % 16}, size: 1 MB}}" for rank in range(16))}]
network:
  backend: flow
  dimensions:
    - {{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 ns}}
    - {{shape: ring, size: 16, bandwidth: 25 GB/s, latency: 500 ns}}
"""


class Result:
    """Some ranks on their NPUs, with these settings: {(key, ...): value}."""

    def __init__(self, npus, settings):
        self.summary = {"ranks": len(npus)}
        self.ranks = pandas.DataFrame({"rank": range(len(npus)), "npu": npus})
        self.settings = settings

    def table(self, _):
        return self.ranks

    def setting(self, *keys):
        return self.settings.get(keys)

    def file_of(self, name):
        return f"{name}.csv"

    def places(self):
        return [(size, list(places)) for size, places in places_of(self)]


class Places(unittest.TestCase):
    STACK = {("network", "dimensions"): [{"size": "2"}, {"size": "3"}]}
    NODES = {("network", "topology", "npus-per-node"): "2"}

    def test_in_dimensions_of_the_network_a_rank_is_where_its_npu_is(self):
        self.assertEqual(Result([4, 1, 2], self.STACK).places(),
                         [(2, [0, 1, 0]), (3, [2, 0, 1])])

    def test_in_nodes_it_is_where_its_npu_is_among_those_that_are_used(self):
        self.assertEqual(Result([9, 4, 8, 5], self.NODES).places(),
                         [(2, [1, 0, 0, 1]), (2, [1, 0, 1, 0])])
        self.assertEqual(Result([9, 4, 6], self.NODES).places(),
                         [(1, [0, 0, 0]), (3, [2, 0, 1])])
        fours = {("network", "topology", "npus-per-node"): "4"}
        self.assertEqual(Result([2, 3, 8, 9], fours).places(),
                         [(2, [0, 1, 0, 1]), (2, [0, 0, 1, 1])])

    def test_ranks_on_unequal_parts_of_nodes_are_one_list(self):
        self.assertEqual(Result([9, 4, 7, 5], self.NODES).places(), [])

    def test_in_dimensions_of_the_system_ranks_stand_in_their_order(self):
        own = self.STACK | {("system", "dimensions"): ["3", "2"]}
        self.assertEqual(Result([5, 4, 3, 2, 1, 0], own).places(),
                         [(3, [0, 1, 2, 0, 1, 2]), (2, [0, 0, 0, 1, 1, 1])])

    def test_where_nobody_says_the_npus_a_chart_is_left_out_and_it_says_so(self):
        old = Result([1, 0], self.STACK | {("workload", "placement"): "random"})
        del old.ranks["npu"]
        (part,) = by_place(old, [])
        self.assertIn("which NPU hosts which rank", part.how)
        old.settings[("workload", "placement")] = "linear"
        self.assertEqual(old.places(), [(2, [0, 1]), (3, [0, 0])])

    def test_an_npu_that_is_no_whole_number_is_damage(self):
        with self.assertRaisesRegex(DamagedResult, "ranks.csv: has an npu that is no whole"):
            Result([0.5, 1], self.STACK).places()


class Chart(unittest.TestCase):
    def test_bars_are_those_of_the_npus_places(self):
        results = Results()
        self.addCleanup(results.scratch.cleanup)
        results.write("across.yaml", ACROSS)
        results.nadi("run", "across.yaml", "--out", "out", "--quiet")
        parts = make_section(ResultDirectory(results.path / "out", "99")).parts
        (chart,) = [one for one in parts if getattr(one, "name", "") == "time-by-place-0"]
        (exposed,) = [one for one in chart.traces if one["name"] == "exposed point-to-point"]
        self.assertGreater(exposed["y"][0], 0)
        self.assertEqual(exposed["y"][1:], [0] * 7)


if __name__ == "__main__":
    unittest.main()
