#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Studies that search for the largest value at which a cluster keeps its SLO."""

import json
import math
import unittest

from study_bench import BUILD, Bench
from study_runs import StudyRuns

from studies import simulator
from studies.errors import StudyError
from studies.points import Point
from studies.search import Bracket
from studies.search_spec import Search as Spec
from studies.store import Result
from studies.study import read_study

RATE = "workload.serve.requests.rate"
REQUESTS = 200
SEARCH = f"search: {{key: {RATE}, from: 100 /s, to: 100000 /s, tolerance: 1 %, keep: 0.9"
# One server, which takes one request after the other.
SERVER = """
workload:
  serve:
    model: {layers: 4, hidden: 1024, heads: 8, vocabulary: 1000}
    requests: {arrivals: constant, rate: 100 /s, count: 200, input: 128, output: 1}
    instances: [{}]
    batching: {max-requests: 1}
    slo: {ttft: 2 ms, tpot: 1 ms}
system: {compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}}
network: {backend: analytical, dimensions: [{shape: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}
"""
SLO_NS = 2e6


class Search(StudyRuns):
    def setUp(self):
        super().setUp()
        self.write("base.yaml", SERVER)
        self.schema = json.loads(simulator.ask(BUILD / "cli/nadi", "schema"))

    def rows_of(self, text):
        """{column: text} of each point of the study."""
        runs, _ = self.run_study(read_study(self.study(text), self.schema))
        return [result.summary | point.coordinates for point, result in runs]

    def time_alone(self, text=f"sweep: {{{RATE}: [1 /s]}}\n"):
        """In ns, of a request that waits for nobody."""
        (row,) = self.rows_of(text)
        return float(row["serving.ttft_ns.mean"])

    def test_the_rate_is_that_of_the_closed_form(self):
        (row,) = self.rows_of(SEARCH + "}\n")
        self.assertEqual(row["search.end"], "found")
        self.assertEqual(row[RATE], f'{float(row["search.found"]):.6g} /s')
        # A request waits for those before it: the i-th (from 0) has its answer i (D - 1/R) + D
        # after it came, if R is above 1/D. So 180 of 200 keep T up to R = 1/(D - (T - D)/179).
        alone = self.time_alone()
        rate = 1e9 / (alone - (SLO_NS - alone) / (0.9 * REQUESTS - 1))
        self.assertLessEqual(float(row["search.found"]), rate * (1 + 1e-5))
        self.assertGreater(float(row["search.found"]), rate / 1.011)
        self.assertGreaterEqual(float(row["search.kept"]), 0.9)
        # the two ends, and log2(ln 1000 / ln 1.01) halvings
        self.assertIn(int(row["search.runs"]), (11, 12, 13))

    def test_what_was_run_is_not_run_again(self):
        self.use_slow_simulator(0)
        study = self.study(f"search: {{key: {RATE}, from: 100 /s, to: 100000 /s, tolerance: 30 %}}\n")
        self.assertEqual(self.sweep(study, "out").returncode, 0)
        first, table = self.started_ids(), self.results("out")
        self.assertEqual(len(first), int(self.rows("out")[0]["search.runs"]))
        self.assertEqual(len(set(first)), len(first))
        self.sweep(study, "out")
        self.assertEqual((self.started_ids(), self.results("out")), (first, table))

    def test_a_dry_run_lists_the_ends(self):
        done = self.sweep(self.study(SEARCH + "}\n"), "out", "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, f"to run +{RATE}=100 /s\n.* to run +{RATE}=100000 /s\n")

    def test_each_point_of_the_study_has_a_rate_of_its_own(self):
        strict, mild = self.rows_of(
            f"sweep: {{workload.serve.slo.ttft: [1 ms, 4 ms]}}\n{SEARCH}}}\n")
        self.assertEqual([strict["workload.serve.slo.ttft"], mild["workload.serve.slo.ttft"]],
                         ["1 ms", "4 ms"])
        self.assertLess(float(strict["search.found"]), float(mild["search.found"]))

    def test_a_range_that_is_all_good_or_all_bad_is_said(self):
        for ends, told in (("from: 1 /s, to: 2 /s", "still at the largest value"),
                           ("from: 90000 /s, to: 99000 /s", "not even at the least value")):
            with self.subTest(told):
                (row,) = self.rows_of(f"search: {{key: {RATE}, {ends}}}\n")
                self.assertEqual(row["search.end"], told)
                self.assertNotIn("search.found", row)
                self.assertEqual(row["search.runs"], "2")

    def test_whole_numbers_stay_whole(self):
        self.write("base.yaml", SERVER.replace(
            "arrivals: constant, rate: 100 /s,", "arrivals: closed, users: 1,"))
        (row,) = self.rows_of(
            "search: {key: workload.serve.requests.users, from: 1, to: 100, tolerance: 1 %}\n")
        # u users wait for each other: all but the first have their answers after u D.
        self.assertEqual(row["search.found"], str(int(SLO_NS // self.time_alone(""))))


class Brackets(unittest.TestCase):
    """What a search learns of runs that make no sense together."""

    def result(self, kept):
        fields = {"status": "done", "finish_time_ns": "1e9", "serving.requests": "100",
                  "serving.tokens_in": "100", "serving.throughput_in": "100",
                  "serving.goodput": str(kept)}
        return Result(fields)

    def test_the_least_value_is_shown_where_it_fails_and_the_largest_does_not(self):
        spec = Spec("study.yaml:2", RATE, 1.0, 9.0, "/s", 0.01, 0.9, False)
        bracket = Bracket(Point({}, []), spec)
        for value, kept in ((1.0, 89), (9.0, 90)):
            bracket.learn(value, bracket.point_at(value), self.result(kept))
        point, result = bracket.row()
        self.assertEqual(point.coordinates[RATE], "1 /s")
        self.assertEqual(result.summary["search.end"], "not even at the least value")
        self.assertEqual(result.summary["search.kept"], "0.8900")

    def values_tried(self, spec, is_good):
        """Those after the two ends, until the search ends."""
        bracket = Bracket(Point({}, []), spec)
        for _ in range(100):
            for value in bracket.values():
                kept = 100 if is_good(value) else 0
                bracket.learn(value, bracket.point_at(value), self.result(kept))
        self.assertEqual(bracket.end, "found")
        self.assertTrue(is_good(bracket.good) and not is_good(bracket.bad))
        return list(bracket.tried)[2:]

    def test_it_ends_where_no_value_lies_between_the_good_and_the_bad(self):
        """Values have six digits, so those near 4 are 2.5e-6 of their size apart."""
        for first, last in ((1.0, 1000.0), (1.2345678, 1.2345679)):
            spec = Spec("study.yaml:2", RATE, first, last, "/s", 1e-9, 0.9, False)
            tried = self.values_tried(spec, lambda value: value < min(1 + math.pi, last))
            self.assertEqual(len(tried), len(set(tried)))

    def test_rates_are_halved_by_ratio_and_whole_numbers_by_difference(self):
        rates = Spec("study.yaml:2", RATE, 1.0, 100.0, "/s", 0.5, 0.9, False)
        self.assertEqual(self.values_tried(rates, lambda value: value < 50)[0], 10)
        users = Spec("study.yaml:2", RATE, 1, 100, "", 0.001, 0.9, True)
        self.assertEqual(self.values_tried(users, lambda value: value < 50)[:2], [50, 25])


class Faults(Bench):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(simulator.ask(BUILD / "cli/nadi", "schema"))

    def fault(self, text):
        self.write("base.yaml", SERVER)
        with self.assertRaises(StudyError) as caught:
            read_study(self.study(text), self.schema)
        return str(caught.exception).replace(f"{self.path}/", "")

    def test_each_is_told(self):
        whole = {"key": RATE, "from": "1 /s", "to": "2 /s"}
        for change, told in (
            ({"key": None}, "search: key is missing; write such as search: {key: workload.serve.re"
                            "quests.rate, from: 1 /s, to: 200 /s}"),
            ({"step": "1"}, "search: step: unknown key; known: key, from, to, tolerance, keep"),
            ({"from": "few"}, 'search: from: "few" is no number; write such as 20 /s'),
            ({"to": "3"}, 'search: from has the unit "/s" and to ""; write the same one'),
            ({"to": "1 /s"}, "search: from is to be above 0 and below to"),
            ({"tolerance": "0 %"}, 'search: tolerance: "0 %" is no share; write such as 0.9 or '
                                   "90 %"),
            ({"keep": "1.5"}, 'search: keep: "1.5" is no share; write such as 0.9 or 90 %'),
        ):
            with self.subTest(told):
                entries = {key: text for key, text in (whole | change).items() if text}
                line = ", ".join(f"{key}: {text}" for key, text in entries.items())
                self.assertRegex(self.fault(f"search: {{{line}}}\n"), r"study.yaml:2")
                self.assertIn(told, self.fault(f"search: {{{line}}}\n"))

    def test_a_key_that_is_swept_is_not_searched(self):
        told = self.fault(f"sweep: {{{RATE}: [1 /s]}}\n{SEARCH}}}\n")
        self.assertIn(f"search: {RATE} varies in the study already; leave it in one of them", told)

    def test_without_an_slo_there_is_nothing_to_keep(self):
        self.write("base.yaml", SERVER.replace("slo: {ttft: 2 ms, tpot: 1 ms}", ""))
        done = self.sweep(self.study(SEARCH + "}\n"), "out")
        self.assertEqual(done.returncode, 3)
        self.assertIn("search: the configuration has no workload.serve.slo, which says what "
                      "requests are to keep", done.stderr)
        self.assertFalse((self.path / "out").exists())


if __name__ == "__main__":
    unittest.main()
