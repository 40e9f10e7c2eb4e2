#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A kind of plot that this file adds alone: studies declare it, and its figure is drawn."""

import contextlib
import io
import unittest

from plot_bench import RATES, SEEDS, SWEEP, HandMade

from studies import plot_drawing
from studies.errors import StudyError
from studies.plot_axes import make_axes, place_axis, value_scale
from studies.plot_kinds import AXES, KINDS, Kind, register


def draw_dots(data, figure):
    """A dot for each point, in one colour for each series."""
    axes = make_axes(data, figure)
    x_axis = place_axis(data)
    label, factor = value_scale(data, data.rows.value)
    for name, rows in data.rows.groupby("series", sort=False):
        axes.scatter(rows.place.map(x_axis.numbers), rows.value / factor, label=name)
    axes.set(xlabel=x_axis.label, ylabel=label)


DOTS = Kind(name="dots", keys=("x", "y", "series", *AXES), required=("x", "y"),
            draw=f"{__name__}:draw_dots")
PLOT = "{kind: dots, x: rate, y: finish_time_ns, series: seed"


class PlotKinds(HandMade):
    def setUp(self):
        super().setUp()
        register(DOTS)
        self.addCleanup(KINDS.pop, "dots")

    def fault(self, plot):
        with self.assertRaises(StudyError) as caught:
            self.data(plot)
        return str(caught.exception).replace(f"{self.path}/", "")

    def test_its_function_draws_the_numbers_of_the_points(self):
        axes = self.draw(f"{PLOT}}}")
        self.assertEqual(self.labels(axes), ("rate, GB/s", "finish time, us"))
        for dots, seed in zip(axes.collections, SEEDS, strict=True):
            self.assertEqual(dots.get_label(), str(seed))
            for (x, y), rate in zip(dots.get_offsets(), RATES, strict=True):
                self.assertEqual(x, rate)
                self.assertAlmostEqual(y, 12 * seed / rate)

    def test_its_figures_are_files_beside_the_others(self):
        self.data(f"{PLOT}, name: mine}}, {{kind: bar, x: rate, y: ranks, series: seed}}")
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            plot_drawing.draw_all(self.declared, self.points, self.kept, self.store)
        files = sorted(file.name for file in (self.path / "out/plots").iterdir())
        self.assertEqual(files, ["2-bar.pdf", "2-bar.png", "mine.pdf", "mine.png"])
        picture = (self.path / "out/plots/mine.png").read_bytes()
        self.assertTrue(picture.startswith(b"\x89PNG\r\n"))
        self.assertEqual(told.getvalue(), "")

    def test_what_it_does_not_know_is_an_error_with_what_would_be_right(self):
        line = SWEEP.count("\n") + 2
        for plot, problem in [
            (f"{PLOT}, serie: seed}}", "serie: unknown key of a dots (did you mean series?)"),
            ("{kind: dots, x: rate}", "y is missing; a dots needs it"),
            ("{kind: dot, x: rate}", 'kind: "dot" is not valid (did you mean dots?)'),
            ("{kind: dots, x: rate, y: ranks}", "points differ in seed too; add it to series, or "
             "choose one value: where: {seed: 1}"),
        ]:
            self.assertEqual(self.fault(plot), f"study.yaml:{line}: plots: {problem}")


if __name__ == "__main__":
    unittest.main()
