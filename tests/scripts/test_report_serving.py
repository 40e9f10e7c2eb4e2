#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The page of a run that serves: what users see is what the files say."""

import json
import re
import unittest

from report_bench import Results, read_csv, read_summary

SERVE = """
workload:
  serve:
    model: {layers: 2, hidden: 256, heads: 4, vocabulary: 1000}
    requests: {arrivals: constant, rate: 100 /s, count: 20, input: 64, output: OUTPUT}
    instances: [{tp: 2}]
    slo: SLO
system: {compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}}
network: {backend: analytical, dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}
"""
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


class Serving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Results()
        cls.addClassCleanup(cls.results.scratch.cleanup)

    def page(self, output, slo, *words):
        """(what is text in the page, its parts); the run is in self.run."""
        self.results.write("serve.yaml", SERVE.replace("OUTPUT", output).replace("SLO", slo))
        self.results.nadi("run", "serve.yaml", "--out", "served", "--report", "--quiet", *words)
        self.run = self.results.path / "served"
        text = (self.run / "report.html").read_text(encoding="utf-8")
        return text.split('<script type="application/json"')[0], json.loads(
            DATA.search(text)[1])["parts"]

    def test_times_and_instances_are_those_of_the_files(self):
        text, parts = self.page("4", "{ttft: 1 s, tpot: 1 s}")
        serving = read_summary(self.run)["serving"]
        self.assertIn("20 requests served.", text)
        self.assertIn("requests that keep the SLO", text)
        for column, share in zip(parts["waits-of-users"]["columns"][1:],
                                 ("mean", "p50", "p90", "p99"), strict=True):
            self.assertEqual(column["title"], share)
            self.assertEqual(column["values"], [serving[name][share] for name in (
                "ttft_ns", "tpot_ns", "itl_ns")])
        busy, = (one["values"] for one in parts["instances"]["columns"] if one["title"] == "busy")
        self.assertEqual(busy, [float(row["busy_ns"])
                                for row in read_csv(self.run / "instances.csv")])

    def test_what_there_is_nothing_of_is_empty(self):
        text, parts = self.page("1", "{}")
        self.assertNotIn("requests that keep the SLO", text)
        for column in parts["waits-of-users"]["columns"][1:]:
            self.assertIsNotNone(column["values"][0])
            self.assertEqual(column["values"][1:], [None, None])  # no answer has a second token

    def test_collectives_that_were_not_asked_for_are_not_said_to_be_missing(self):
        text, parts = self.page("4", "{}")
        self.assertNotIn("No collective was completed", text)
        self.assertIn("output.collectives: on", text)
        _, parts = self.page("4", "{}", "--set", "output.collectives=on")
        self.assertIn("all-collectives", parts)


if __name__ == "__main__":
    unittest.main()
