#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How figures look: names that do not touch, series that differ in grey, reference lines."""

import math
import unittest
from types import SimpleNamespace

import pandas
from plot_bench import RATES, SEEDS, HandMade

from studies import plot_limits

NAMES = [f"control-{i}" for i in range(8)]


def sizes(count):
    """1 B, 2 B, 4 B, ..., 1 KiB, ..."""
    units = ("B", "KiB", "MiB", "GiB")
    return [f"{2 ** (i % 10)} {units[i // 10]}" for i in range(count)]


class Figures(HandMade):
    def make_result(self, point):
        """As if they were points of rate 1 and seed 1, where those do not vary."""
        own = point.coordinates
        point.coordinates = {"rate": "1 GB/s", "seed": "1"} | own
        super().make_result(point)
        point.coordinates = own

    def draw_over(self, key, texts, plot):
        return self.draw(plot, f"sweep: {{{key}: [{', '.join(texts)}], seed: [1, 2]}}\n")

    def assert_free(self, axes, is_minor=False):
        """No name touches its neighbour. Those that are turned are lines side by side."""
        self.figure.tight_layout()
        self.figure.draw_without_rendering()
        texts = [text for text in axes.get_xticklabels(minor=is_minor) if text.get_text()]
        for left, right in zip(texts, texts[1:]):
            if left.get_rotation() == 0:
                self.assertLess(left.get_window_extent().x1, right.get_window_extent().x0)
            else:
                begin, end = (one.get_transform().transform(one.get_position())[0]
                              for one in (left, right))
                apart = (end - begin) * math.sin(math.radians(left.get_rotation()))
                self.assertGreater(apart, left.get_fontsize() * self.figure.dpi / 72)
        return [text.get_text() for text in texts]

    def test_names_of_sizes_do_not_touch(self):
        line = "{kind: line, x: size, y: finish_time_ns, series: seed"
        eleven = sizes(21)[::2]
        axes = self.draw_over("size", eleven, line + ", x-scale: log}")
        self.assertEqual(self.assert_free(axes), eleven)
        for count in (11, 21, 31):
            for scale in (", x-scale: log}", "}"):
                names = self.assert_free(self.draw_over("size", sizes(count), line + scale))
                self.assertEqual(names[-1], sizes(count)[-1])

    def test_names_of_bars_do_not_touch_and_none_is_left_out(self):
        bar = "{kind: bar, x: size, y: finish_time_ns, series: seed}"
        for count in (11, 21):
            axes = self.draw_over("size", sizes(count), bar)
            self.assertEqual(self.assert_free(axes), sizes(count))

    def test_names_of_stacks_stand_above_those_of_their_groups(self):
        for places, series in ((3, 3), (5, 3), (2, 8), (11, 5)):
            varied = (f"sweep: {{place: [{', '.join(sizes(places))}], "
                      f"control: [{', '.join(NAMES[:series])}]}}\n")
            axes = self.draw("{kind: stacked-bar, x: place, series: control}", varied)
            self.assertEqual(self.assert_free(axes, is_minor=True), NAMES[:series] * places)
            self.assertEqual(len(self.assert_free(axes)), places)
            bars = [text.get_window_extent() for text in axes.get_xticklabels(minor=True)]
            groups = [text.get_window_extent() for text in axes.get_xticklabels()]
            lowest = min(box.y0 for box in bars)
            self.assertGreater(lowest, max(box.y1 for box in groups))

    def test_numbers_of_a_scale_stand_in_one_line(self):
        axes = self.draw("{kind: cdf, x: flows.fct_ns, series: seed, x-scale: log}")
        self.figure.draw_without_rendering()
        texts = axes.get_xticklabels() + axes.get_xticklabels(minor=True)
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        self.assertLess(max(box.y0 for box in boxes), min(box.y1 for box in boxes))

    def test_series_differ_without_their_colours(self):
        varied = f"sweep: {{control: [{', '.join(NAMES)}], rate: [1 GB/s, 2 GB/s]}}\n"
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: control}", varied)
        looks = {(line.get_marker(), line.get_linestyle()) for line in axes.lines}
        self.assertEqual(len(looks), len(NAMES))
        axes = self.draw("{kind: bar, x: rate, y: finish_time_ns, series: control}", varied)
        self.assertEqual(len({bars[0].get_hatch() for bars in axes.containers}), len(NAMES))
        for kind in ("{kind: cdf, x: flows.fct_ns", "{kind: time, y: max(series.queue_bytes)"):
            axes = self.draw(f"{kind}, series: control, where: {{rate: 1 GB/s}}}}", varied)
            looks = {(line.get_marker(), line.get_linestyle()) for line in axes.lines}
            self.assertEqual(len(looks), len(NAMES))

    def test_a_grid_is_behind_what_is_drawn(self):
        for rest in ("bar, x: rate, y: finish_time_ns, series: seed",
                     "stacked-bar, x: rate, series: seed",
                     "line, x: rate, y: finish_time_ns, series: seed"):
            self.assertTrue(self.draw(f"{{kind: {rest}}}").get_axisbelow(), rest)

    def test_of_one_row_there_is_no_most(self):
        for kind in ("line", "bar"):
            axes = self.draw(f"{{kind: {kind}, x: rate, series: seed, "
                             "y: max(collectives.busbw_GBps)}")
            self.assertEqual(axes.get_ylabel(), "collective's bus bandwidth, GB/s")
            axes = self.draw(f"{{kind: {kind}, x: rate, series: seed, y: max(flows.fct_ns)}}")
            self.assertEqual(axes.get_ylabel(), "max of flows' completion time, us")
            axes = self.draw(f"{{kind: {kind}, x: rate, series: seed, y: max(flows.fct_ns), "
                             "flows: [[0, 1]]}")
            self.assertEqual(axes.get_ylabel(), "flow's completion time, us")

    def test_a_legend_of_bars_stands_above_them(self):
        varied = f"sweep: {{control: [{', '.join(NAMES[:5])}], rate: [1 GB/s]}}\n"
        for kind in ("bar, y: finish_time_ns", "stacked-bar"):
            axes = self.draw(f"{{kind: {kind}, x: rate, series: control}}", varied)
            self.figure.draw_without_rendering()
            box = axes.get_legend().get_window_extent()
            for bars in axes.containers:
                self.assertGreater(box.y0, bars[0].get_window_extent().y1, kind)


class Zeros(HandMade):
    """A queue has 4 KB, 0, 0 and 2 KB at 10, 20, 30 and 40 us."""

    def test_a_curve_on_a_logarithmic_axis_comes_down_to_zero(self):
        axes = self.draw("{kind: time, y: series.queue_bytes, links: [[leaf0, '*']], "
                         "where: {seed: 1, rate: 1 GB/s}, y-scale: log}")
        self.assert_curve(axes.lines[0], [10, 20, 30, 40], [4, 0, 0, 2])
        bottom, top = axes.get_ylim()
        self.assertEqual(bottom, 0)
        heights = [axes.transAxes.inverted().transform(axes.transData.transform((10, y)))[1]
                   for y in (0, 1, 2, 4, top)]
        self.assertAlmostEqual(heights[0], 0)
        factors_of_two = heights[3] - heights[2], heights[2] - heights[1]
        self.assertAlmostEqual(*factors_of_two)
        self.assertAlmostEqual(heights[4], 1)

    def test_without_zeros_the_axis_is_plainly_logarithmic(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: seed, y-scale: log, "
                         "reference: 3 us}")
        self.assertEqual(axes.get_yscale(), "log")


class References(HandMade):
    """The lower bound is a third of the finish; the NPUs' links have 100 Gb/s."""

    def reference(self, axes):
        """(xs, ys) of the line that is drawn after the series."""
        line = axes.lines[-1]
        self.assertEqual(line.get_marker(), "None")
        return list(line.get_xdata()), list(line.get_ydata())

    def test_a_lower_bound_is_that_of_each_point(self):
        line = "{kind: line, x: rate, where: {seed: 2}, reference: lower-bound, y: "
        for value, words, factor in [
            ("finish_time_ns", "lower bound", 24 / 3),
            ("max(collectives.duration_ns)", "lower bound", 24 / 3),
        ]:
            axes = self.draw(f"{line}{value}}}")
            xs, ys = self.reference(axes)
            self.assertEqual(xs, RATES)
            for found, rate in zip(ys, RATES, strict=True):
                self.assertAlmostEqual(found, factor / rate)
            self.assertIn(words, self.legend(axes))

    def test_collectives_of_different_sizes_have_no_bandwidth_at_their_bound(self):
        """The columns of their bandwidths are empty."""
        rows = pandas.DataFrame({"duration_ns": [8.0, 6.0, 9.0], "lower_bound_ns": [4.0, 2.0, 0.0],
                                 "busbw_GBps": [math.nan, 5.0, 7.0]})
        def bounds(own, name):
            tables = SimpleNamespace(rows=lambda table, selection: own)
            return plot_limits.bounds(tables, f"max(collectives.{name})", None)
        self.assertEqual(bounds(rows, "busbw_GBps"), [5.0 * 6 / 2])
        self.assertEqual(bounds(rows, "duration_ns"), [4.0])
        self.assertEqual(bounds(rows[:1], "busbw_GBps"), [])
        self.assertEqual(bounds(pandas.DataFrame(), "busbw_GBps"), [])

    def test_a_bandwidth_is_held_against_that_of_the_lower_bound(self):
        for column, factor in (("algbw", 3 * 4 / 2), ("busbw", 1.5 * 3 * 4 / 2)):
            axes = self.draw("{kind: line, x: rate, where: {seed: 2}, reference: lower-bound, "
                             f"y: max(collectives.{column}_GBps)}}")
            for found, rate in zip(self.reference(axes)[1], RATES, strict=True):
                self.assertAlmostEqual(found, factor * rate)
            self.assertIn("at the lower bound", self.legend(axes))

    def test_bounds_that_differ_have_the_colours_of_their_series(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: seed, "
                         "reference: lower-bound}")
        lines = [line for line in axes.lines if len(line.get_xdata())]
        bounds = [line for line in lines if line.get_marker() == "None"]
        curves = [line for line in lines if line.get_marker() != "None"]
        for bound, curve in zip(bounds, curves, strict=True):
            self.assertEqual(bound.get_color(), curve.get_color())
            for low, high in zip(bound.get_ydata(), curve.get_ydata(), strict=True):
                self.assertAlmostEqual(low, high / 3)
        self.assertEqual(self.legend(axes), ["1", "2", "lower bound"])

    def test_a_bound_is_normalized_as_its_value(self):
        line = "{kind: line, x: rate, where: {seed: 1}, y: finish_time_ns, reference: lower-bound, "
        ys = self.reference(self.draw(line + "normalize: first}"))[1]
        for found, rate in zip(ys, RATES, strict=True):
            self.assertAlmostEqual(found, 1 / 3 / rate)
        ys = self.reference(self.draw(line + "speedup: first}"))[1]
        for found, rate in zip(ys, RATES, strict=True):
            self.assertAlmostEqual(found, 3 * rate)

    def test_a_line_rate_is_that_of_an_npu_or_of_the_links(self):
        axes = self.draw("{kind: line, x: rate, y: max(collectives.busbw_GBps), where: {seed: 1}, "
                         "reference: line-rate}")
        self.assertEqual(set(self.reference(axes)[1]), {100 / 8})
        axes = self.draw("{kind: time, y: series.rate_gbps, links: [[leaf0, '*']], "
                         "where: {seed: 1, rate: 1 GB/s}, reference: line-rate}")
        self.assertEqual(set(self.reference(axes)[1]), {2 * 40})  # two links

    def test_a_value_is_a_line_across(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: seed, "
                         "reference: 0.005 ms}")
        self.assertEqual(set(self.reference(axes)[1]), {5})  # us
        self.assertIn("0.005 ms", self.legend(axes))
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, series: seed, normalize: first, "
                         "reference: 0.5}")
        self.assertEqual(set(self.reference(axes)[1]), {0.5})
        axes = self.draw("{kind: cdf, x: flows.fct_ns, series: seed, reference: [5 us, 2 us]}")
        across = [line.get_xdata() for line in axes.lines if line.get_marker() == "None"]
        self.assertEqual(across, [[5, 5], [2, 2]])

    def test_each_bar_has_its_bound(self):
        axes = self.draw("{kind: bar, x: rate, y: finish_time_ns, series: seed, "
                         "reference: lower-bound}")
        (bounds,) = axes.collections
        found = {round(path.vertices[0, 0], 6): path.vertices[0, 1] for path in bounds.get_paths()}
        for bars, seed in zip(axes.containers, SEEDS, strict=True):
            for bar in bars:
                self.assertAlmostEqual(found[round(bar.get_x(), 6)], bar.get_height() / 3)

    def test_what_is_above_all_values_is_in_the_figure(self):
        for kind in ("line", "bar"):
            axes = self.draw(f"{{kind: {kind}, x: rate, y: finish_time_ns, series: seed, "
                             "reference: 100 us}")
            self.assertGreater(axes.get_ylim()[1], 100)


if __name__ == "__main__":
    unittest.main()
