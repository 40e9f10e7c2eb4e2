#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The part of a report about messages, where the time of some messages alone is not known."""

import random
import unittest

from report_bench import Results, read_csv

from report.percentiles import percentiles
from report.sections import collectives
from report.sections.flows import make_section
from studies.quantities import FUNCTIONS
from studies.results.result_directory import ResultDirectory

# Frames from one leaf to the other are spread over two uplinks, each of them slower than the link
# of the sender. Within a leaf there is one way.
SPRAY = """
workload: {flows: [%s]}
network:
  topology:
    generator: leaf-spine
    npus: 4
    npus-per-leaf: 2
    spines: 2
    link: {bandwidth: 100 GB/s, latency: 500 ns}
    uplink: {bandwidth: 25 GB/s, latency: 500 ns}
  packet: {load-balancing: spray}
output: {flows: on}
"""
SPREAD = "{src: 0, dst: 2, size: 1 MiB}"
WITHIN = "{src: 0, dst: 1, size: 2 MiB, at: 1 ms}"


class Messages(unittest.TestCase):
    def setUp(self):
        self.results = Results()
        self.addCleanup(self.results.scratch.cleanup)

    def sections(self, *flows):
        """The facts and the parts of the section, by the names of facts and kinds of parts."""
        self.results.write("spray.yaml", SPRAY % ", ".join(flows))
        self.results.nadi("run", "spray.yaml", "--out", "out", "--quiet")
        rows = read_csv(self.results.path / "out/flows.csv")
        self.assertEqual([row["slowdown"] == "" for row in rows],
                         [flow == SPREAD for flow in flows])
        facts, _, slowdowns = make_section(ResultDirectory(self.results.path / "out", "99")).parts
        return dict(facts.rows)["messages that nothing held up"], slowdowns

    def test_messages_whose_time_alone_is_unknown_count_in_no_share(self):
        share, slowdowns = self.sections(SPREAD, WITHIN)
        self.assertEqual(share, "100.0 %")
        self.assertEqual(slowdowns.traces[0]["x"], [2 << 20])

    def test_where_no_time_is_known_the_page_says_so(self):
        share, slowdowns = self.sections(SPREAD)
        self.assertEqual(share, "unknown")
        self.assertEqual(slowdowns.kind, "missing")

    def test_percentiles_are_values_and_those_of_figures(self):
        chance = random.Random(2)
        for count in (1, 2, 3, 8, 20, 100, 101):
            values = [chance.random() for _ in range(count)]
            found = percentiles(values, [50, 90, 99])
            self.assertEqual(list(found), [FUNCTIONS[name](values) for name in (
                "p50", "p90", "p99")])
            self.assertEqual(percentiles(values, 100), max(values))

    def test_the_median_is_the_slowdown_of_a_message(self):
        pairs = ((0, 1), (0, 1), (0, 1), (2, 3))  # the first three follow one another
        _, slowdowns = self.sections(*(f"{{src: {one}, dst: {other}, size: 1 MiB}}"
                                       for one, other in pairs))
        known = sorted(float(row["slowdown"])
                       for row in read_csv(self.results.path / "out/flows.csv"))
        self.assertGreater(known[2], 1.2 * known[1])
        median, *_, largest = (trace["y"] for trace in slowdowns.traces)
        self.assertEqual((median, largest), ([round(known[1], 6)], [round(known[3], 6)]))

    def test_a_job_without_collectives_is_not_said_to_have_lost_any(self):
        self.sections(WITHIN)
        section = collectives.make_section(ResultDirectory(self.results.path / "out", "99"))
        self.assertEqual([one.kind for one in section.parts], ["table"])


if __name__ == "__main__":
    unittest.main()
