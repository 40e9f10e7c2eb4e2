#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""nadi validate from its command line to its report, with the simulator."""

import re
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np
from measured_bench import CLUSTER, NODE, csv_text
from validate_bench import BUILD, CONFIG, MIB, SECONDS_AT_MOST, ValidateBench

from validation.machine import make_machine
from validation.prediction import plan, predict
from validation.presets import PresetValues
from validation.side_file import describe

LOG = """# nadi: all-gather, 4 ranks
#   size      count    type   redop    time   algbw   busbw algorithm protocol channels lower-bound
 1048576     262144    int8    none  {:.3f}   1.000   1.000      ring        -        -       1.000
"""


class Validate(ValidateBench):
    def write_tables(self):
        self.send_receive("tables/here_1n8g-sendrecv", 1.25)
        self.write("tables/here_1n8g-sendrecv.inplace.csv",
                   csv_text([(64 * MIB, 1.25 * 1.1 * 64 * MIB / 450e3)]))
        self.table("tables/deep/there_4n32g-broadcast", CLUSTER | {"collective": "broadcast"},
                   [(1024, 20), (8 * MIB, 900), (16 * MIB, 1000)])
        self.table("tables/here_1n8g-all_reduce", NODE, [(8, 12), (1024, 13)])
        self.table("tables/hccl", NODE | {"software": "HCCL"}, [(8, 12)])
        self.write("tables/lone.csv", csv_text([(8, 12)]))
        self.write("tables/other.csv", "a,b\n1,2\n")

    def test_tables_are_simulated_and_reported_and_nothing_is_run_twice(self):
        self.write_tables()
        done = self.validate("tables", "--against", "plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.starts(), 7)  # plain is what the stand-in runs anyway
        self.check_rows(self.rows())
        self.check_scores(self.scores())
        self.check_report(done.stdout)
        self.check_pages()

        before = (self.path / "out/validation.csv").read_bytes()
        run = next((self.path / "out/rows").iterdir())
        shutil.rmtree(run)
        again = self.validate("tables", "--against", "plain")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("6 of 7 rows are finished already", again.stderr)
        self.assertEqual(self.starts(), 8)
        self.assertEqual((self.path / "out/validation.csv").read_bytes(), before)

    def check_rows(self, rows):
        self.assertEqual([row["table"] for row in rows], [
            *["deep/there_4n32g-broadcast"] * 3, "hccl", *["here_1n8g-all_reduce"] * 2,
            *["here_1n8g-sendrecv"] * 2, "lone"])
        sent = rows[7]
        # each way through the switch of the node takes as long as the wire: 1 / 1.25 of what
        # was measured, but for latencies and one frame
        self.assertAlmostEqual(float(sent["error"]), -0.2, delta=0.003)
        self.assertEqual(sent["simulated_ns"], sent["against_ns"])
        self.assertEqual(sent["measured_ns"], f"{1.25 * 64 * MIB / 450:.3f}")
        self.assertEqual([sent[key] for key in ("system", "collective", "ranks", "nodes",
                                                "size_bytes", "glitch", "backend", "message")],
                         ["here", "send-receive", "8", "1", str(64 * MIB), "no", "packet", ""])
        self.assertEqual([row["glitch"] for row in rows[:3]], ["no", "yes", "no"])
        refused = {row["table"]: (row["simulated_ns"], row["message"])
                   for row in (rows[3], rows[8])}
        self.assertEqual(refused, {
            "hccl": ("", '"HCCL" is another library than NCCL, RCCL and MSCCL'),
            "lone": ("", "there is no lone.yaml beside it that describes the system"),
        })

    def check_scores(self, scores):
        self.assertEqual(list(scores["systems"]), ["here", "there"])
        self.assertEqual(scores["overall"]["rows"], 7)
        sent = scores["tables"]["here_1n8g-sendrecv"]
        self.assertAlmostEqual(sent["error_1mib"], 0.25, delta=0.008)  # s/m = 0.8, m/s - 1 = 0.25
        self.assertAlmostEqual(sent["bias_1mib"], -0.2, delta=0.005)
        self.assertAlmostEqual(sent["noise_1mib"], 0.1, places=5)
        means = scores["overall"]["mean_of_tables"]
        self.assertEqual(means["count"], 3)
        errors = [one["error_all"] for one in scores["tables"].values()]
        self.assertAlmostEqual(means["error_all"], sum(errors) / 3, places=3)
        self.assertEqual([one["table"] for one in scores["refused"]][0], "hccl")
        self.assertEqual(len(scores["skipped"]), 1)

    def check_report(self, told):
        for line in ("hccl: \"HCCL\" is another library than NCCL, RCCL and MSCCL",
                     "mean over systems", "glitch: deep/there_4n32g-broadcast, 8 MiB: measured"):
            self.assertIn(line, told)
        self.assertRegex(told, r"lone.csv: there is no lone.yaml beside it")
        self.assertRegex(told, r"other.csv: its columns are not those of a table \(skipped\)")

    def check_pages(self):
        page = (self.path / "out/validation.html").read_text()
        self.assertEqual(len(re.findall(r'data-kind="chart" data-name="table-\d+"', page)), 3)
        self.assertTrue("Content-Security-Policy" in page)  # a page that scripts draw
        text = (self.path / "out/validation.md").read_text()
        for file in re.findall(r"!\[.*?\]\((.*?)\)", text):
            self.assertTrue((self.path / "out" / file).exists(), file)
        self.assertIn("* preset h100 from gpu \"H100 SXM5 80GB\"", text)

    def test_a_table_of_the_simulators_own_times_has_no_error(self):
        self.write("own.yaml", CONFIG.replace("trace: unused.et",
                                              "collective: {type: all-gather, size: 256 KiB}"))
        subprocess.run([self.simulator, "run", "own.yaml", "--quiet", "--out", "own"],
                       cwd=self.path, check=True, capture_output=True)
        calls = (self.path / "own/collectives.csv").read_text().splitlines()
        duration = float(dict(zip(*(line.split(",") for line in calls)))["duration_ns"])
        self.write("table.txt", LOG.format(duration / 1e3))
        self.write("cluster.yaml", CONFIG)
        done = self.validate("table.txt", "--config", "cluster.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([float(row["error"]) for row in self.rows()], [0.0])

    def test_an_unusable_file_on_the_command_line_is_exit_3_and_the_others_are_simulated(self):
        good = self.send_receive("good", sizes=(MIB,))
        bad = self.send_receive("bad", sizes=(MIB,))
        bad.with_suffix(".yaml").write_text('collective: "all_reduce"\nranks: [8\n')
        done = self.validate(good, bad, "missing.csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        told = [line for line in done.stderr.splitlines() if line.startswith("nadi validate: ")]
        self.assertEqual(len(told), 2, done.stderr)
        self.assertRegex(told[0], r"bad.csv: .*bad.yaml:\d+: is not valid YAML")
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual([row["table"] for row in self.rows() if row["simulated_ns"]], ["good"])

    def test_where_nothing_can_be_simulated_the_exit_is_3(self):
        self.send_receive("here", software="HCCL")
        self.assertEqual(self.validate("here.csv").returncode, 3)
        self.assertEqual(self.starts(), 0)
        empty = self.path / "empty"
        empty.mkdir()
        done = self.validate(empty)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "nadi validate: no measured table was found\n")
        self.assertEqual(done.stdout, "")

    def test_one_bad_file_alone_is_one_line_and_no_results(self):
        self.write("bad.csv", "size_bytes,time_us,algbw_GBps,busbw_GBps\n1024,abc,1,1\n")
        self.write("bad.yaml", 'collective: "all_reduce"\nranks: 8\n')
        for file, told in (("bad.csv", "bad.csv: .*abc"), ("none.csv", "none.csv.*neither")):
            done = self.validate(file)
            self.assertEqual(done.returncode, 3)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, f"^nadi validate: {told}.*\n$")
            self.assertFalse((self.path / "out").exists())

    def test_what_the_simulator_refuses_is_the_message_of_its_table(self):
        self.send_receive("here", sizes=(MIB,))
        self.write("small.yaml", CONFIG)
        done = self.validate("here.csv", "--config", "small.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(self.rows()[0]["message"], "8.*4|4.*8")  # ranks, NPUs

    def test_an_interrupt_is_exit_5_and_the_same_command_goes_on(self):
        self.use_simulator(delay=0.3)
        self.send_receive("here", sizes=(MIB, 2 * MIB, 4 * MIB, 8 * MIB))
        running = subprocess.Popen(self.command("here.csv"),
                                   stderr=subprocess.PIPE, text=True, cwd=self.path)
        until = time.monotonic() + SECONDS_AT_MOST
        while self.starts() < 2 and time.monotonic() < until:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=SECONDS_AT_MOST)
        self.assertEqual(running.returncode, 5, told)
        self.assertIn("the same command goes on from here", told)
        self.assertIn("not run: interrupted", {row["message"] for row in self.rows()})
        self.use_simulator()
        done = self.validate("here.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "[123] of 4 rows are finished already")
        self.assertTrue(all(row["simulated_ns"] for row in self.rows()))

    def test_a_wrong_command_line_is_exit_2(self):
        self.write("kept/letter.txt", "mine")
        for words in ([], ["x.csv", "--preset", "z80"], ["x.csv", "--against", "nccl"],
                      ["x.csv", "--config", "c.yaml", "--preset", "a100"],
                      ["x.csv", "--out", "kept"]):
            done = self.validate(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr.splitlines()[-1], "^nadi validate: ")


class Libraries(ValidateBench):
    """Tables whose times are those of the closed form, and the libraries of the simulator."""

    TABLES = {  # the most by which the simulation may be off: its messages are not continuous
        "trees_2n16g": (CLUSTER | {"gpu": "A100", "ranks": "16", "nodes": "2",
                                   "intra_GBps_per_gpu_per_dir": "300",
                                   "inter_Gbps_per_gpu": "200"}, 0.04),
        "chain_4n32g": (CLUSTER | {"collective": "broadcast"}, 0.03),
        "nvls_1n8g": (NODE, 0.03),
    }

    def setUp(self):
        super().setUp()
        self.simulator = BUILD / "cli/nadi"

    def test_the_libraries_take_the_times_of_the_closed_form(self):
        sizes = 2.0 ** np.arange(10, 34, 4)
        for name, (keys, _) in self.TABLES.items():
            machine = make_machine(describe(keys, []))[0]
            times = predict(machine, PresetValues(machine), sizes, plan(machine, sizes))
            self.table(f"tables/{name}", keys, list(zip(map(int, sizes), times)))
        done = self.validate("tables", "--against", "plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, (_, most) in self.TABLES.items():
            found = self.scores()["tables"][name]
            self.assertEqual(found["rows"], len(sizes))
            self.assertLess(found["error_all"], most, name)
            self.assertGreater(found["against_all"], 0.3, name)
        ran = {(row["algorithm"], row["protocol"]) for row in self.rows()}
        self.assertLessEqual({("tree", "LL"), ("ring", "Simple"), ("nvls", "Simple")}, ran)


if __name__ == "__main__":
    unittest.main()
