#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Results that are damaged, old or strange: one line and nothing written, or a page that holds."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from browser_bench import Page, start_browser, stop_browser
from report_bench import REPORT, SIMULATOR, TOP, Results, read_csv

sys.path.insert(0, str(TOP / "scripts"))
from report.html_page import to_json  # noqa: E402
from studies.results.result_directory import numbers_of  # noqa: E402

STRANGE = ["</script><script>window.didRun = true</script>",
           "<img src=x onerror='window.didRun=1'>",
           "\"quotes\" & 'quotes'", "\u2028 \u2029 \U0001F600 \u202E", "%{x}<b>bold</b>",
           "<!--", "]]>", "{{ 7 * 7 }}", "x" * 1_000_000]  # fmt: skip


def setUpModule():
    global results, whole
    results = Results()
    results.nadi("run", TOP / "configs/quickstart.yaml", "--out", "whole", "--quiet", "--set",
                 "output.timeline=on")
    whole = results.path / "whole"


def tearDownModule():
    results.scratch.cleanup()


class Damaged(unittest.TestCase):
    def setUp(self):
        self.copy = pathlib.Path(tempfile.mkdtemp(dir=results.path)) / "copy"
        shutil.copytree(whole, self.copy)

    def check_refused(self, code, *words):
        """One line, with these words, and no file more than before."""
        before = sorted(self.copy.rglob("*"))
        found, told = results.report_here(self.copy)
        self.assertEqual(found, code, told)
        self.assertEqual(told.count("\n"), 1, told)
        for word in words:
            self.assertIn(word, told)
        self.assertEqual(sorted(self.copy.rglob("*")), before)

    def test_a_directory_without_a_result_is_refused(self):
        (self.copy / "summary.json").unlink()
        self.check_refused(2, "holds no result")
        missing = results.report(self.copy / "missing")
        self.assertEqual((missing.returncode, missing.stderr.count("\n")), (2, 1))

    def test_a_newer_result_is_refused(self):
        summary = json.loads((self.copy / "summary.json").read_text())
        numbers = numbers_of(summary["version"])
        newer = ".".join(map(str, (numbers[0] + 1, *numbers[1:])))
        (self.copy / "summary.json").write_text(json.dumps(summary | {"version": newer}))
        self.check_refused(3, newer, "newer than this program")

    def test_tables_that_are_cut_off_anywhere_are_refused_or_have_whole_lines(self):
        chance = random.Random(5)
        for name in ("ranks.csv", "collectives.csv", "links.csv", "breakdown.csv"):
            text = (whole / name).read_bytes()
            cut = chance.randrange(1, len(text) - 1)
            while text[cut - 1:cut] == b"\n":
                cut -= 1
            (self.copy / name).write_bytes(text[:cut])
            self.check_refused(3, name, "is cut off")
            shutil.copy(whole / name, self.copy)

    def test_fewer_rows_than_ranks_are_refused(self):
        lines = (whole / "ranks.csv").read_text().splitlines(keepends=True)
        (self.copy / "ranks.csv").write_text("".join(lines[:-1]))
        self.check_refused(3, f"has {len(lines) - 2} ranks")

    def test_a_cell_that_is_no_number_is_named(self):
        lines = (whole / "links.csv").read_text().splitlines()
        lines[3] = lines[3].replace(",496,", ",fast,")
        (self.copy / "links.csv").write_text("\n".join(lines) + "\n")
        self.check_refused(3, "links.csv:4: bandwidth_gbps is \"fast\"")

    def test_files_that_are_something_else_are_refused(self):
        for name in ("summary.json", "collectives.csv", "timeline.pftrace", "links.csv"):
            (self.copy / name).write_bytes(b"\xff\x00\xfe{[,\n")
            self.check_refused(3, name)
            shutil.copy(whole / name, self.copy)

    def test_names_in_another_encoding_are_said_to_be_those_of_the_trace(self):
        rows = (whole / "collectives.csv").read_bytes()
        (self.copy / "collectives.csv").write_bytes(rows.replace(b"all-reduce", b"r\xe9duction"))
        self.check_refused(3, "collectives.csv: is not text in UTF-8; if its names come from a trace, "
                           "write them there in UTF-8; then run the simulation again")

    def test_a_timeline_that_is_cut_off_is_refused(self):
        raw = (whole / "timeline.pftrace").read_bytes()
        for size in (1, len(raw) // 3, len(raw) - 1):
            (self.copy / "timeline.pftrace").write_bytes(raw[:size])
            self.check_refused(3, "timeline.pftrace", "cut off")

    def test_a_place_that_cannot_be_written_leaves_nothing(self):
        done = results.report(self.copy, "--out", str(self.copy / "no/such/place.html"))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        device = results.report(self.copy, "--out", "/dev/null")
        self.assertEqual(device.returncode, 2)
        self.assertIn("is no file that can be replaced", device.stderr)

    def test_a_page_does_not_go_to_the_standard_output(self):
        before = sorted(results.path.iterdir())
        page = results.report(self.copy, "--out", "-")
        other = results.nadi("compare", self.copy, whole, "--report", "-", code=2)
        for done, option in ((page, "--out"), (other, "--report")):
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(f"name another with {option}, such as report.html", done.stderr)
        self.assertEqual(sorted(results.path.iterdir()), before)

    def test_a_full_disk_leaves_the_old_page_and_no_half_of_a_new_one(self):
        self.assertEqual(results.report(self.copy).returncode, 0)
        old, before = (self.copy / "report.html").read_bytes(), sorted(self.copy.rglob("*"))
        limit = f"ulimit -f 4000; exec {REPORT} --simulator {SIMULATOR} {self.copy}"
        full = subprocess.run(["bash", "-c", limit], capture_output=True, text=True)
        self.assertEqual((full.returncode, full.stderr.count("\n")), (2, 1), full.stderr)
        self.assertIn("cannot write", full.stderr)
        self.assertEqual((self.copy / "report.html").read_bytes(), old)
        self.assertEqual(sorted(self.copy.rglob("*")), before)

    def test_an_old_result_gets_a_page_that_says_what_it_lacks(self):
        for name in ("breakdown.csv", "timeline.pftrace"):
            (self.copy / name).unlink()
        summary = json.loads((self.copy / "summary.json").read_text())
        del summary["notes"]
        (self.copy / "summary.json").write_text(json.dumps(summary))
        self.assertEqual(results.report(self.copy).returncode, 0)
        page = (self.copy / "report.html").read_text()
        for words in ("exposed communication by type", "output.timeline: on", "output.series",
                      "output.flows: on", "what bounds the job"):
            self.assertIn(words, page.split('id="data"')[0])


class Strange(unittest.TestCase):
    """Names of a trace are anybody's."""

    @classmethod
    def setUpClass(cls):
        cls.copy = results.path / "strange"
        shutil.copytree(whole, cls.copy)
        cls.rows = read_csv(cls.copy / "collectives.csv")
        cls.names = [STRANGE[number % len(STRANGE)] for number in range(len(cls.rows))]
        cls.rename(cls.copy)
        cls.driver = start_browser()
        cls.addClassCleanup(stop_browser, cls.driver)

    @classmethod
    def rename(cls, directory):
        lines = [",".join(cls.rows[0])]
        for row, name in zip(cls.rows, cls.names):
            quoted = '"' + name.replace('"', '""') + '"'
            lines.append(",".join(quoted if key == "name" else value for key, value in row.items()))
        (directory / "collectives.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def open(self, file):
        """The page, of which every part is drawn and nothing has run."""
        self.assertLess(file.stat().st_size, 10e6)
        page = Page(self.driver, file)
        for part in page.all(".part"):
            page.part(part.get_attribute("data-name"))
        self.assertIsNone(page.run("return window.didRun || null"))
        self.assertEqual((page.messages(), page.requests()), ([], []))
        return page

    def shown(self, name):
        return name if len(name) < 300 else f"{'x' * 300}... (1,000,000 characters)"

    def test_names_change_nothing_but_themselves(self):
        self.assertEqual(results.report(self.copy).returncode, 0)
        page = self.open(self.copy / "report.html")
        self.assertEqual(page.exact("all-collectives", "name"), list(map(self.shown, self.names)))
        self.assertEqual([float(one) for one in page.exact("all-collectives", "duration")],
                         [float(row["duration_ns"]) for row in self.rows])

    def test_names_change_nothing_but_themselves_in_a_comparison(self):
        other = results.path / STRANGE[1].replace("/", "")
        results.nadi("run", TOP / "configs/quickstart.yaml", "--out", other, "--quiet", "--set",
                     "system.inter-dimension=themis")
        self.rename(other)
        file = results.path / "comparison.html"
        results.nadi("compare", self.copy, other, "--report", file)
        page = self.open(file)
        self.assertIn(other.name, page.find("h1").text)
        self.assertEqual(page.exact("runs-table", "directory"), [str(self.copy), str(other)])
        self.assertEqual(sorted(page.exact("matches", "name")), sorted(map(self.shown, self.names)))

    def test_no_text_ends_the_element_of_the_data(self):
        chance = random.Random(3)
        letters = "<>&/!-\"'\\scriptSCRIPT\u2028\u2029\U0001F600\n"
        for _ in range(300):
            text = "".join(chance.choices(letters, k=40))
            encoded = to_json({"name": text})
            self.assertIsNone(re.search("[<>&\u2028\u2029]", encoded))
            self.assertEqual(json.loads(encoded), {"name": text})


class Missing(unittest.TestCase):
    def test_a_missing_package_is_named(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=results.path))
        (folder / "sitecustomize.py").write_text(
            "import importlib.util\nfind = importlib.util.find_spec\n"
            "importlib.util.find_spec = lambda name, package=None: None if name == 'plotly' "
            "else find(name, package)\n")
        done = subprocess.run([REPORT, "--simulator", SIMULATOR, whole], capture_output=True,
                              text=True, env=os.environ | {"PYTHONPATH": str(folder)})
        self.assertEqual(done.returncode, 69)
        self.assertEqual(done.stderr,
                         "nadi report: not installed: python3-plotly (Debian's names)\n")


if __name__ == "__main__":
    unittest.main()
