#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What nadi compare says of results that the simulator made."""

import csv
import itertools
import json
import random
import shutil
import unittest

from compare_bench import RESULTS, RUNS, make_runs, read, rows_of, simulate, told
from study_bench import TOP

from studies.compare.comparison import compare
from studies.compare.json_form import comparison_fields
from studies.compare.text import describe


def setUpModule():
    make_runs()


class Differences(unittest.TestCase):
    def test_a_run_is_the_same_as_itself(self):
        self.assertEqual(told("base", "base"), "A and B are the same: nothing differs.")
        fields = comparison_fields(compare(read("base"), read("base")))
        self.assertTrue(fields["same_outcome"])
        self.assertEqual(fields["configuration"], [])

    def test_the_one_key_that_differs_is_named_first(self):
        for name, key, before, after in [
            ("fast", "network.dimensions[0].bandwidth", "10 GB/s", "20 GB/s"),
            ("themis", "system.inter-dimension", "baseline",
             '{"name": "themis", "threshold": "0.0625"}'),
            ("packets", "network.backend", "analytical", "packet"),
            ("shape", "network.dimensions[0].shape", "ring", "switch"),
            ("small", "network.dimensions[0].size", "4", "2"),
            ("chunks", "system.chunks", "auto", "1"),
        ]:
            first = compare(read("base"), read(name)).keys[0]
            self.assertEqual((first.key, first.before, first.after), (key, before, after))
            line = told("base", name).splitlines()[2]
            self.assertEqual(line.split()[0], key)

    def test_traces_of_the_same_content_are_the_same_wherever_they_lie(self):
        for name in ("one", "two"):
            folder = RESULTS / f"traces-{name}"
            folder.mkdir(exist_ok=True)
            shutil.copy(TOP / "configs/workloads/mlp-six-layers.et", folder / "mlp.et")
            text = (f"workload: {{trace: traces-{name}/mlp.et, ranks: 4}}\nnetwork: {{backend: "
                    "analytical, dimensions: [{shape: ring, size: 4, bandwidth: 10 GB/s, "
                    "latency: 1 us}]}\n")
            (RESULTS / f"{name}.yaml").write_text(text)
            simulate(RESULTS / f"{name}.yaml", f"trace-{name}")
        self.assertEqual(compare(read("trace-one"), read("trace-two")).keys, ())

    def test_traces_of_other_content_differ_in_their_key(self):
        trace = (TOP / "configs/workloads/mlp-six-layers.et").read_bytes()
        for folder, content in (("ranks-one", trace), ("ranks-two", trace), ("ranks-other", b"-")):
            (RESULTS / folder).mkdir()
            for rank in range(2):
                (RESULTS / folder / f"mlp.{rank}.et").write_bytes(content)
        (RESULTS / "ranks.yaml").write_text(
            'workload: {trace: "ranks-one/mlp.{rank}.et"}\nnetwork: {backend: analytical, '
            "dimensions: [{shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}]}\n")
        simulate(RESULTS / "ranks.yaml", "of-ranks-one")
        for other, keys in (("two", []), ("other", ["workload.trace"])):
            copy = RESULTS / f"of-ranks-{other}"
            shutil.copytree(RESULTS / "of-ranks-one", copy)
            text = (copy / "config.yaml").read_text()
            (copy / "config.yaml").write_text(text.replace("ranks-one/", f"ranks-{other}/"))
            found = compare(read("of-ranks-one"), read(f"of-ranks-{other}")).keys
            self.assertEqual([one.key for one in found], keys)

    def test_a_file_that_changed_between_the_runs_is_said(self):
        topology = RESULTS / "cluster.yaml"
        text = ("nodes: {npus: 2}\nlinks: [{from: npu0, to: npu1, bandwidth: 1 GB/s, "
                "latency: 1 us}]\n")
        (RESULTS / "named.yaml").write_text(
            "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
            "network: {topology: {file: cluster.yaml}}\n")
        for name, rate in (("slow-file", "1 GB/s"), ("fast-file", "2 GB/s"), ("again", "2 GB/s")):
            topology.write_text(text.replace("1 GB/s", rate))
            simulate(RESULTS / "named.yaml", name)
        comparison = compare(read("slow-file"), read("fast-file"))
        self.assertEqual(comparison.keys, ())
        self.assertEqual(comparison.notes, (
            "Only the outcomes differ: a file that the configuration names must have changed "
            f"between the runs (network.topology.file: {topology}).",))
        self.assertIn(f"note: {comparison.notes[0]}", told("slow-file", "fast-file"))
        self.assertEqual(compare(read("fast-file"), read("again")).notes, ())

    def test_outcomes_that_nothing_explains_are_said(self):
        copy = RESULTS / "unexplained"
        shutil.copytree(RESULTS / "base", copy)
        summary = json.loads((copy / "summary.json").read_text())
        summary["digest"] = "0" * 32
        (copy / "summary.json").write_text(json.dumps(summary))
        (note,) = compare(read("base"), read("unexplained")).notes
        self.assertRegex(note, "^Only the outcomes differ, and the configuration names no file: "
                         "a result was changed .* or this is a bug of Nadi")
        summary["build"] = "another"
        (copy / "summary.json").write_text(json.dumps(summary))
        (note,) = compare(read("base"), read("unexplained")).notes
        self.assertIn("built in two ways", note)

    def test_the_parts_of_40_pairs_add_up_to_the_difference_exactly(self):
        pairs = list(itertools.combinations(RUNS, 2))
        for one, other in random.Random(18).sample(pairs, 40):
            breakdown = compare(read(one), read(other)).breakdown
            times = [float(read(name).summary["finish_time_ns"]) for name in (one, other)]
            self.assertEqual(sum(part.before for part in breakdown.parts), round(1e3 * times[0]))
            self.assertEqual(sum(part.after for part in breakdown.parts), round(1e3 * times[1]))
            self.assertEqual(sum(part.difference for part in breakdown.parts),
                             breakdown.difference)
            for part in breakdown.parts:
                self.assertGreaterEqual(min(part.before, part.after),
                                        0 if part.name != "several types at once" else -10**15)

    def test_the_slowest_ranks_and_their_parts_are_those_of_ranks_csv(self):
        breakdown = compare(read("base"), read("straggler")).breakdown
        rows = rows_of("straggler", "ranks")
        slowest = max(rows, key=lambda row: (float(row["finish_ns"]), -int(row["rank"])))
        self.assertEqual(breakdown.ranks[1], int(slowest["rank"]))
        parts = {part.name: part for part in breakdown.parts}
        self.assertEqual(parts["compute"].after, round(1e3 * float(slowest["compute_ns"])))
        self.assertEqual(parts["idle"].after, round(1e3 * float(slowest["idle_ns"])))

    def test_a_breakdown_csv_tells_the_types_apart_without_a_moment_that_counts_twice(self):
        breakdown = compare(read("base"), read("fast")).breakdown
        exposed = {}
        for row in rows_of("base", "breakdown"):
            if int(row["rank"]) == breakdown.ranks[0]:
                name = "exposed " + row["type"]
                exposed[name] = exposed.get(name, 0) + round(1e3 * float(row["exposed_ns"]))
        parts = {part.name: part.before for part in breakdown.parts}
        self.assertTrue(exposed)
        for name, time in exposed.items():
            self.assertEqual(parts[name], time)
        self.assertNotIn("several types at once", parts)

    def test_without_a_breakdown_csv_what_counts_twice_is_a_part_of_its_own(self):
        copy = RESULTS / "without-breakdown"
        shutil.copytree(RESULTS / "fast", copy)
        (copy / "breakdown.csv").unlink()
        breakdown = compare(read("without-breakdown"), read("base")).breakdown
        twice = [part for part in breakdown.parts if part.name == "several types at once"]
        self.assertTrue(all(part.before <= 0 for part in twice))
        self.assertEqual(sum(part.before for part in breakdown.parts),
                         round(1e3 * float(read("fast").summary["finish_time_ns"])))

    def test_an_old_result_has_its_exposed_communication_as_a_whole(self):
        copy = RESULTS / "old"
        shutil.copytree(RESULTS / "base", copy)
        (copy / "breakdown.csv").unlink()
        summary = json.loads((copy / "summary.json").read_text())
        exposed = round(1e3 * summary["exposed_communication_ns"])
        del summary["communication_by_type"]
        (copy / "summary.json").write_text(json.dumps(summary))
        comparison = compare(read("old"), read("fast"))
        self.assertEqual([part.name for part in comparison.breakdown.parts],
                         ["compute", "exposed communication", "idle"])
        self.assertEqual(comparison.breakdown.parts[1].before, exposed)
        self.assertIn("does not say which types", comparison.notes[-1])


class Parts(unittest.TestCase):
    def test_collectives_match_by_name_communicator_and_occurrence(self):
        found = compare(read("base"), read("fast")).collectives
        self.assertEqual((found.only_before, found.only_after), (0, 0))
        self.assertEqual(len(found.matches), len(rows_of("base", "collectives")))
        old, new = ({(row["name"], row["communicator"]): row
                     for row in rows_of(name, "collectives")} for name in ("base", "fast"))
        for one in found.matches:
            for rows, time in ((old, one.before), (new, one.after)):
                row = rows[one.name, one.communicator]
                ran = float(row["end_ns"]) - float(row["begin_ns"])
                self.assertEqual(time, round(1e3 * ran))
        self.assertEqual(sum(total.before for total in found.totals),
                         sum(one.before for one in found.matches))
        spans = [abs(one.difference) for one in found.matches]
        self.assertEqual(spans, sorted(spans, reverse=True))

    def test_tables_tell_calls_of_one_name_apart_and_leave_out_what_is_rounded_to_nothing(self):
        groups = {row["communicator"] for row in rows_of("base", "collectives")}
        self.assertGreater(len(groups), 2)
        lines = [line.split() for line in told("base", "fast").splitlines()]
        header = next(words for words in lines if words[:2] == ["largest", "changes"])
        self.assertEqual(header[2:], ["type", "communicator", "A", "B", "difference"])
        for one in itertools.combinations(["base", "fast", "straggler", "chunks", "wide"], 2):
            for line in told(*one).splitlines():
                self.assertNotRegex(line, r"[+-]0\.0 points")

    def test_calls_of_one_name_match_in_their_order(self):
        (RESULTS / "repeat.yaml").write_text(
            "workload: {collective: {type: all-reduce, size: 1 MiB, repeat: 3}}\nnetwork: "
            "{dimensions: [{shape: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}]}\n")
        for name, repeat in (("three", 3), ("two-calls", 2)):
            simulate(RESULTS / "repeat.yaml", name, f"workload.collective.repeat={repeat}")
        names = {row["name"] for row in rows_of("three", "collectives")}
        found = compare(read("three"), read("two-calls")).collectives
        self.assertEqual(len(found.matches) + found.only_before, 3)
        self.assertEqual(found.only_after, 0)
        self.assertEqual({one.occurrence for one in found.matches},
                         {0, 1} if len(names) == 1 else {0})

    def test_links_of_other_networks_are_counted_and_not_compared(self):
        found = compare(read("base"), read("flows")).links
        ends = [{(row["from"], row["to"]) for row in rows_of(name, "links")}
                for name in ("base", "flows")]
        self.assertEqual(len(found.matches), len(ends[0] & ends[1]))
        self.assertEqual((found.only_before, found.only_after),
                         (len(ends[0] - ends[1]), len(ends[1] - ends[0])))
        self.assertEqual(found.totals["bytes"][1],
                         sum(int(row["bytes"]) for row in rows_of("flows", "links")))

    def test_other_ranks_workloads_and_networks_are_said_and_not_refused(self):
        notes = " ".join(compare(read("base"), read("flows")).notes)
        self.assertIn("The runs have 8 and 4 ranks", notes)
        self.assertIn("The networks are models of two kinds: analytical and packet", notes)
        self.assertIn("The workloads differ (workload.", notes)
        self.assertIn("0 match, ", told("base", "flows"))
        self.assertEqual(compare(read("base"), read("fast")).notes, ())

    def test_names_of_any_kind_change_nothing_but_themselves(self):
        copy = RESULTS / "names"
        shutil.copytree(RESULTS / "base", copy)
        rows = rows_of("base", "collectives")
        names = ["<b>\x1b[2J", 'a "quoted", name', "\U0001f525", "x" * 1_000_000]
        for row, name in zip(rows, names):
            row["name"] = name
        with open(copy / "collectives.csv", "w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        comparison = compare(read("names"), read("fast"))
        self.assertEqual(comparison.collectives.only_before, 4)
        text = "\n".join(describe(compare(read("names"), read("names")), ("A", "B")))
        self.assertEqual(text, "A and B are the same: nothing differs.")
        shutil.copytree(copy, RESULTS / "names-too")
        summary = (copy / "summary.json").read_text().replace('"digest": "', '"digest": "0')
        (RESULTS / "names-too/summary.json").write_text(summary)
        text = told("names", "names-too")
        self.assertTrue(text.replace("\n", "").isprintable())
        self.assertLess(max(map(len, text.splitlines())), 150)


if __name__ == "__main__":
    unittest.main()
