#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a study file may say, and what it is told when it says something else."""

import json
import subprocess
import sys
import unittest
from unittest import mock

from study_bench import BUILD, TOP, Bench

from studies import study
from studies.errors import StudyError
from studies.quantities import as_numbers
from studies.store import flatten
from studies.study import read_study

BANDWIDTH = "network.dimensions[0].bandwidth"
SWEEP = f'sweep:\n  "{BANDWIDTH}": [1 GB/s, 2 GB/s]\n  seed: [1, 2]\n'
PLOT = f'{SWEEP}plots:\n  - {{kind: line, x: "{BANDWIDTH}", y: finish_time_ns, series: seed'


class StudyFile(Bench):
    @classmethod
    def setUpClass(cls):
        printed = subprocess.run([BUILD / "cli/nadi", "schema"], capture_output=True, check=True)
        cls.schema = json.loads(printed.stdout)

    def read(self, text):
        return read_study(self.study(text), self.schema)

    def fault(self, text):
        """What is wrong with a study, without the folder of its file."""
        with self.assertRaises(StudyError) as caught:
            self.read(text)
        return str(caught.exception).replace(f"{self.path}/", "")

    def test_columns_are_the_swept_keys_with_their_texts_in_order(self):
        study = self.read(
            "sweep: {seed: [3, 1], workload.collective: [{type: barrier, size: 1 B}]}\n"
        )
        self.assertEqual(list(study.columns()), ["seed", "workload.collective"])
        self.assertEqual(study.columns()["seed"], ["3", "1"])
        self.assertEqual(
            study.columns()["workload.collective"], ['{"type": "barrier", "size": "1 B"}']
        )

    def test_a_study_of_nothing_but_a_base_is_one_point(self):
        self.assertEqual(self.read("").columns(), {})

    def test_what_draws_is_not_loaded_to_read_a_study(self):
        """It takes a second, and a sweep without plots does not need it."""
        code = "import sys, studies.command; print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              check=True, cwd=TOP / "scripts")
        loaded = done.stdout.split()
        self.assertIn("studies.plot_kinds", loaded)
        self.assertFalse({"pandas", "numpy", "matplotlib"}.intersection(loaded))

    def test_a_plot_may_leave_out_what_does_not_vary(self):
        self.assertEqual(self.read(PLOT + "}\n").plots[0].series, ["seed"])
        self.assertEqual(self.read(PLOT.replace(", series: seed", ", where: {seed: 2}}\n"))
                         .plots[0].only, {"seed": ["2"]})

    def test_faults_name_their_line_and_what_would_be_right(self):
        for text, line, problem in [
            ("swep: {}\n", 2, "swep: unknown key (did you mean sweep?)"),
            ("sweep: [1]\n", 2, "sweep is no mapping; write key: value"),
            ("sweep:\n  seed: 1\n", 3, "sweep: seed is no list; write [a, b] or a line - a for "
             "each"),
            ("sweep:\n  seed: []\n", 3, "sweep: seed: no values; write at least one"),
            ("sweep:\n  seed: [1, 1]\n", 3, 'sweep: seed: "1" is given twice; remove one'),
            ("sweep:\n  seed: [1]\n  seed: [2]\n", 4, '"seed" is given twice; remove one of them'),
            ("sweep:\n  network.dimensions[0].bandwith: [1 GB/s]\n", 3,
             "network.dimensions[0].bandwith: unknown key (did you mean bandwidth?)"),
            ("sweep:\n  netwrk.backend: [flow]\n", 3,
             "netwrk: unknown key (did you mean network?)"),
            ("sweep:\n  network.packet.payload.speed: [1]\n", 3,
             'network.packet.payload: is a single value; remove ".speed"'),
            ("sweep:\n  network.dimensions.size: [1]\n", 3, "network.dimensions: is a list; say "
             "which item, as in network.dimensions[0].size"),
            ("sweep:\n  seed[0]: [1]\n", 3, "seed: is not a list; remove [0]"),
            ("sweep:\n  seed..a: [1]\n", 3, '"seed..a" is not a path of keys; write it like '
             "network.dimensions[0].bandwidth"),
            ("variants:\n  - {set: {seed: 1}}\n", 3, "variants: name is missing; it becomes the "
             "column variant"),
            ("variants:\n  - {name: a}\n  - {name: a}\n", 4, 'variants: "a" is no name of its own; '
             "write another"),
            ("variants:\n  - {name: a, sets: {}}\n", 3, "variants: sets: unknown key (did you mean "
             "set?)"),
            ("sweep: {seed: [1]}\nvariants:\n  - {name: a, set: {seed: 1}}\n", 4,
             "variants: set: seed is swept too; leave it in one of them"),
        ]:
            self.assertEqual(self.fault(text), f"study.yaml:{line}: {problem}")

    def test_a_label_is_no_column_of_the_results(self):
        """Neither a field of a run's summary, nor the title of one in a report."""
        study = "variants:\n  - {{name: a, labels: {{{}: x}}}}\n"
        words = [BUILD / "cli/nadi", "run", "base.yaml", "--quiet", "--out", "run"]
        subprocess.run(words, cwd=self.path, check=True, capture_output=True)
        summary = json.loads((self.path / "run/summary.json").read_text())
        fields = flatten(summary | {"memory": {"loads": 1}, "search": {"end": ""},
                                    "serving": {"ttft_ns": {"mean": 1}}, "exit_code": 1})
        self.assertLess(30, len(fields))
        for name in ("id", "variant", *fields):
            self.assertEqual(self.fault(study.format(name)), "study.yaml:3: variants: labels: "
                             f"{name} is a column already; write another name")
        self.assertEqual(self.fault(study.format("compute")), "study.yaml:3: variants: labels: "
                         "compute is the title of compute_ns in reports; write another name")
        for name in ("memory", "system", "NPUs", "model.size"):
            self.assertEqual(self.read(study.format(name)).labels(), [name])

    def test_only_digits_make_a_number(self):
        self.assertEqual(as_numbers(["4", "-4.5e1", ".5", "1."]), ([4, -45, 0.5, 1], ""))
        for text in ("4_8", "1_0 us", "nan", "1e400", "0x10", "", " 4", "4,5"):
            self.assertIsNone(as_numbers([text]), text)

    def test_faults_of_plots_name_their_line_and_what_would_be_right(self):
        base = f'{SWEEP}plots:\n  - {{kind: line, x: "{BANDWIDTH}", y: finish_time_ns'
        for plot, problem in [
            (f"{base}}}", "points differ in seed too; add it to series, or choose one value: "
             "where: {seed: 1}"),
            (f"{PLOT}, serie: seed}}", "serie: unknown key of a line (did you mean series?)"),
            (f"{PLOT}, x-scale: loq}}", 'x-scale: "loq" is not valid (did you mean log?)'),
            (f"{SWEEP}plots:\n  - {{kind: line, x: variant, y: ranks, x-scale: log}}\n"
             "variants: [{name: a}, {name: b}]",
             "x-scale: variant is no number above 0; omit it"),
            (f"{base}, where: {{seed: 3}}}}", 'where: seed is never "3"; known: 1, 2'),
            (f"{base}, series: sed}}", '"sed" does not vary in this study (did you mean seed?)'),
            (f"{PLOT}, normalize: 10 GB}}", 'normalize: "10 GB" is not valid; write first, '
             "first-of-series, {column: value} or a value such as 10 ns"),
            (f"{PLOT}, name: a/b}}", '"a/b" is no name of a file; use letters, digits, . _ -'),
            (f"{SWEEP}plots:\n  - {{x: seed}}", "kind is missing; write one of line, bar, "
             "stacked-bar, heat-map, cdf, time, table"),
            (f"{SWEEP}plots:\n  - {{kind: pie}}", 'kind: "pie" is not valid; known: line, bar, '
             "stacked-bar, heat-map, cdf, time, table"),
            (f"{SWEEP}plots:\n  - {{kind: line, x: seed}}", "y is missing; a line needs it"),
            (f"{SWEEP}plots:\n  - {{kind: cdf, x: flows.fct}}", '"flows.fct": flows.csv has no '
             'column "fct" that is a number (did you mean fct_ns?)'),
            (f"{SWEEP}plots:\n  - {{kind: cdf, x: flow.fct_ns}}", '"flow.fct_ns" is no column of '
             "the results (did you mean flows.fct_ns?)"),
            (f"{PLOT}, normalize: nan}}", 'normalize: "nan" is not valid; write first, '
             "first-of-series, {column: value} or a value such as 10 ns"),
            (f"{PLOT}, title: [a]}}",
             "title is no single value; write one word, number or quantity"),
            (f"{SWEEP}plots:\n  - {{kind: table, rows: seed, "
             "columns: [{value: ranks, link: []}]}",
             "columns: link: unknown key (did you mean links?)"),
            (f"{PLOT}, reference: 10 GB}}", 'reference: "10 GB" is not valid; write lower-bound, '
             "line-rate or a value such as 10 ns"),
            (f"{PLOT}, normalize: first, reference: 10 ns}}", 'reference: "10 ns" is not valid; '
             "write lower-bound, line-rate or a value such as 10"),
            (f"{PLOT}, reference: [lower-bound, line-rate]}}", "reference: finish_time_ns has no "
             "line-rate; these have: collectives.algbw_GBps, collectives.busbw_GBps, "
             "flows.goodput_gbps, series.rate_gbps"),
            (f"{base.replace('finish_time_ns', 'ranks')}, series: seed, reference: lower-bound}}",
             "reference: ranks has no lower-bound; these have: finish_time_ns, "
             "collectives.duration_ns, collectives.algbw_GBps, collectives.busbw_GBps"),
            (f"{SWEEP}plots:\n  - {{kind: stacked-bar, x: seed, parts: [ranks, idle_ns]}}",
             "parts: have different units; stack what adds up"),
        ]:
            self.assertEqual(self.fault(plot + "\n"), f"study.yaml:6: plots: {problem}")

    def test_an_unknown_field_lists_what_a_point_has(self):
        problem = self.fault(PLOT.replace("finish_time_ns", "finish_time") + "}\n")
        self.assertIn('"finish_time" is no number of a point (did you mean', problem)
        self.assertIn("max(flows.<column>)", problem)

    def test_a_function_or_column_that_is_none_is_named_with_what_is_known(self):
        functions = "min, max, mean, sum, jain, gap, p50, p90, p99"
        for plot, name, problem in [
            (PLOT, "p95(flows.fct_ns)", f'"p95" is no function; known: {functions}'),
            (PLOT, "(flows.fct_ns)", f'"" is no function; known: {functions}'),
            (PLOT, "max(collectives.busbw)", 'collectives.csv has no column "busbw" that is a '
             "number (did you mean busbw_GBps?)"),
            (PLOT, "p95(collectives.busbw)", 'collectives.csv has no column "busbw" that is a '
             "number (did you mean busbw_GBps?)"),
            (PLOT, "max(flows.goodput)", 'flows.csv has no column "goodput" that is a number (did '
             "you mean goodput_gbps?)"),
            (PLOT, "max(experts.xyz)", 'experts.csv has no column "xyz" that is a number; known: '
             "tokens"),
            (f"{SWEEP}plots:\n  - {{kind: time, y: finish_time_ns", "p95(series.queue_bytes)",
             f'"p95" is no function; known: {functions}'),
            (f"{SWEEP}plots:\n  - {{kind: time, y: finish_time_ns", "max(series.queue)",
             'series.csv has no column "queue" that is a number (did you mean queue_bytes?)'),
            (f"{SWEEP}plots:\n  - {{kind: line, y: ranks, x: finish_time_ns", "p95(flows.fct_ns)",
             f'"p95" is no function; known: {functions}'),
            (f"{SWEEP}plots:\n  - {{kind: cdf, x: finish_time_ns", "p95(flows.fct_ns)",
             f'"p95" is no function; known: {functions}'),
        ]:
            told = self.fault(plot.replace("finish_time_ns", name) + "}\n")
            self.assertEqual(told, f'study.yaml:6: plots: "{name}": {problem}')

    def test_files_that_cannot_be_read_are_named_with_who_names_them(self):
        self.assertEqual(
            self.missing_base(),
            'other.yaml:1: cannot read "nowhere.yaml": No such file or directory',
        )
        with self.assertRaises(StudyError) as caught:
            read_study(self.path / "none.yaml", self.schema)
        self.assertIn('nadi sweep: cannot read "', str(caught.exception))

    def missing_base(self):
        with self.assertRaises(StudyError) as caught:
            read_study(self.write("other.yaml", "base: nowhere.yaml\n"), self.schema)
        return str(caught.exception).replace(f"{self.path}/", "")

    def test_broken_yaml_names_its_line(self):
        self.assertRegex(self.fault("sweep: {seed: [1}\n"), "^study.yaml:2: is not valid YAML: .*")

    def test_yaml_beyond_the_limits_of_the_simulators_reader_names_its_line(self):
        # The two mappings around the values are levels too.
        self.assertEqual(self.fault("sweep: {}\nplots: " + "[" * 3000),
                         "study.yaml:3: nested deeper than 64 levels")
        self.assertEqual(self.fault("sweep: {seed: " + "[" * 63 + "]" * 63 + "}\n"),
                         "study.yaml:2: nested deeper than 64 levels")
        self.assertEqual(self.read("sweep: {seed: " + "[" * 62 + "]" * 62 + "}\n")
                         .columns()["seed"], ["[" * 61 + "]" * 61])
        self.assertEqual(self.fault("sweep:\n  seed: &a [1, *a]\n"), "study.yaml:3: an alias "
                         "stands inside its own anchor; write the values out")

    def test_aliases_count_as_what_they_stand_for(self):
        ten = "[" + "1, " * 9 + "1]"
        bomb = f"sweep:\n  a0: &a0 {ten}\n" + "".join(
            f"  a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
        # a0 to a4 repeat 10 x 11, ..., 10 x 11,111 values, 123,440 together; a5 repeats 1,111,110.
        self.assertEqual(self.fault(bomb), "study.yaml:8: aliases repeat more than a million "
                         "values; write out what is meant")
        chain = "sweep:\n  a0: &a0 " + "[" * 40 + "]" * 40 + "\n"
        self.assertEqual(self.fault(chain + "  a1: " + "[" * 30 + "*a0" + "]" * 30 + "\n"),
                         "study.yaml:4: nested deeper than 64 levels")

    def test_more_points_than_a_sweep_can_run_are_refused_before_they_are_made(self):
        with mock.patch.object(study, "MOST_POINTS", 6):
            self.assertEqual(len(self.read(f"{SWEEP}").columns()), 2)  # 4 points
            self.assertEqual(
                self.fault(f"{SWEEP}variants: [{{name: a}}, {{name: b}}]\n"),
                "study.yaml:2: sweep: 8 points (2 x 2 x 2) are more than 6; sweep fewer keys or "
                "values")
            names = ", ".join(f"{{name: v{i}}}" for i in range(7))
            self.assertEqual(self.fault(f"variants: [{names}]\n"),
                             "study.yaml:2: variants: 7 are more than 6 points; write fewer")
        values = ", ".join(map(str, range(1, 1001)))
        self.assertEqual(
            self.fault(f"sweep:\n  seed: [{values}]\n  workload.ranks: [{values}]\n"
                       f"  network.packet.payload: [{values}]\n"),
            "study.yaml:2: sweep: 1000000000 points (1000 x 1000 x 1000) are more than 100000; "
            "sweep fewer keys or values")


if __name__ == "__main__":
    unittest.main()
