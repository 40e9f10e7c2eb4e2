#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a study: their numbers, labels and units, from results written by hand."""

import csv
import json
import subprocess
import unittest

from plot_bench import RATES, SEEDS, HandMade
from study_bench import BASE, BUILD, Bench

from studies import quantities


class Plots(HandMade):
    def test_a_line_has_a_curve_for_each_series_in_readable_units(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: seed, title: T}")
        self.assertEqual(self.labels(axes), ("rate, GB/s", "finish time, us"))
        for line, seed in zip(axes.lines, SEEDS, strict=True):
            self.assert_curve(line, RATES, [12 * seed / rate for rate in RATES])
        self.assertEqual(self.legend(axes), ["1", "2"])
        self.assertEqual(axes.get_title(), "T")
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["1", "2", "4"])

    def test_a_line_over_a_number_of_the_points_is_sorted_by_it(self):
        axes = self.draw("{kind: line, x: finish_time_ns, y: ranks, where: {seed: 1}}")
        self.assertEqual(self.labels(axes), ("finish time, us", "ranks"))
        self.assert_curve(axes.lines[0], [12 / rate for rate in reversed(RATES)], [2, 2, 2])

    def test_configurations_that_are_files_are_called_by_their_names(self):
        jobs = "rate: [1 GB/s, 2 GB/s], seed: [1, 2], workload"
        line = "{kind: line, x: rate, y: finish_time_ns, series: [seed, workload]}"
        axes = self.draw(line, f"sweep: {{{jobs}: [../jobs/alone.yaml, ../jobs/all two.yaml]}}\n")
        self.assertEqual(self.legend(axes), ["1, alone", "1, all two", "2, alone", "2, all two"])
        bar = "{kind: bar, x: workload, y: finish_time_ns, series: rate, where: {seed: 1}}"
        axes = self.draw(bar, f"sweep: {{{jobs}: [jobs/alone.yaml, jobs/two.yaml]}}\n")
        self.assertEqual([text.get_text() for text in axes.get_xticklabels()], ["alone", "two"])

    def test_files_of_one_name_are_told_apart_by_their_folders(self):
        line = "{kind: line, x: rate, y: finish_time_ns, series: workload, where: {seed: 1}}"
        jobs = "rate: [1 GB/s, 2 GB/s], seed: [1, 2], workload: [a/job.yaml, b/job.yaml]"
        axes = self.draw(line, f"sweep: {{{jobs}}}\n")
        self.assertEqual(self.legend(axes), ["a/job.yaml", "b/job.yaml"])

    def test_a_line_of_nothing_but_zeros_has_an_axis(self):
        axes = self.draw("{kind: line, x: rate, y: packets, series: seed}")
        self.assert_curve(axes.lines[0], RATES, [0, 0, 0])
        self.assertEqual(axes.get_ylim(), (0, 1))

    def test_points_that_share_a_place_are_all_drawn(self):
        axes = self.draw("{kind: line, x: ranks, y: finish_time_ns, where: {seed: 2}}")
        self.assert_curve(axes.lines[0], [4, 4, 4], sorted(24 / rate for rate in RATES))

    def test_scales_and_words_can_be_chosen(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, where: {seed: 1}, x-scale: log, "
                         "y-scale: log, x-label: link, y-label: makespan}")
        self.assertEqual(self.labels(axes), ("link, GB/s", "makespan, us"))
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))

    def test_values_are_normalized_to_a_point_or_a_value(self):
        line = "{kind: line, x: rate, y: finish_time_ns, series: seed, normalize: "
        for rule, words, expected in [
            ("first", "that of the first point", lambda seed, rate: seed / rate),
            ("first-of-series", "that of the series' first point", lambda seed, rate: 1 / rate),
            ("{rate: 2 GB/s}", "that of rate = 2 GB/s", lambda seed, rate: 2 / rate),
            ("{rate: 4 GB/s, seed: 1}", "that of rate = 4 GB/s, seed = 1",
             lambda seed, rate: 4 * seed / rate),
            ("6 us", "6 us", lambda seed, rate: 2 * seed / rate),
        ]:
            axes = self.draw(f"{line}{rule}}}")
            self.assertEqual(axes.get_ylabel(), f"finish time / {words}")
            for one, seed in zip(axes.lines, SEEDS, strict=True):
                self.assert_curve(one, RATES, [expected(seed, rate) for rate in RATES])

    def test_a_speedup_is_the_reference_over_the_value(self):
        line = "{kind: line, x: rate, y: finish_time_ns, series: seed, speedup: "
        for rule, words, expected in [
            ("first", "the first point", lambda seed, rate: rate / seed),
            ("first-of-series", "the series' first point", lambda seed, rate: rate),
            ("{rate: 2 GB/s, seed: 1}", "rate = 2 GB/s, seed = 1",
             lambda seed, rate: rate / seed / 2),
            ("6 us", "6 us", lambda seed, rate: rate / seed / 2),
        ]:
            axes = self.draw(f"{line}{rule}}}")
            self.assertEqual(axes.get_ylabel(), f"speedup over {words}")
            for one, seed in zip(axes.lines, SEEDS, strict=True):
                self.assert_curve(one, RATES, [expected(seed, rate) for rate in RATES])

    def test_a_reference_may_be_told_by_the_labels_of_its_variant(self):
        varied = (
            "variants:\n"
            "  - {name: a, labels: {rate: 1 GB/s, kind: x}}\n"
            "  - {name: b, labels: {rate: 2 GB/s, kind: x}}\n"
            "  - {name: c, labels: {rate: 4 GB/s, kind: y}}\n"
            "sweep: {seed: [1, 2]}\n"
        )
        bar = "{kind: bar, x: variant, y: finish_time_ns, series: seed, normalize: "
        for rule, heights in [
            ("{rate: 2 GB/s, kind: x}", [2, 1, 0.5]),
            ("{variant: b}", [2, 1, 0.5]),
        ]:
            for bars in self.draw(f"{bar}{rule}}}", varied).containers:
                self.assertEqual([one.get_height() for one in bars], heights)

    def test_bars_stand_in_groups(self):
        axes = self.draw("{kind: bar, x: rate, y: finish_time_ns, series: seed}")
        self.assertEqual(self.labels(axes), ("rate, GB/s", "finish time, us"))
        for bars, seed in zip(axes.containers, SEEDS, strict=True):
            for bar, rate in zip(bars, RATES, strict=True):
                self.assertAlmostEqual(bar.get_height(), 12 * seed / rate)
        first, second = (bars[0] for bars in axes.containers)
        self.assertLessEqual(first.get_x() + first.get_width(), second.get_x())

    def test_stacked_bars_stand_upon_each_other(self):
        axes = self.draw("{kind: stacked-bar, x: rate, where: {seed: 1}}")
        self.assertEqual(self.labels(axes), ("rate, GB/s", "time, us"))
        self.assertEqual(self.legend(axes), ["compute", "exposed communication", "idle"])
        for k, rate in enumerate(RATES):
            finish = 12 / rate
            stack = [bars[k] for bars in axes.containers]
            for bar, bottom, height in zip(stack, (0, 0.25, 0.75), (0.25, 0.5, 0.25), strict=True):
                self.assertAlmostEqual(bar.get_y(), bottom * finish)
                self.assertAlmostEqual(bar.get_height(), height * finish)

    def test_a_normalized_stack_is_divided_as_a_whole(self):
        axes = self.draw("{kind: stacked-bar, x: rate, series: seed, normalize: first}")
        self.assertEqual(axes.get_ylabel(), "time / that of the first point")
        bars = [text.get_text() for text in axes.get_xticklabels(minor=True)]
        self.assertEqual(bars, ["1", "2"] * 3)
        groups = [text.get_text() for text in axes.get_xticklabels()]
        self.assertEqual(groups, ["1", "2", "4"])
        heights = [bars[0].get_height() for bars in axes.containers]  # at 1 GB/s, part by part
        self.assertEqual(heights, [0.25, 0.5, 0.5, 1.0, 0.25, 0.5])

    def test_a_heat_map_has_a_cell_for_each_point(self):
        axes = self.draw("{kind: heat-map, x: rate, y: seed, value: finish_time_ns, "
                         "value-label: duration}")
        self.assertEqual(self.labels(axes), ("rate, GB/s", "seed"))
        self.assertEqual(self.figure.axes[1].get_ylabel(), "duration, us")
        cells = axes.images[0].get_array()
        self.assertEqual(cells.tolist(), [[12 * seed / rate for rate in RATES] for seed in SEEDS])

    def test_a_cdf_pools_the_rows_of_its_points(self):
        axes = self.draw("{kind: cdf, x: flows.fct_ns, series: seed, where: {rate: 4 GB/s}}")
        self.assertEqual(self.labels(axes),
                         ("flows' completion time, us", "share of values up to x"))
        for line in axes.lines:
            self.assert_curve(line, [4, 4, 12], [0, 0.5, 1])
        pooled = self.draw("{kind: cdf, x: flows.fct_ns}").lines[0]
        values = sorted(fct * rate for fct in (1, 3) for rate in RATES for _ in SEEDS)
        self.assert_curve(pooled, values[:1] + values, [i / 12 for i in range(13)])

    def test_a_number_may_come_from_a_table(self):
        axes = self.draw("{kind: bar, x: rate, y: max(links.max_queue_bytes), where: {seed: 1}}")
        self.assertEqual(axes.get_ylabel(), "max of links' max queue, KB")
        self.assertEqual([bar.get_height() for bar in axes.containers[0]], [16, 16, 16])
        axes = self.draw("{kind: bar, x: rate, y: mean(links.utilization), where: {seed: 1}}")
        self.assertEqual(axes.get_ylabel(), "mean of links' utilization")
        self.assertEqual([bar.get_height() for bar in axes.containers[0]], [0.75 / 4] * 3)


class Files(Bench):
    def test_each_plot_is_a_png_and_a_pdf_and_says_what_it_lacks(self):
        self.write("base.yaml", BASE + "output: {flows: on, series: 1 s}\n")  # longer than the run
        study = self.study(
            "sweep: {network.backend: [analytical, smoke]}\nplots:\n"
            "  - {kind: bar, name: times, x: network.backend, y: finish_time_ns}\n"
            "  - {kind: cdf, x: flows.fct_ns, where: {network.backend: smoke}}\n"
            "  - {kind: table, name: t, rows: network.backend, columns: [finish_time_ns]}\n"
            "  - {kind: time, y: max(series.queue_bytes), where: {network.backend: analytical}}\n"
            "  - {kind: bar, x: network.backend, y: used(links), links: [[npu0, nowhere]]}\n"
        )
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 3)
        plots = self.path / "out/plots"
        self.assertEqual(sorted(file.name for file in plots.iterdir()),
                         ["t.csv", "t.md", "times.pdf", "times.png"])
        self.assertIn("\n| smoke | - |\n", (plots / "t.md").read_text())
        self.assertIn("\nsmoke,\n", (plots / "t.csv").read_text())
        self.assertTrue((plots / "times.png").read_bytes().startswith(b"\x89PNG\r\n"))
        self.assertTrue((plots / "times.pdf").read_bytes().startswith(b"%PDF-"))
        self.assertIn(f"{study}:4: plot times: 1 of 2 points are missing", done.stderr)
        self.assertIn("study.yaml:5: plot 2-cdf: nothing to draw, no point is done\n", done.stderr)
        self.assertIn("study.yaml:7: plot 4-time: nothing to draw, no point has "
                      "max(series.queue_bytes); series.csv has a row at the end of an interval, so "
                      "output.series must be shorter than the run\n", done.stderr)
        self.assertIn("study.yaml:8: plot 5-bar: nothing to draw, no point has used(links); it may "
                      "be that links choose nothing", done.stderr)

    def test_the_rate_over_time_of_parallel_links_of_several_bandwidths_is_refused(self):
        self.write("topology.yaml", "nodes: {npus: 2, switches: [a, b]}\nlinks:\n" + "".join(
            f"  - {{from: {ends[0]}, to: {ends[1]}, bandwidth: {rate} Gb/s, latency: 1 us}}\n"
            for *ends, rate in [("npu0", "a", 400), ("b", "npu1", 400), ("a", "b", 100),
                                ("a", "b", 400)]))
        self.write("base.yaml", "workload: {flows: [{src: 0, dst: 1, size: 1 MB}]}\n"
                   "network: {topology: {file: topology.yaml}}\noutput: {series: 10 us}\n")
        line = "  - {kind: time, links: [[a, b]], y: "
        study = self.study(
            f"sweep: {{seed: [1]}}\nplots:\n{line}series.utilization}}\n"
            f"{line}series.rate_gbps}}\n"
            "  - {kind: table, rows: seed, columns: [{value: mean(series.rate_gbps), links: "
            "[[a, b]]}]}\n"
            "  - {kind: table, rows: seed, columns: [{value: mean(series.rate_gbps), links: "
            "[[npu0, a]]}]}\n")
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 0)
        told = [line for line in done.stderr.splitlines() if "plot" in line]
        reason = ("nothing to draw, series.rate_gbps of the parallel links from a to b is unknown, "
                  "as their bandwidths differ (100 to 400 Gb/s) and series.csv does not tell them "
                  "apart; choose other links, or take series.utilization")
        self.assertEqual(told, [f"{study}:5: plot 2-time: {reason}",
                                f"{study}:6: plot 3-table: {reason}"])
        self.assertEqual(sorted(file.name for file in (self.path / "out/plots").iterdir()),
                         ["1-time.pdf", "1-time.png", "4-table.csv", "4-table.md"])


SERVE = """
network:
  dimensions:
    - {shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}
system:
  compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s}
workload:
  serve:
    model: {layers: 1, hidden: 64, heads: 2, experts: 2}
    requests: {rate: 20 /s, count: 3, input: 10, output: 2}
    instances: [{dp: 2, ep: 2}]
"""


class Quantities(Bench):
    def test_what_can_be_drawn_is_what_a_run_leaves(self):
        out = self.path / "out"
        words = ["--set", "output.flows=on", "--set", "output.series=1 us"]
        words += ["--set", "network.backend=packet"]
        subprocess.run([BUILD / "cli/nadi", "run", self.path / "base.yaml", "--quiet", "--out", out,
                        *words], check=True)
        fields = json.loads((out / "summary.json").read_text())
        fields |= {f"mechanisms.{name}": value for name, value in fields["mechanisms"].items()}
        self.write("serve.yaml", SERVE)
        subprocess.run([BUILD / "cli/nadi", "run", self.path / "serve.yaml", "--quiet", "--out",
                        self.path / "served"], check=True)
        serving = json.loads((self.path / "served/summary.json").read_text())["serving"]
        fields |= {f"serving.{name}": value for name, value in serving.items()}
        for table in ("requests", "instances", "experts"):
            (self.path / f"served/{table}.csv").rename(out / f"{table}.csv")
        for name in quantities.SUMMARY_FIELDS:
            self.assertIsInstance(fields[name], (int, float), name)
        for table, columns in quantities.TABLE_COLUMNS.items():
            with open(out / f"{table}.csv", newline="") as file:
                header = next(csv.reader(file))
            self.assertLessEqual(set(columns), set(header), table)

    def test_quantities_of_one_kind_share_the_first_ones_unit(self):
        numbers = quantities.as_numbers
        self.assertEqual(numbers(["1 GB/s", "8 Gb/s", "500 MB/s"]), ([1, 1, 0.5], "GB/s"))
        self.assertEqual(numbers(["1 KiB", "1 MiB"]), ([1, 1024], "KiB"))
        self.assertEqual(numbers(["2", "0.5"]), ([2, 0.5], ""))
        for texts in (["1 GB/s", "1 GB"], ["1", "1 us"], ["ring", "direct"], ["1/8"], []):
            self.assertIsNone(numbers(texts), texts)

    def test_units_are_those_of_the_results(self):
        for name, unit in [("finish_time_ns", "ns"), ("bytes_sent", "B"), ("packets", ""),
                           ("links.bandwidth_gbps", "Gb/s"), ("collectives.busbw_GBps", "GB/s"),
                           ("max(links.max_queue_bytes)", "B"), ("flows.slowdown", "")]:
            self.assertEqual(quantities.unit_of(name), unit, name)

    def test_the_largest_value_is_one_or_more(self):
        self.assertEqual(quantities.readable_unit("idle_ns", [999.0, None]), ("ns", 1))
        self.assertEqual(quantities.readable_unit("idle_ns", [1000.0, 1.0]), ("us", 1000))
        self.assertEqual(quantities.readable_unit("bytes_sent", [2e9]), ("GB", 1e9))
        self.assertEqual(quantities.readable_unit("bytes_sent", [0.0]), ("B", 1))
        self.assertEqual(quantities.readable_unit("packets", [5e9]), ("", 1))


if __name__ == "__main__":
    unittest.main()
