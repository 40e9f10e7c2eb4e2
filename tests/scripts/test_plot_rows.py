#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plots of the rows of points' tables: chosen ones, over time, over seeds, as tables."""

import csv
import dataclasses
import unittest
import warnings

from plot_bench import LINKS, RATES, SEEDS, SERIES, HandMade

from studies import plot_drawing, plot_table
from studies.errors import StudyError
from studies.plot_selection import Selection
from studies.point_tables import PointTables, read_table
from studies.store import NOT_RUN, Result

ONE = "where: {seed: 1, rate: 1 GB/s}"
TIMES = [10, 20, 30, 40]


class Rows(HandMade):
    def test_rows_are_chosen_by_their_names(self):
        bar = "{kind: bar, x: rate, where: {seed: 1}, y: "
        for rest, height in [
            ("max(links.max_queue_bytes), links: [[npu0, leaf0]]", 4),  # KB
            ("max(links.max_queue_bytes), links: [[npu*, leaf0]]", 16),
            ("mean(flows.fct_ns), flows: [[2, '*']]", 3),  # us, of the point with rate 1
            ("gap(flows.end_ns)", 2),
            ("gap(flows.end_ns), flows: [[0, 1]]", 0),
            ("max(flows.goodput_gbps)", 8 * 1000 / 1000),
            ("jain(flows.goodput_gbps)", (1 + 1 / 3) ** 2 / (2 * (1 + 1 / 9))),
        ]:
            axes = self.draw(f"{bar}{rest}}}")
            self.assertAlmostEqual(axes.containers[0][0].get_height(), height, msg=rest)

    def test_a_table_is_read_as_it_is_written(self):
        """Digits to the last, and names that other programs take for numbers or for nothing."""
        file = self.write("t.csv", "from,to,bytes\nNA,007,0.30000000000000004\n,nan,3\n")
        rows = read_table(file)
        self.assertEqual(rows.bytes.tolist(), [0.1 + 0.2, 3])
        self.assertEqual(rows[["from", "to"]].values.tolist(), [["NA", "007"], ["", "nan"]])
        self.assertTrue(read_table(self.path / "none.csv").empty)

    def test_a_column_of_a_long_table_may_have_words_beside_its_numbers(self):
        """As the group in communication.csv, which is empty for point-to-point messages."""
        file = self.write("t.csv", "group,calls\n" + "1,2\n" * 300_000 + ",3\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            rows = read_table(file)
        self.assertEqual(rows.calls.sum(), 600_003)

    def test_cells_that_are_empty_do_not_count(self):
        """As the bound of a barrier; in any order of the rows."""
        for rows, values in [("3,", (3, 3, 3, 3, 3, 0)), ("1,3", (1, 3, 2, 4, 1, 2))]:
            cells = [*rows.split(","), "", ""]
            for order in (cells, cells[::-1]):
                self.write("c/collectives.csv", "\n".join(
                    ["type,fabric_bound_ns,channels", *(f"a,{one}," for one in order)]))
                tables = PointTables(self.path / "c", 1.0)
                found = [tables.measure(function, "collectives.fabric_bound_ns", Selection())
                         for function in ("min", "max", "mean", "sum", "p50", "gap")]
                self.assertEqual(tuple(found), values)
                self.assertIsNone(tables.measure("max", "collectives.channels", Selection()))

    def test_used_is_what_links_carried_of_what_they_could(self):
        line = "{kind: line, x: rate, series: seed, y: used(links)"
        axes = self.draw(f"{line}, links: [[npu*, leaf0]]}}")
        self.assertEqual(axes.get_ylabel(), "share of the links' bandwidth used")
        for one in axes.lines:
            self.assert_curve(one, RATES, [(0.5 + 0.25) / 2] * 3)
        whole = self.draw(f"{line}}}").lines[0]
        self.assert_curve(whole, RATES, [(50 + 25) / (100 + 100 + 40 + 40)] * 3)

    def test_columns_that_end_with_one_word_are_told_apart(self):
        both = 'network.dimensions[0].bandwidth", "network.dimensions[1].bandwidth'
        names = both.split('", "')
        swept = "sweep: {" + ", ".join(f'"{one}": [1 GB/s]' for one in names)
        swept += ", rate: [1 GB/s], seed: [1, 2]}\n"
        table = f'{{kind: table, rows: ["{both}", seed], columns: [ranks]}}'
        head = plot_table.write_table(self.data(table, swept))[0].splitlines()[0]
        self.assertEqual(head, "| dimensions[0].bandwidth | dimensions[1].bandwidth | seed | "
                               "ranks |")
        for series, title in ((f'"{both}"', "dimensions[0].bandwidth, dimensions[1].bandwidth"),
                              (f'"{names[0]}", rate', "bandwidth, rate")):
            axes = self.draw(f"{{kind: bar, x: seed, y: ranks, series: [{series}]}}", swept)
            self.assertEqual(axes.get_legend().get_title().get_text(), title)

    def test_where_nothing_is_above_0_a_logarithmic_axis_stays_linear(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for plot in ("bar, x: rate, y: packets", "line, x: rate, y: packets"):
                axes = self.draw(f"{{kind: {plot}, series: seed, y-scale: log}}")
                self.figure.canvas.draw()
                self.assertEqual(axes.get_yscale(), "linear")
            axes = self.draw("{kind: bar, x: rate, y: ranks, series: seed, y-scale: log}")
            self.assertEqual(axes.get_yscale(), "log")

    def test_a_choice_may_have_several_values(self):
        axes = self.draw("{kind: line, x: rate, y: finish_time_ns, "
                         "where: {seed: [2], rate: [1 GB/s, 4 GB/s]}}")
        self.assert_curve(axes.lines[0], [1, 4], [24, 6])

    def test_a_cdf_may_be_of_a_number_of_the_points(self):
        axes = self.draw("{kind: cdf, x: finish_time_ns, where: {rate: 1 GB/s}}")
        self.assertEqual(axes.get_xlabel(), "finish time, us")
        self.assert_curve(axes.lines[0], [12, 12, 24], [0, 0.5, 1])


class Over(HandMade):
    """Points that are one: 12 and 24 us, divided by the rate."""

    def test_a_mean_has_whiskers_to_the_least_and_the_most(self):
        for kind in ("line", "bar"):
            axes = self.draw(f"{{kind: {kind}, x: rate, y: finish_time_ns, over: seed}}")
            ends = [path.vertices[:, 1] for path in axes.collections[0].get_paths()]
            for (least, most), rate in zip(ends, RATES, strict=True):
                self.assertAlmostEqual(least, 12 / rate)
                self.assertAlmostEqual(most, 24 / rate)
        self.assertEqual([bar.get_height() for bar in axes.patches], [18 / rate for rate in RATES])

    def test_points_that_are_not_done_do_not_count(self):
        data = self.data("{kind: bar, x: rate, y: finish_time_ns, over: seed}")
        for number in (1, 2, 3):  # seed 2 of the first rate, and both of the second
            data.results[f"point{number}"] = Result(NOT_RUN)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            axes = plot_drawing.draw(data).axes[0]
        self.assertEqual([bar.get_height() for bar in axes.patches], [12, 0, 18 / 4])
        ends = [path.vertices[:, 1].tolist() for path in axes.collections[0].get_paths()]
        self.assertEqual(ends, [[12, 12], [3, 6]])

    def test_points_are_normalized_one_by_one(self):
        plot = "{kind: bar, x: rate, y: finish_time_ns, over: seed, normalize: "
        for rule in ("first", "{rate: 1 GB/s}"):
            axes = self.draw(f"{plot}{rule}}}")
            self.assertEqual([bar.get_height() for bar in axes.patches], [1, 0.5, 0.25])
            for path in axes.collections[0].get_paths():
                self.assertEqual(*path.vertices[:, 1])


class OverTime(HandMade):
    """A link without a row is idle and empty."""

    def tables(self, finish):
        self.write("t/series.csv", SERIES)
        self.write("t/links.csv", LINKS.format(1, 1))
        self.write("t/config.yaml", "output: {series: 10 us}\n")
        return PointTables(self.path / "t", finish)

    def test_a_link_has_a_curve(self):
        axes = self.draw(f"{{kind: time, y: series.utilization, links: [[npu*, leaf0]], {ONE}}}")
        self.assertEqual(self.labels(axes), ("time, us", "links' utilization"))
        self.assertEqual(self.legend(axes), ["npu0 to leaf0", "npu1 to leaf0"])
        self.assert_curve(axes.lines[0], TIMES, [0.5, 0.25, 1, 0])
        self.assert_curve(axes.lines[1], TIMES, [0, 0.75, 0, 0])

    def test_parallel_links_are_one(self):
        for column, label, values in [
            ("queue_bytes", "links' queue, KB", [4, 0, 0, 2]),
            ("ecn_marks", "links' ECN marks", [3, 0, 0, 4]),
            ("rate_gbps", "links' rate, Gb/s", [80, 0, 0, 20]),
            ("utilization", "links' utilization", [1, 0, 0, 0.25]),
            ("paused_ns", "links' paused, us", [1, 0, 0, 0]),
        ]:
            axes = self.draw(f"{{kind: time, y: series.{column}, links: [[leaf0, '*']], {ONE}}}")
            self.assertEqual(axes.get_ylabel(), label)
            self.assert_curve(axes.lines[0], TIMES, values)

    def test_links_can_be_one_curve(self):
        for function, values in [
            ("sum", [0.5, 1, 1, 0]),
            ("mean", [0.25, 0.5, 0.5, 0]),
            ("min", [0, 0.25, 0, 0]),
            ("max", [0.5, 0.75, 1, 0]),
            ("jain", [0.5, 1 / (2 * (0.25**2 + 0.75**2)), 0.5, None]),
        ]:
            axes = self.draw(f"{{kind: time, y: {function}(series.utilization), "
                             f"links: [[npu*, leaf0]], {ONE}}}")
            self.assertIsNone(axes.get_legend())
            found = [None if y != y else round(y, 9) for y in axes.lines[0].get_ydata()]
            self.assertEqual(found, [None if y is None else round(y, 9) for y in values])

    def test_series_and_panels_tell_points_apart(self):
        axes = self.draw("{kind: time, y: max(series.queue_bytes), series: [rate, seed]}")
        self.assertEqual(len(axes.lines), 6)
        self.assertEqual(self.legend(axes)[0], "1 GB/s, 1")
        self.draw("{kind: time, y: series.queue_bytes, links: [[npu0, leaf0], [npu1, leaf0]], "
                  "panels: rate, series: seed}")
        panels = [axes for axes in self.figure.axes if axes.get_visible()]
        self.assertEqual([axes.get_title() for axes in panels], ["1 GB/s", "2 GB/s", "4 GB/s"])
        for axes in panels:
            self.assertEqual([line.get_label() for line in axes.lines],
                             [f"{seed}, npu{i} to leaf0" for seed in SEEDS for i in (0, 1)])
        first, *_, last = [[line.get_color() for line in axes.lines] for axes in panels]
        self.assertEqual(first, last)
        self.assertEqual(len(set(first)), 4)

    def test_a_part_of_the_time_can_be_chosen(self):
        axes = self.draw("{kind: time, y: series.utilization, links: [[npu0, leaf0]], "
                         f"between: [10 us, 30 us], {ONE}}}")
        self.assert_curve(axes.lines[0], [20, 30], [0.25, 1])

    def test_a_time_in_which_nothing_was_kept_has_no_numbers(self):
        for function in ("max", "mean"):
            data = self.data(f"{{kind: bar, x: rate, {ONE}, y: {function}(series.utilization), "
                             "between: [1 s, 2 s]}")
            self.assertFalse(data.has_values())

    def test_links_are_idle_from_the_last_row_to_the_finish(self):
        chosen = Selection(links=(("npu0", "leaf0"),))
        late = dataclasses.replace(chosen, between=(30_000.0, 80_000.0))
        for finish, selection, function, value in [
            (89_999.0, chosen, "mean", 1.75 / 8),
            (90_000.0, chosen, "mean", 1.75 / 9),
            (35_000.0, chosen, "mean", 1.75 / 4),  # frames were on their way after the finish
            (89_999.0, chosen, "min", 0),
            (89_999.0, chosen, "p50", 0),
            (89_999.0, chosen, "p90", 1),
            (89_999.0, chosen, "gap", 0.5),
            (89_999.0, late, "mean", 0),
        ]:
            tables = self.tables(finish)
            found = tables.measure(function, "series.utilization", selection)
            self.assertEqual(found, value, (finish, function))
        self.assertEqual(self.tables(89_999.0).series("series.utilization", chosen).index[-1],
                         80_000)

    def test_percentiles_and_gaps_are_of_the_intervals_of_all_links(self):
        """Of 8 numbers: 0 four times, and 0.25, 0.5, 0.75 and 1."""
        chosen = Selection(links=(("npu*", "leaf0"),))
        for function, value in [("p50", 0), ("p90", 1), ("p99", 1), ("gap", 0.25)]:
            found = self.tables(40_000.0).measure(function, "series.utilization", chosen)
            self.assertEqual(found, value, function)

    def test_numbers_of_a_point_come_from_the_whole_series(self):
        bar = f"{{kind: bar, x: rate, {ONE}, links: [[npu*, leaf0]], y: "
        for rest, height in [
            ("max(series.utilization)", 1),
            ("min(series.utilization)", 0),
            ("mean(series.utilization)", (1.75 + 0.75) / 8),
            ("mean(series.utilization), between: [0 us, 20 us]", (0.75 + 0.75) / 4),
            ("sum(series.rate_gbps)", 100 * (1.75 + 0.75) / 4),
            ("sum(series.paused_ns)", 10),  # us
            ("jain(series.rate_gbps)", 2.5**2 / (2 * (1.75**2 + 0.75**2))),
        ]:
            axes = self.draw(f"{bar}{rest}}}")
            self.assertAlmostEqual(axes.containers[0][0].get_height(), height, msg=rest)


class Table(HandMade):
    TABLE = (
        "{kind: table, name: t, rows: rate, over: seed, columns: [ranks, "
        "{value: finish_time_ns, label: done}, {value: max(flows.fct_ns), flows: [[0, 1]]}]}"
    )

    def test_people_read_values_in_readable_units(self):
        lines = plot_table.markdown(self.data(self.TABLE)).splitlines()
        self.assertEqual(lines, [
            "| rate | ranks | done, us | max of flows' completion time, us |",
            "|---|---:|---:|---:|",
            "| 1 GB/s | 3 (2 to 4) | 18.0 (12 to 24) | 1 |",
            "| 2 GB/s | 3 (2 to 4) | 9.0 (6 to 12) | 2 |",
            "| 4 GB/s | 3 (2 to 4) | 4.5 (3 to 6) | 4 |",
        ])

    def test_digits_are_those_of_most_values(self):
        for cells, texts in [
            ([[16.0543], [2.2691], [0.0004], []], ["16.054", "2.269", "0.000", "-"]),
            ([[7145.23], [424.4], [12062.3]], ["7145", "424", "12062"]),
            ([[0.5, 0.6001], [0.7]], ["0.550 (0.500 to 0.600)", "0.700"]),
            ([[1, 2], [3]], ["1.5 (1 to 2)", "3.0"]),
            ([[100, 201], [3]], ["150 (100 to 201)", "3"]),
            ([[0], [0]], ["0", "0"]),
        ]:
            self.assertEqual(plot_table.column_texts(cells), texts)

    def test_programs_read_the_units_of_the_results(self):
        table = list(csv.DictReader(plot_table.csv(self.data(self.TABLE)).splitlines()))
        self.assertEqual([row.pop("rate") for row in table], ["1 GB/s", "2 GB/s", "4 GB/s"])
        fct = "max(flows.fct_ns)"
        self.assertEqual({name: float(text) for name, text in table[2].items()}, {
            "ranks": 3, "least ranks": 2, "most ranks": 4,
            "done": 4500, "least done": 3000, "most done": 6000,
            fct: 4000, f"least {fct}": 4000, f"most {fct}": 4000,
        })

    def test_columns_share_what_the_table_chooses(self):
        data = self.data(
            "{kind: table, rows: seed, where: {rate: 1 GB/s}, flows: [[2, 1]], columns: "
            "[max(flows.fct_ns), {value: min(flows.fct_ns), flows: [[0, 1]]}, ranks]}"
        )
        lines = plot_table.markdown(data).splitlines()
        self.assertEqual(lines[2:], ["| 1 | 3 | 1 | 2 |", "| 2 | 3 | 1 | 4 |"])


class Faults(HandMade):
    def fault(self, plot):
        with self.assertRaises(StudyError) as caught:
            self.data(plot)
        return str(caught.exception).split(": plots: ")[1]

    def test_they_say_what_would_be_right(self):
        line = "{kind: line, x: rate, series: seed, y: "
        table = "{kind: table, rows: rate, "
        for plot, problem in [
            (f"{line}finish_time_ns, links: [[a, b]]}}",
             "links: chooses rows of links.csv or series.csv, which is not drawn; omit it"),
            (f"{line}max(flows.fct_ns), flows: [0, 1]}}",
             "flows: is no list of pairs; write flows: [[0, 4]]"),
            (f"{line}used(links), links: leaf0}}",
             "links: is no list of pairs; write links: [[npu0, leaf0]]"),
            (f"{line}max(series.queue_bytes), between: [1, 2]}}",
             "between: is no pair of times; write between: [1 ms, 2 ms]"),
            (f"{line}max(series.queue_bytes), between: [2 ms, 2 us]}}",
             "between: 2 ms is not before 2 us; exchange them"),
            (f"{line}ranks, speedup: first}}", "speedup: ranks is no time; use normalize"),
            (f"{line}finish_time_ns, speedup: first, normalize: first}}",
             "speedup: normalize is given too; leave one of them out"),
            (f"{line}ranks, where: {{seed: []}}}}", "where: seed: no values; write at least one"),
            (f"{line}used(link)}}",
             '"used(link)" is no number of a point (did you mean used(links)?); or such as '
             "max(ranks.<column>), max(communication.<column>), max(breakdown.<column>), "
             "max(collectives.<column>), "
             "max(links.<column>), max(flows.<column>), max(series.<column>), "
             "max(requests.<column>), max(instances.<column>), max(experts.<column>)"),
            ("{kind: line, x: ranks, y: finish_time_ns, over: seed}",
             '"ranks" does not vary in this study; known: rate, seed'),
            ("{kind: time, y: links.bytes}",
             '"links.bytes" is nothing over time; write one of series.queue_bytes, '
             "series.utilization, series.paused_ns, series.ecn_marks, series.rate_gbps, or such "
             "as max(series.queue_bytes)"),
            ("{kind: time, y: series.utilization}",
             "links is missing; a curve for each of them: links: [[npu0, leaf0]], or one for all: "
             "y: max(series.utilization)"),
            ("{kind: time, y: max(series.utilization), series: rate}",
             "points differ in seed too; add it to series, or choose one value: where: {seed: 1}"),
            (f"{table}columns: [ranks]}}",
             "points differ in seed too; add it to rows, or choose one value: where: {seed: 1}"),
            (f"{table}over: seed, columns: []}}",
             "columns: none; name at least one number of a point"),
            (f"{table}over: seed, columns: [{{label: a}}]}}",
             "columns: value is missing; name a number of a point"),
            (f"{table}over: seed, columns: [{{value: ranks, lable: a}}]}}",
             "columns: lable: unknown key (did you mean label?)"),
        ]:
            self.assertEqual(self.fault(plot), problem)


if __name__ == "__main__":
    unittest.main()
