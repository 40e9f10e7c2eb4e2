#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Pages of real results in a real browser without a network show what the files say."""

import json
import unittest

from browser_bench import WINDOW, Page
from comparison_pages import Comparison  # noqa: F401 (its tests are of this file's pages)
from pages_bench import KINDS, data_of, driver, file_of, folder, open_page
from report_bench import read_csv, read_summary

# A page opens at once, since it draws only what is seen.
ELEMENTS_AT_FIRST = 3000
PAPER_WIDTH = 1040  # of A4 on its side, in the pixels of a page


class AnyPage(unittest.TestCase):
    def test_every_part_draws_without_a_message_and_without_a_request(self):
        for kind in KINDS:
            with self.subTest(kind):
                page = open_page(kind)
                self.assertLess(page.elements(), ELEMENTS_AT_FIRST)
                names = [one.get_attribute("data-name") for one in page.all(".part")]
                self.assertGreater(len(names), 2)
                for name in names:
                    page.part(name)
                self.assertEqual(page.messages(), [])
                self.assertEqual(page.requests(), [])

    def test_every_axis_of_every_chart_has_a_title(self):
        for kind in KINDS:
            layouts = [part["layout"] for part in data_of(kind)["parts"].values()
                       if "layout" in part]
            for layout in layouts:
                self.assertTrue(layout["xaxis"]["title"]["text"], kind)
                self.assertTrue(layout["yaxis"]["title"]["text"], kind)

    def test_a_dark_page_has_light_letters_and_prints_dark_ones(self):
        page = open_page("congestion")
        name = "completion-times" if "completion-times" in data_of("congestion")["parts"] else (
            "utilization-by-tier")
        page.part(name)
        color = (f"return document.querySelector('[data-name={name}] .plot')"
                 "._fullLayout.font.color")
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        driver().execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        self.addCleanup(driver().execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []})
        page.wait_for(lambda: page.run(color) == "#e8e8e8")
        page.run("window.dispatchEvent(new Event('beforeprint'))")
        page.wait_for(lambda: page.run(color) == "#1b1b1b")
        self.assertEqual(len(page.all(".part:not(.drawn)")), 0)  # paper has all parts
        page.run("window.dispatchEvent(new Event('afterprint'))")
        page.wait_for(lambda: page.run(color) == "#e8e8e8")

    def test_paper_has_all_columns_and_charts_of_its_width(self):
        driver().set_window_size(2500, WINDOW[1])
        self.addCleanup(driver().set_window_size, *WINDOW)
        for kind in ("quickstart", "sweep"):
            page = open_page(kind)
            driver().execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            self.addCleanup(driver().execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": ""})
            page.run("window.dispatchEvent(new Event('beforeprint'))")
            widths = page.run("""return [...document.querySelectorAll("table, .plot svg, canvas")]
                .map(one => one.getBoundingClientRect().width)""")
            self.assertGreater(len(widths), 3)
            self.assertLessEqual(max(widths), PAPER_WIDTH + 1, kind)
            page.run("window.dispatchEvent(new Event('afterprint'))")
            driver().execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.assertEqual(page.all("table[style*=zoom], .broken"), [])
            page.wait_for(lambda: page.run("""
                return [...document.querySelectorAll(".place > .plot")].every(
                one => one.querySelector("svg")?.getBoundingClientRect().width > 1500)"""))

    def test_what_needs_no_chart_does_not_wait_for_the_library_of_charts(self):
        driver().set_window_size(WINDOW[0], 200)  # the first chart is far below
        self.addCleanup(driver().set_window_size, *WINDOW)
        page = Page(driver(), file_of("stuck"))
        open_page.cache_clear()
        self.assertTrue(page.run("return typeof Plotly === 'undefined'"))
        page.traces("time-by-rank")
        self.assertFalse(page.run("return typeof Plotly === 'undefined'"))
        self.assertEqual(page.messages(), [])

    def test_scripts_that_are_put_into_a_page_do_not_run(self):
        page = open_page("stuck")
        page.messages()
        page.run("""const script = document.createElement("script");
            script.textContent = "window.didRun = true"; document.body.append(script);""")
        self.assertIsNone(page.run("return window.didRun || null"))
        self.assertIn("Content Security Policy", page.messages()[0])


class Run(unittest.TestCase):
    def test_the_verdict_is_that_of_the_summary(self):
        page, summary = open_page("quickstart"), read_summary(folder("quickstart"))
        text = page.find("#verdict").text
        self.assertIn(summary["notes"][0], text)
        self.assertIn(f"{summary['finish_time_ns']:.3f} ns", text)
        for note in summary["notes"]:
            self.assertEqual(text.count(note), 1)

    def test_bars_of_a_rank_add_up_to_its_finish(self):
        traces = open_page("quickstart").traces("time-by-rank")
        ranks = read_csv(folder("quickstart") / "ranks.csv")
        for number, row in enumerate(ranks):
            sum_us = sum(trace["y"][number] for trace in traces)
            self.assertAlmostEqual(1e3 * sum_us, float(row["finish_ns"]), places=1)

    def test_the_table_of_collectives_has_the_numbers_of_the_file(self):
        page = open_page("quickstart")
        rows = read_csv(folder("quickstart") / "collectives.csv")
        self.assertEqual(len(page.rows("all-collectives")), len(rows))
        for head, name in (("duration", "duration_ns"), ("bus bandwidth", "busbw_GBps"),
                           ("lower bound", "lower_bound_ns"), ("size", "size_bytes")):
            self.assertEqual([float(one) for one in page.exact("all-collectives", head)],
                             [float(row[name]) for row in rows], head)

    def test_a_collective_of_different_sizes_has_no_bandwidth(self):
        page, rows = open_page("uneven"), read_csv(folder("uneven") / "collectives.csv")
        self.assertEqual([(row["type"], row["busbw_GBps"] == "") for row in rows],
                         [("all-to-all", True), ("all-reduce", False)])
        self.assertEqual(page.exact("all-collectives", "bus bandwidth"),
                         ["", str(float(rows[1]["busbw_GBps"]))])
        self.assertEqual({trace["name"].partition(",")[0] for trace in page.traces("bandwidth")},
                         {"all-reduce"})

    def test_tables_sort_filter_and_page(self):
        page = open_page("quickstart")
        links = read_csv(folder("quickstart") / "links.csv")
        page.sort("links", "carried")
        largest = sorted((int(row["bytes"]) for row in links), reverse=True)
        self.assertEqual([int(one) for one in page.exact("links", "carried")], largest[:20])
        page.sort("links", "carried")
        self.assertEqual([int(one) for one in page.exact("links", "carried")], largest[:-21:-1])
        page.filter("links", "from", "npu13")
        own = [row["to"] for row in links if row["from"] == "npu13"]
        self.assertEqual(sorted(page.exact("links", "to")), sorted(own))
        page.filter("links", "from", "")
        page.filter("links", "utilization", "> 40")
        status = page.find('.part[data-name="links"] [role=status]').text
        busy = sum(100 * float(row["utilization"]) > 40 for row in links)
        self.assertIn(f"of {busy} (of {len(links)} before filtering)", status)
        page.all('.part[data-name="links"] .bar button')[1].send_keys("\n")
        self.assertIn("Rows 21 to 40", page.find('.part[data-name="links"] [role=status]').text)

    def test_charts_zoom_by_key_and_show_their_numbers(self):
        page = open_page("quickstart")
        page.traces("queue-bytes")
        plot = '.part[data-name="queue-bytes"] '
        ranges = "return document.querySelector(arguments[0])._fullLayout.xaxis.range"
        begin, end = page.run(ranges, plot + ".plot")
        page.all(plot + ".bar button")[0].send_keys("\n")
        page.wait_for(lambda: page.run(ranges, plot + ".plot")[0] > begin)
        self.assertAlmostEqual(page.run(ranges, plot + ".plot")[1], end - (end - begin) / 4, 3)
        page.click(plot + "summary")
        page.wait_for(lambda: page.all(plot + "details tbody tr"))

    def test_the_time_line_zooms_and_says_what_is_under_the_mouse(self):
        page = open_page("quickstart")
        selector = page.part("time-line")
        status, canvas = page.find(selector + " [role=status]"), page.find(selector + " canvas")
        whole = float(read_summary(folder("quickstart"))["finish_time_ns"]) / 1e3
        self.assertEqual(status.text, f"0.000 us to {whole:.3f} us")
        canvas.send_keys("+")
        self.assertEqual(status.text, f"{whole / 4:.3f} us to {3 * whole / 4:.3f} us")
        canvas.send_keys("0")
        page.run("""const canvas = arguments[0], box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent("pointermove", {bubbles: true,
            clientX: box.left + 235, clientY: box.top + 30}));""", canvas)
        self.assertRegex(page.find(selector + " .detail").text,
                         r"^rank 0, compute: .+, from 0.000 us, for \d")

    def test_a_link_that_gets_the_focus_says_its_numbers(self):
        page = open_page("quickstart")
        selector = page.part("topology")
        page.run("document.querySelector(arguments[0]).focus()", selector + " path")
        first = read_csv(folder("quickstart") / "links.csv")[0]
        shown = page.find(selector + " .detail").text
        self.assertIn(f"{first['from']} -> {first['to']}: utilization ", shown)
        self.assertIn(f"{100 * float(first['utilization']):.4f}"[:6], shown)

    def test_completion_times_are_those_of_the_messages(self):
        trace, = open_page("quickstart").traces("completion-times")
        times = [float(row["fct_ns"]) for row in read_csv(folder("quickstart") / "flows.csv")]
        self.assertAlmostEqual(trace["x"][0], min(times) / 1e3, places=4)
        self.assertAlmostEqual(trace["x"][-1], max(times) / 1e3, places=4)
        self.assertEqual(trace["y"][-1], 100)

    def test_keys_have_their_help_and_defaults_can_be_hidden(self):
        page = open_page("quickstart")
        hidden = page.all(".settings tr.default")
        self.assertGreater(len(hidden), 10)
        helps = page.run("return [...document.querySelectorAll('.settings tbody tr')].map("
                         "r => [r.cells[0].textContent, r.cells[2].textContent])")
        self.assertIn("series.csv samples the links", dict(helps)["output.series"])
        page.click(".hide-defaults")
        self.assertFalse(hidden[0].is_displayed())

    def test_a_congested_network_shows_its_marks_and_pauses_by_link(self):
        page = open_page("congestion")
        page.sort("links", "ECN marks")
        marks = sorted((int(row["ecn_marks"]) for row in
                        read_csv(folder("congestion") / "links.csv")), reverse=True)
        self.assertGreater(marks[0], 0)
        self.assertEqual([int(one) for one in page.exact("links", "ECN marks")], marks[:20])
        options = [one.text for one in page.all(page.part("topology") + " option")]
        self.assertIn("ECN marks", options)

    def test_a_stuck_job_shows_who_waits_for_whom(self):
        page = open_page("stuck")
        self.assertIn("The job cannot finish", page.find("#verdict").text)
        waiting = read_summary(folder("stuck"))["ranks"]
        self.assertEqual(len(page.rows("waiting-ranks")), waiting)
        self.assertEqual(len(page.all(page.part("waits-graph") + " circle")), waiting)
        self.assertGreater(len(page.all(page.part("waits-graph") + " path[tabindex]")), 0)

    def test_ranks_that_wait_in_a_circle_are_named_and_their_arrows_marked(self):
        page = open_page("circle")
        cycle = json.loads((folder("circle") / "waits.json").read_text())["cycle"]
        self.assertEqual(sorted(cycle), [0, 1, 2, 3])
        self.assertIn(f"wait for each other in a circle: {', '.join(map(str, cycle))}.",
                      page.find("#waits").text)
        arrows = page.all(page.part("waits-graph") + " path[tabindex]")
        self.assertEqual(len(arrows), 6)
        told = []
        for arrow in arrows:
            page.run("arguments[0].focus()", arrow)
            told.append(page.find('[data-name="waits-graph"] .detail').text)
        following = [*cycle[1:], cycle[0]]
        for rank, other in zip(cycle, following):
            self.assertIn(f"rank {rank} -> rank {other}: part of the circle yes", told)
        self.assertIn("rank 4 -> rank 0: part of the circle no", told)
        self.assertTrue(all("url(#arrow-" in one.get_attribute("marker-end") for one in arrows))

    def test_an_interrupted_run_says_that_it_is_partial(self):
        self.assertIn("results are partial", open_page("interrupted").find("#verdict").text)


class Sweep(unittest.TestCase):
    def test_points_and_failures_are_those_of_the_file(self):
        page, rows = open_page("sweep"), read_csv(folder("sweep") / "results.csv")
        self.assertEqual(page.exact("points-table", "id"), [row["id"] for row in rows])
        lost = [row for row in rows if row["status"] != "done"]
        self.assertEqual(page.exact("failures-table", "exit reason"),
                         [row["exit_reason"] for row in lost])
        self.assertEqual(len(lost), 3)
        page.filter("points-table", "status", "done")
        self.assertEqual(len(page.rows("points-table")), len(rows) - len(lost))

    def test_axes_series_and_normalisation_are_chosen_on_the_page(self):
        page, rows = open_page("sweep"), read_csv(folder("sweep") / "results.csv")
        done = [row for row in rows if row["status"] == "done"]
        traces = page.traces("explorer")
        self.assertEqual([one["name"] for one in traces], ["1", "4"])
        own = [float(row["finish_time_ns"]) for row in done if row["system.chunks"] == "1"]
        self.assertAlmostEqual(traces[0]["y"][0] / traces[0]["y"][-1], own[0] / own[-1], places=6)
        self.choose(page, "Normalise each series:", "first = 1")
        self.assertAlmostEqual(page.traces("explorer")[0]["y"][2], own[2] / own[0], places=6)
        self.choose(page, "Series:", "none")
        self.assertEqual(len(page.traces("explorer")), 1)
        self.choose(page, "Vertical axis:", "packets")
        self.choose(page, "Normalise each series:", "none")
        self.assertEqual(sorted(page.traces("explorer")[0]["y"]),
                         sorted(float(row["packets"]) for row in done))

    def choose(self, page, label, option):
        page.run("""const label = [...document.querySelectorAll(".choice")].find(
            one => one.textContent.startsWith(arguments[0]));
            const select = label.querySelector("select"); select.value = arguments[1];
            select.dispatchEvent(new Event("change"));""", label, option)


class Validation(unittest.TestCase):
    def test_curves_are_those_of_the_rows_and_glitches_are_marked(self):
        page = open_page("validation")
        rows = read_csv(folder("validation") / "validation.csv")
        traces = {one["name"]: one for one in page.traces("table-0")}
        for name, column in (("measured", "measured_ns"), ("simulated", "simulated_ns")):
            for shown, row in zip(traces[name]["y"], rows, strict=True):
                self.assertAlmostEqual(1e3 * shown, float(row[column]), places=2)
        glitches = [int(row["size_bytes"]) for row in rows if row["glitch"] == "yes"]
        self.assertEqual(len(glitches), 1)
        self.assertEqual(traces["glitch"]["x"], glitches)

    def test_the_worst_rows_come_first(self):
        page = open_page("validation")
        shown = [abs(float(one)) for one in page.exact("worst-rows", "error")]
        rows = read_csv(folder("validation") / "validation.csv")
        self.assertEqual(max(shown), max(abs(float(row["error"])) for row in rows
                                         if row["glitch"] == "no"))


if __name__ == "__main__":
    unittest.main()
