#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The part of a report that draws queues and rates of links over time."""

import unittest

from report_bench import Results, read_csv

from report.sections.series import TIMES, make_section
from studies.results.problems import DamagedResult
from studies.results.result_directory import ResultDirectory

# Three bursts, at 50, 100 and 200 us, with nothing in between: no two intervals that follow each
# other have a row.
BURSTS = """
workload:
  flows:
    - {src: 0, dst: 1, size: 100 KB, at: 51 us}
    - {src: 0, dst: 1, size: 100 KB, at: 101 us}
    - {src: 0, dst: 1, size: 100 KB, at: 201 us}
    - {src: 0, dst: 1, size: 1 B, at: 260 us}
network:
  dimensions: [{shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}]
"""


class Series(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Results()
        cls.addClassCleanup(cls.results.scratch.cleanup)
        cls.results.write("bursts.yaml", BURSTS)

    def simulate(self, interval):
        self.results.nadi("run", "bursts.yaml", "--out", "out", "--quiet", "--set",
                          f"output.series={interval}")
        return ResultDirectory(self.results.path / "out", "99")

    def curve(self, result):
        """{time in us: %} of the rates of the link that carries the flows."""
        rates = make_section(result).parts[1]
        self.assertEqual(rates.layout["xaxis"]["title"]["text"], "time (us)")
        (trace,) = [one for one in rates.traces if one["name"] == "npu0 -> npu1"]
        return dict(zip(trace["x"], trace["y"]))

    def test_intervals_are_those_of_the_configuration_however_few_have_rows(self):
        result = self.simulate("25 us")
        rows = [row for row in read_csv(result.path / "series.csv") if row["from"] == "npu0"]
        times = [float(row["time_ns"]) / 1000 for row in rows]
        self.assertEqual(times, [75, 125, 225])
        curve = self.curve(result)
        self.assertEqual(list(curve), [25.0 * number for number in range(1, 11)])  # it ends at 261
        self.assertEqual([time for time, share in curve.items() if share], times)
        for time, row in zip(times, rows):
            self.assertAlmostEqual(curve[time], 100 * float(row["utilization"]), places=4)

    def test_of_many_intervals_a_place_has_the_largest_up_to_the_last(self):
        result = self.simulate("10 ns")
        rows = read_csv(result.path / "series.csv")
        last = max(float(row["time_ns"]) for row in rows) / 1000
        rows = [row for row in rows if row["from"] == "npu0"]
        curve = self.curve(result)
        self.assertLessEqual(len(curve), TIMES)
        self.assertAlmostEqual(list(curve)[-1], last)
        step = 0.01 * -(-round(last / 0.01) // TIMES)
        for end, share in curve.items():
            inside = [float(row["utilization"]) for row in rows
                      if 0 <= end - float(row["time_ns"]) / 1000 < step - 1e-6]
            if end < last:
                self.assertAlmostEqual(share, 100 * max(inside, default=0), places=4)
        self.assertAlmostEqual(max(curve.values()),
                               100 * max(float(row["utilization"]) for row in rows), places=4)

    def test_without_the_interval_the_result_is_damaged(self):
        result = self.simulate("25 us")
        file = result.path / "config.yaml"
        file.write_text(file.read_text().replace("series: 25 us", "series: none"))
        with self.assertRaisesRegex(DamagedResult, "config.yaml: has no interval output.series"):
            make_section(ResultDirectory(result.path, "99"))


if __name__ == "__main__":
    unittest.main()
