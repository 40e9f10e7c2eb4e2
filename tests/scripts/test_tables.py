#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tables of sweeps over sizes, as nccl-tests prints them."""

import contextlib
import io
import unittest

from study_bench import BASE, TOP
from study_runs import StudyRuns

from studies.quantities import is_result_column
from studies.study import read_study

OPEN = {"type": "object"}


class Tables(StudyRuns):
    def tables_of(self, text):
        """([(point, its result)], table.txt, what is printed) of a study."""
        told = io.StringIO()
        runs, store = self.run_study(read_study(self.study(text), OPEN), told)
        file = store.out / "table.txt"
        return runs, file.read_text() if file.exists() else "", told.getvalue()

    def test_there_is_a_table_for_each_combination_of_what_varies_beside_the_size(self):
        study = (
            "sweep:\n  workload.collective.size: [64 KiB, 1 MiB]\n"
            "  system.collectives.all-reduce: [ring, direct]\n"
            "variants:\n"
            "  - {name: slow, labels: {speed: 1}}\n"
            '  - {name: fast, labels: {speed: 2}, set: {"network.dimensions[0].latency": 1 ns}}\n'
        )
        runs, table, told = self.tables_of(study)
        self.assertIn(table, told)
        found = [one.splitlines() for one in table.split("\n\n")]
        heads = [one[:2] for one in found]
        self.assertEqual(heads, [
            [f"# variant: {name}", f"# system.collectives.all-reduce: {algorithm}"]
            for name in ("slow", "fast") for algorithm in ("ring", "direct")
        ])
        for one in found:
            self.assertEqual(one[2], "# nadi: all-reduce, 2 ranks")
            self.assertEqual([line.split()[:2] for line in one[3:]],
                             [["#", "size"], ["#", "(B)"], ["65536"] * 2, ["1048576"] * 2])
        times = {tuple(point.coordinates.values()): float(result.summary["finish_time_ns"])
                 for point, result in runs}
        time = times["fast", "2", "1 MiB", "direct"]
        names, cells = found[3][3].lstrip("# ").split(), found[3][6].split()
        row = dict(zip(names, cells))
        self.assertEqual(row["time"], f"{time / 1e3:.3f}")
        told = [row[name] for name in ("type", "redop", "algorithm", "protocol", "channels")]
        self.assertEqual(told, ["int8", "sum", "direct", "-", "-"])
        self.assertEqual(names[-1], "lower-bound")

    def test_the_count_is_that_of_a_rank_where_nccl_tests_counts_so(self):
        self.write("base.yaml", BASE.replace("all-reduce", "all-gather"))
        _, table, _ = self.tables_of("sweep: {workload.collective.size: [1 KiB, 2 KiB]}\n")
        # two ranks of 1 KiB each
        self.assertEqual(table.splitlines()[3].split()[:4], ["2048", "1024", "int8", "none"])

    def test_the_shares_of_gathers_and_scatters_are_counted_too(self):
        for kind in ("gather", "scatter"):
            self.write("base.yaml", BASE.replace("all-reduce", kind))
            _, table, _ = self.tables_of("sweep: {workload.collective.size: [1 KiB, 2 KiB]}\n")
            self.assertEqual(table.splitlines()[3].split()[:4], ["2048", "1024", "int8", "none"])

    def test_the_time_of_calls_that_overlap_is_that_of_all_by_their_number(self):
        self.write("base.yaml", f"""
workload: {{collective: {{type: broadcast, size: 1 MiB, repeat: 20}}, ranks: 8}}
system: {{library: {{name: nccl, preset: h100}}}}
network: {TOP}/configs/networks/hgx-h100.yaml
""")
        runs, table, _ = self.tables_of("sweep: {workload.collective.size: [1 MiB]}\n")
        [(_, result)] = runs
        finish = float(result.summary["finish_time_ns"])
        names, cells = (table.splitlines()[at].lstrip("# ").split() for at in (1, 3))
        row = dict(zip(names, cells))
        self.assertEqual(row["time"], f"{finish / 20 / 1e3:.3f}")
        self.assertEqual(row["algbw"], f"{2 ** 20 / (finish / 20):.3f}")
        self.assertEqual(row["busbw"], row["algbw"])  # the factor of a broadcast is 1

    def test_a_table_of_single_calls_of_a_chain_says_so(self):
        """nccl-tests prints the mean of many calls, whose hops overlap. Those that only repeat do
        not."""
        told = (", single calls (system.library.calls: back-to-back gives the mean of many, as "
                "nccl-tests prints it)")
        times = {}
        for kind, calls, repeat, words in (
            ("broadcast", "single", 1, told),
            ("reduce", "single", 1, told),
            ("reduce", "single", 2, told),
            ("reduce", "back-to-back", 1, ""),
            ("all-reduce", "single", 1, ""),
        ):
            self.write("base.yaml", f"""
workload: {{collective: {{type: {kind}, size: 1 KiB, repeat: {repeat}}}, ranks: 8}}
system: {{library: {{name: nccl, preset: h100, calls: {calls}}}}}
network: {TOP}/configs/networks/hgx-h100.yaml
""")
            _, table, _ = self.tables_of("sweep: {workload.collective.size: [1 KiB]}\n")
            head, *_, row = table.splitlines()
            self.assertEqual(head, f"# nadi: {kind}, 8 ranks{words}")
            times[kind, calls, repeat] = row.split()[4]
        self.assertEqual(times["reduce", "single", 2], times["reduce", "single", 1])

    def test_of_many_tables_the_terminal_has_the_first_ones(self):
        seeds = ", ".join(map(str, range(10)))
        _, table, told = self.tables_of(
            f"sweep: {{seed: [{seeds}], workload.collective.size: [1 KiB, 2 KiB]}}\n"
        )
        self.assertEqual(table.count("# seed: "), 10)
        self.assertEqual(told.count("# seed: "), 8)
        self.assertIn("... and 2 more tables in table.txt\n", told)

    def test_what_is_no_size_sweep_has_no_table(self):
        self.write("study/table.txt", "of an earlier form of the study")
        _, table, told = self.tables_of(
            "sweep: {workload.collective.size: [1 KiB], seed: [1, 2]}\n"
        )
        self.assertEqual((table, told), ("", ""))

    def test_all_that_a_run_tells_is_known_as_a_column_so_that_no_label_takes_its_name(self):
        runs, _, _ = self.tables_of("sweep:\n  workload.collective.size: [64 KiB]\n")
        [(_, result)] = runs
        self.assertGreater(len(result.summary), 20)
        self.assertEqual([name for name in result.summary if not is_result_column(name)], [])


if __name__ == "__main__":
    unittest.main()
