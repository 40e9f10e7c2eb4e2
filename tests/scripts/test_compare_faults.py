#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The command line of nadi compare, and what it says of directories that are no whole result."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from compare_bench import RESULTS, VERSION, make_runs, read
from study_bench import BUILD, SECONDS_AT_MOST, TOP

from studies.compare.comparison import compare
from studies.compare.json_form import comparison_fields
from studies.compare.run import Run
from studies.errors import UsageError, UserError

COMPARE = TOP / "scripts/compare.py"


def setUpModule():
    make_runs(["base", "fast", "straggler"])


class Faults(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)
        shutil.copytree(RESULTS / "base", self.path / "it")

    def fault(self, kind=UserError):
        with self.assertRaises(kind) as caught:
            compare(Run(self.path / "it", VERSION), read("fast"))
        text = str(caught.exception)
        self.assertNotIn("\n", text)
        return text.replace(f"{self.path}/", "")

    def change(self, name, old, new):
        file = self.path / "it" / name
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, 1))

    def test_a_file_that_is_cut_off_is_named(self):
        for name in ("ranks", "collectives", "links"):
            file = self.path / f"it/{name}.csv"
            whole = file.read_text()
            file.write_text(whole[:-5])
            self.assertEqual(self.fault(), f"it/{name}.csv: is cut off: its last line has no end; "
                             "run the simulation again")
            file.unlink()
            self.assertEqual(self.fault(), f"it/{name}.csv: is missing; run the simulation again")
            file.write_text(whole)

    def test_damaged_fields_are_named_with_their_line(self):
        self.change("links.csv", "npu0,npu1,80,", "npu0,npu1,80,x")
        self.assertRegex(self.fault(), r'^it/links.csv:2: bytes is "x\d+", which is no number; ')

    def test_a_line_with_other_fields_is_named(self):
        self.change("ranks.csv", "\n0,", "\n0,7,")
        self.assertEqual(self.fault(), "it/ranks.csv:2: has another number of fields than the "
                         "first line; run the simulation again")

    def test_a_summary_that_contradicts_itself_is_damaged(self):
        self.change("summary.json", '"idle_ns": ', '"idle_ns": 1')
        self.assertIn("do not add up to finish_time_ns", self.fault())

    def test_a_summary_that_is_no_json_or_lacks_fields_is_damaged(self):
        self.change("summary.json", '"backend"', '"front"')
        self.assertEqual(self.fault(), "it/summary.json: has no field backend; run the simulation "
                         "again")
        self.change("summary.json", "}", "")
        self.assertIn("is no JSON, or is cut off", self.fault())

    def test_a_configuration_that_is_none_is_damaged(self):
        (self.path / "it/config.yaml").write_text("a: [")
        self.assertEqual(self.fault(), "it/config.yaml: is no configuration; run the simulation "
                         "again")

    def test_a_result_of_a_newer_version_is_refused(self):
        summary = json.loads((self.path / "it/summary.json").read_text(), parse_float=str)
        self.change("summary.json", f'"version": "{summary["version"]}"', '"version": "0.10.0+g1"')
        self.assertEqual(self.fault(), "it/summary.json: was written by version 0.10.0+g1, which "
                         f"is newer than this program ({VERSION}); use that version")

    def test_what_is_no_result_is_a_wrong_command_line(self):
        (self.path / "it/config.yaml").unlink()
        self.assertIn("holds no result: a run leaves config.yaml", self.fault(UsageError))
        (self.path / "it/points").mkdir()
        self.assertIn("holds the results of a sweep; name its points", self.fault(UsageError))


class Command(unittest.TestCase):
    def compare(self, *words, python=()):
        simulator = ["--simulator", BUILD / "cli/nadi"]
        return subprocess.run([*python, COMPARE, *simulator, *words], capture_output=True,
                              text=True, timeout=SECONDS_AT_MOST, cwd=RESULTS)

    def test_several_results_are_compared_with_the_first(self):
        done = self.compare("base", "fast", "straggler")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()[:3]],
                         ["A  base", "B  fast", "C  straggler"])
        self.assertEqual(done.stdout.count("Where the difference of"), 2)
        self.assertIn("  network.dimensions[0].bandwidth  10 GB/s  20 GB/s\n", done.stdout)

    def test_json_has_what_the_tables_have(self):
        done = self.compare("base", "fast", "--json")
        fields = json.loads(done.stdout)
        self.assertEqual([run["directory"] for run in fields["runs"]], ["base", "fast"])
        comparison = fields["comparisons"][0]
        self.assertEqual(comparison, json.loads(json.dumps(
            comparison_fields(compare(read("base"), read("fast"))))))
        finish = comparison["finish_time"]
        self.assertEqual(sum(part["difference_ps"] for part in finish["parts"]),
                         finish["difference_ps"])
        self.assertEqual(finish["difference_ps"], finish["after_ps"] - finish["before_ps"])

    def test_faults_are_one_line_with_their_exit_code(self):
        for words, code, line in [
            (["base"], 2, "nadi compare: one result cannot be compared; name two or more\n"),
            (["base", "none"], 2, 'nadi compare: "none" holds no result: a run leaves config.yaml '
             "and summary.json; name such a directory\n"),
        ]:
            done = self.compare(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", line))

    def test_a_page_that_cannot_be_written_is_exit_2_and_leaves_nothing(self):
        for place, words in (("none/page.html", "No such file or directory"),
                             ("base", "is no file that can be replaced")):
            before = sorted(RESULTS.rglob("*"))
            done = self.compare("base", "fast", "--report", place)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(words, done.stderr)
            self.assertIn("with --report", done.stderr)
            self.assertEqual(sorted(RESULTS.rglob("*")), before)

    def test_packages_that_are_missing_are_named(self):
        for words, packages in (([], "python3-yaml"), (
                ["--report", "page.html"],
                "python3-yaml python3-jinja2 python3-numpy python3-pandas python3-plotly")):
            done = self.compare("base", "fast", *words, python=[sys.executable, "-S"])
            self.assertEqual(done.returncode, 69)
            self.assertEqual(done.stderr,
                             f"nadi compare: not installed: {packages} (Debian's names)\n")


if __name__ == "__main__":
    unittest.main()
