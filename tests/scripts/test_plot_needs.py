#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A study whose plots need what its points do not keep is refused before anything runs."""

import unittest

from study_bench import BASE, Bench

BACKENDS = "sweep: {network.backend: [analytical, flow]}\n"
SOME = ("variants:\n  - {name: kept, set: {output.flows: on, output.series: 1 us}}\n"
        "  - {name: other}\n")
SERIES = "output.series: an interval, such as 10 us"
IN_BASE = "write it in the base, or leave the plot out"


class Needs(Bench):
    def fault(self, text, *words):
        """The only line that a sweep of this study says; it ran nothing and left nothing."""
        self.use_slow_simulator(0)
        study = self.study(text)
        done = self.sweep(study, "out", *words)
        self.assertEqual((done.returncode, done.stdout, self.starts()), (3, "", []), done.stderr)
        self.assertFalse((self.path / "out").exists())
        where, _, problem = done.stderr.removesuffix("\n").partition(": ")
        self.assertEqual(where.rpartition(":")[0], str(study))
        return where.rpartition(":")[2], problem

    def test_tables_on_request_are_asked_for_before_anything_runs(self):
        for plot, name, need in [
            ("kind: cdf, x: flows.fct_ns", "flows.fct_ns", "output.flows: on"),
            ("kind: time, y: max(series.queue_bytes), series: network.backend",
             "max(series.queue_bytes)", SERIES),
            ("kind: line, x: mean(flows.slowdown), y: finish_time_ns", "mean(flows.slowdown)",
             "output.flows: on"),
            ("kind: table, rows: network.backend, columns: [ranks, sum(series.ecn_marks)]",
             "sum(series.ecn_marks)", SERIES),
            ("kind: bar, x: network.backend, y: mean(requests.ttft_ns)", "mean(requests.ttft_ns)",
             "a workload that serves (workload.serve)"),
            ("kind: bar, x: network.backend, y: serving.goodput", "serving.goodput",
             "a workload that serves (workload.serve)"),
        ]:
            for words in ([], ["--dry-run"]):
                told = self.fault(f"{BACKENDS}plots:\n  - {{{plot}, name: p}}\n", *words)
                self.assertEqual(told, ("4", f"plot p: {name} needs {need}; {IN_BASE}"))

    def test_a_plot_of_no_point_is_refused(self):
        """No variant is "kept" and has the ranks of "other"."""
        variants = ("variants:\n  - {name: kept, labels: {NPUs: 2}}\n"
                    "  - {name: other, labels: {NPUs: 1}, set: {workload.ranks: 1}}\n")
        for plot in ("cdf, x: links.utilization", "line, x: seed, y: finish_time_ns",
                     "table, rows: seed, columns: [finish_time_ns]"):
            for words in ([], ["--dry-run"]):
                told = self.fault(f"{variants}sweep: {{seed: [1, 2]}}\nplots:\n  - {{kind: {plot}, "
                                  "where: {variant: kept, NPUs: 1}, name: p}\n", *words)
                self.assertEqual(told, ("7", "plot p: where chooses no point; write values that "
                                        "one point has together"))

    def test_a_number_of_a_search_needs_one(self):
        told = self.fault(f"{BACKENDS}plots: [{{kind: bar, x: network.backend, y: search.found, "
                          "name: p}]\n")
        self.assertEqual(told, ("3", "plot p: search.found needs a study that searches; write "
                                "search, or draw another number"))

    def test_a_search_is_refused_before_its_first_run(self):
        serve = """
system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s}}
network: {dimensions: [{shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}]}
workload:
  serve:
    model: {layers: 1, hidden: 64, heads: 2}
    requests: {rate: 20 /s, count: 3, input: 10, output: 2}
    instances: [{}]
    slo: {ttft: 2 ms, tpot: 1 ms}
"""
        self.write("base.yaml", serve)
        search = ("search: {key: workload.serve.requests.rate, from: 1 /s, to: 100 /s}\n"
                  "sweep: {seed: [1, 2]}\n")
        self.assertEqual(
            self.fault(search + "plots: [{kind: bar, x: seed, y: max(flows.fct_ns), name: p}]\n"),
            ("4", f"plot p: max(flows.fct_ns) needs output.flows: on; {IN_BASE}"))
        self.write("base.yaml", serve.replace("    slo: {ttft: 2 ms, tpot: 1 ms}\n", ""))
        self.assertEqual(
            self.fault("sweep: {seed: [1, 2]}\n"
                       "plots: [{kind: bar, x: seed, y: serving.goodput, name: p}]\n"),
            ("3", f"plot p: serving.goodput needs workload.serve.slo; {IN_BASE}"))

    def test_where_some_points_have_it_the_others_are_named(self):
        told = self.fault(f"{SOME}sweep: {{seed: [1, 2]}}\nplots: [{{kind: cdf, x: flows.fct_ns, "
                          "name: p}]\n")
        self.assertEqual(told, ("6", "plot p: flows.fct_ns needs output.flows: on, which 2 of its 4 "
                                "points lack, the first of them variant=other, seed=1; write it "
                                "for these too, or show others with where"))

    def test_a_point_that_others_are_divided_by_needs_it_too(self):
        told = self.fault(f"{SOME}sweep: {{seed: [1, 2]}}\nplots: [{{kind: bar, x: seed, name: p, "
                          "y: max(flows.fct_ns), where: {variant: kept}, "
                          "normalize: {variant: other, seed: 2}}]\n")
        self.assertIn("which 1 of its 3 points lack, the first of them variant=other, seed=2;",
                      told[1])

    def test_points_that_a_plot_does_not_show_need_nothing(self):
        done = self.sweep(self.study(
            f"{SOME}plots:\n  - {{kind: cdf, x: flows.fct_ns, where: {{variant: kept}}, name: p}}\n"
            "  - {kind: time, y: max(series.utilization), where: {variant: kept}, name: q}\n"
        ), "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.path / "out/plots/p.png").exists())
        self.assertTrue((self.path / "out/plots/q.png").exists())

    def test_where_all_points_fail_that_is_why_nothing_is_drawn(self):
        self.write("base.yaml", BASE + "output: {flows: on}\n")
        done = self.sweep(self.study("sweep: {network.backend: [smoke, mirrors]}\n"
                                     "plots: [{kind: cdf, x: flows.fct_ns}]\n"), "out")
        self.assertEqual(done.returncode, 3)
        self.assertIn("study.yaml:3: plot 1-cdf: nothing to draw, no point is done\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
