#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""nadi validate of whole iterations, from recordings and tables to the report."""

import csv
import os
import pathlib
import signal
import subprocess
import time
import unittest

import yaml

from iteration_bench import COMPUTE, NETWORK, IterationBench, make_node, trace_bytes
from measured_bench import TOP
from validate_bench import BUILD, SECONDS_AT_MOST

from one_run import summary_of

NEAR = 0.01  # that latencies and rounding may move a share
SHARED = pathlib.Path(os.environ.get("NADI_SHARED", TOP.parent / "shared"))


class Recordings(IterationBench):
    def setUp(self):
        super().setUp()
        self.simulator = BUILD / "cli/nadi"

    def test_a_recording_is_replayed_and_simulated_once(self):
        self.recording()
        self.description("job.yaml", what="Two ranks.")
        half = {"network.dimensions[0].bandwidth": "25 GB/s"}
        self.description("slow.yaml", set=half)
        done = self.validate("job.yaml", "slow.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_recording(self.parts("job"))
        self.check_slower_network(self.parts("slow"))
        self.check_report(done.stdout)
        again = self.validate("job.yaml")
        self.assertIn("2 of 2 iterations are finished already", again.stderr)
        self.assertEqual(again.returncode, 0)

    def check_recording(self, parts):
        # 2400 and 2700 us were recorded. Ranks that begin together take the 2400.
        self.assertAlmostEqual(parts["whole"]["measured_ms"], 2.55)
        self.assertAlmostEqual(parts["whole"]["replayed_error"], 2.4 / 2.55 - 1, delta=1e-5)
        # the second all-reduce, and the kernel behind it
        after = parts["after the first collective"]
        self.assertAlmostEqual(after["measured_ms"], 0.9)
        self.assertEqual(after["replayed_error"], 0)
        # each of two ranks sends all of 20 MB at 50 GB/s, in 400 us as recorded
        self.assertAlmostEqual(after["simulated_error"], 0, delta=NEAR)
        self.assertAlmostEqual(parts["in collectives"]["measured_ms"], 0.8)
        self.assertAlmostEqual(parts["in collectives"]["simulated_error"], 0, delta=NEAR)

    def check_slower_network(self, parts):
        """It is an error of the simulation and not of the replay."""
        self.assertAlmostEqual(parts["in collectives"]["simulated_error"], 1, delta=NEAR)
        after = parts["after the first collective"]  # 400 us more in 900
        self.assertAlmostEqual(after["simulated_error"], 4 / 9, delta=NEAR)
        self.assertEqual(after["replayed_error"], 0)

    def check_report(self, told):
        self.assertRegex(told, r"job, whole +2.55 +-5.9 %")
        page = (self.path / "out/validation.md").read_text()
        self.assertRegex(
            page, r"\| job \| 2 \| after the first collective \| 0.90 \| 0.90 \| \+0.0 %")
        self.assertIn("* job: Two ranks.", page)
        with open(self.path / "out/iterations.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        parts = ["whole", "after the first collective", "in collectives"]
        self.assertEqual([row["part"] for row in rows], 2 * parts)
        self.assertEqual((rows[1]["measured_ns"], rows[1]["replayed_ns"]), ("900000", "900000"))

    def test_the_pace_of_the_host_is_added_where_it_is_asked_for(self):
        self.recording()
        self.description("job.yaml", **{"host-pace": "on"})
        done = self.validate("job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.path / "out/traces/job/replayed/job.1.et").exists())
        page = (self.path / "out/validation.md").read_text()
        self.assertRegex(page, r"job: added: \d+ gaps? of the host between its operations")

    def test_ranks_begin_when_their_recordings_did_where_it_is_asked_for(self):
        self.recording()
        self.description("job.yaml", **{"align-clocks": "on"})
        done = self.validate("job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.parts("job")["whole"]["replayed_error"], 0)
        self.assertIn("job: the recordings of the ranks began up to 300 us apart, and so do the "
                      "ranks", (self.path / "out/validation.md").read_text())

    def test_an_interrupt_is_exit_5_and_the_same_command_goes_on(self):
        self.recording()
        self.description("job.yaml")
        self.use_simulator(delay=3)
        running = subprocess.Popen(self.command("job.yaml"), stderr=subprocess.PIPE, text=True,
                                   cwd=self.path)
        until = time.monotonic() + SECONDS_AT_MOST
        while self.starts() < 1 and time.monotonic() < until:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=SECONDS_AT_MOST)
        self.assertEqual(running.returncode, 5, told)
        self.assertEqual(self.scores()["iterations"], {})
        self.use_simulator()
        self.assertEqual(self.validate("job.yaml").returncode, 0)
        self.assertAlmostEqual(self.parts("job")["whole"]["measured_ms"], 2.55)

    def test_descriptions_of_one_name_have_names_of_their_own(self):
        for folder in ("one", "two"):
            self.recording(f"{folder}/traces")
            self.description(f"{folder}/job.yaml")
        self.assertEqual(self.validate("one", "two").returncode, 0)
        self.assertEqual(set(self.scores()["iterations"]), {"job", "job (2)"})

    def test_a_recording_without_collectives_has_its_whole_time_alone(self):
        for rank in range(2):
            self.write(f"traces/job.{rank}.et", "")
            (self.path / f"traces/job.{rank}.et").write_bytes(
                trace_bytes([make_node(0, COMPUTE, 0, 700, is_cpu_op=True)]))
        self.description("job.yaml")
        done = self.validate("job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        (name, found), = self.parts("job").items()
        self.assertEqual((name, found["replayed_error"], found["simulated_error"]), ("whole", 0, 0))

    def test_data_may_lie_elsewhere_and_a_folder_without_them_is_passed_over(self):
        self.recording("far/traces")
        self.description("own/job.yaml")
        self.assertEqual(self.validate("own", "--data", "far").returncode, 0)
        self.send_receive("own/here_1n8g-sendrecv", sizes=(1 << 20,))
        done = self.validate("own")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"job.yaml: there is no traces/job.\{rank\}.et beside it "
                         r"or below the folder of --data \(skipped\)")
        named = self.validate("own/job.yaml")
        self.assertEqual(named.returncode, 3)
        self.assertIn("there is no traces/job.{rank}.et", named.stderr)

    def test_a_mistake_in_a_description_is_named_with_its_line(self):
        self.recording()
        self.check_mistakes([
            ({"pace": "on"}, r'\.yaml:\d+: unknown key "pace"'),
            ({"host-pace": "yes, please"}, "write on or off"),
            ({"align-clocks": "please"}, "write on or off"),
            ({"recording": "traces/job.0.et"}, r"recording has no \{rank\}"),
            ({"network": None}, "network is missing; a description needs recording"),
            ({"training": "t.csv"}, "both recording and training"),
        ])

    def test_a_mistake_that_the_simulator_finds_is_named(self):
        self.recording()
        self.check_mistakes([
            ({"system": {"library": "pla"}}, "pla.*plain"),
            ({"set": {"network.bakend": "flow"}}, "bakend.*backend"),
        ])

    def check_mistakes(self, mistakes):
        """One run of all of them, since starting takes longer than finding them."""
        names = [f"job-{number}" for number in range(len(mistakes))]
        for name, (keys, _) in zip(names, mistakes):
            self.description(f"{name}.yaml", **keys)
        self.check_messages(names, [told for _, told in mistakes])

    def test_a_description_that_is_no_yaml_is_named_with_its_line(self):
        self.write("job.yaml", "recording: {traces\n")
        done = self.validate("job.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"job.yaml: job.yaml:\d+: is not valid YAML")

    def test_a_recording_that_cannot_be_read_is_a_message_and_the_others_are_simulated(self):
        self.recording()
        self.description("good.yaml")
        self.write("traces/bad.0.et", "no trace")
        self.description("bad.yaml", recording="traces/bad.{rank}.et")
        done = self.validate("good.yaml", "bad.yaml")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "nadi validate: bad: .*bad.0.et")
        self.assertEqual(self.parts("good")["whole"]["measured_ms"], 2.55)
        self.assertNotEqual(self.scores()["iterations"]["bad"]["message"], "")

    def test_real_recordings_take_as_long_as_recorded(self):
        """Where the larger collection of traces is at hand."""
        if not (SHARED / "traces/megatron_tp8_kineto_derived").is_dir():
            return
        names = ("megatron-tp8", "dlrm-8gpu")
        files = [TOP / f"configs/validation/{name}.yaml" for name in names]
        done = self.validate(*files, "--data", SHARED)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in names:
            parts = self.parts(name)
            for part in ("whole", "after the first collective"):
                for field in ("replayed_error", "simulated_error"):
                    self.assertLess(abs(parts[part][field]), 0.005, (name, part, field))
        collectives = self.parts("megatron-tp8")["in collectives"]
        self.assertLess(abs(collectives["simulated_error"]), 0.05)


MODEL = {"model": "transformer", "layers": "4", "hidden": "1024", "heads": "8", "sequence": "512"}
ROOFLINE = {"model": "roofline", "memory-bandwidth": "1000 TB/s"}
HEAD = "cluster,nodes,pp_stages,dp,tp,mbs,gbs,iter_time_s,layers_per_stage\n"
PLANS = [  # pp, dp, tp, micro-batch, batch, stages, passes of a layer
    (1, 2, 2, 1, 8, "[4]", 16),  # 4 micro-batches of 4 layers
    (1, 2, 2, 4, 8, "[4]", 4),
    (2, 1, 2, 1, 4, "[2, 2]", 10),  # 4 of 2 layers, and 2 of the other stage
    (1, 1, 4, 8, 64, "[4]", 32),
    (1, 4, 1, 2, 16, "[4]", 8),
]
SPEED = 80  # TFLOP/s


class Trainings(IterationBench):
    def setUp(self):
        super().setUp()
        self.simulator = BUILD / "cli/nadi"
        self.network = NETWORK | {"dimensions": [NETWORK["dimensions"][0] | {"size": "4"}]}

    def own_time(self, pp, dp, tp, micro_batch, batch):
        """Seconds of the simulator's own iteration."""
        file = self.description(
            "one.yaml", recording=None, workload={"generate": MODEL | {
                "pp": pp, "dp": dp, "tp": tp, "micro-batch": micro_batch, "batch": batch}},
            system={"compute": ROOFLINE | {"peak": f"{SPEED} TFLOP/s"}}, network=self.network)
        return float(summary_of(self.simulator, file)["finish_time_ns"]) / 1e9

    def table(self, host=0.0):
        """Iterations at SPEED, with so many seconds of the host for each pass of a layer."""
        lines = []
        for pp, dp, tp, micro_batch, batch, stages, passes in PLANS:
            time = self.own_time(pp, dp, tp, micro_batch, batch) + host * passes
            copies = "x".join([str(dp)] * pp)
            lines.append(f'here,1,{pp},{copies},{tp},{micro_batch},{batch},{time!r},"{stages}"\n')
        return self.write("table.csv", HEAD + "".join(lines) + 'there,1,1,1,1,1,1,1.0,"[4]"\n')

    def training(self, name="training.yaml", **keys):
        return self.description(name, **{
            "recording": None, "training": "table.csv", "cluster": "here", "model": MODEL,
            "system": {"compute": ROOFLINE}, "network": self.network,
            "left-out": {"there": "its network is unknown"}} | keys)

    def test_the_speed_of_a_table_is_found_without_the_row_that_the_simulator_refuses(self):
        file = self.table()
        file.write_text(file.read_text() + 'here,1,1,1,9,1,8,1.0,"[4]"\n')  # 8 heads on 9 ranks
        self.training()
        done = self.validate(self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("table.csv", done.stdout)  # the description names it
        self.assertIn("training, mean error", done.stdout)
        found = self.scores()["iterations"]["training"]
        self.assertEqual(found["rows"], len(PLANS))
        self.assertAlmostEqual(found["speed_tflops"], SPEED, delta=0.01 * SPEED)
        with open(self.path / "out/iterations.csv", newline="") as stream:
            *rows, refused = csv.DictReader(stream)
        for row in rows:
            for name in ("simulated_error", "unseen_error"):
                self.assertAlmostEqual(float(row[name]), 0, delta=NEAR)
        self.assertEqual([rows[2][name] for name in ("part", "ranks")],
                         ["1n pp2 dp1 tp2 mbs1 gbs4", "4"])
        self.assertEqual((refused["part"], refused["simulated_error"]),
                         ("1n pp1 dp1 tp9 mbs1 gbs8", ""))
        page = (self.path / "out/validation.md").read_text()
        self.assertIn("* training: cluster there: its network is unknown", page)
        self.assertRegex(page, r"training: 1n pp1 dp1 tp9 mbs1 gbs8: .*tp")

    def test_the_time_of_the_host_for_each_layer_is_found_too(self):
        host = 2e-4
        self.table(host)
        self.training()
        done = self.validate("training.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = self.scores()["iterations"]["training"]
        self.assertAlmostEqual(found["speed_with_host_tflops"], SPEED, delta=0.02 * SPEED)
        self.assertAlmostEqual(found["host_ms"], 1e3 * host, delta=0.02)
        with open(self.path / "out/iterations.csv", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for row in rows:
            self.assertAlmostEqual(float(row["with_host_error"]), 0, delta=0.02)
        self.assertGreater(max(abs(float(row["simulated_error"])) for row in rows), 0.1)

    def test_measured_plans_with_stages_follow_from_those_without(self):
        """Of OPT-350M on GH200, those with one sequence in a micro-batch, as docs/validation.md
        lists them. One of them misses most of all nine with stages."""
        described = yaml.safe_load((TOP / "configs/validation/opt-350m.yaml").read_text())
        del described["left-out"]  # the rows are not in this part of the table
        table = TOP / "tests/data/measured/opt-350m-of-single-sequences.csv"
        described |= {"training": table.name, "network": str(TOP / "configs/networks/alps.yaml")}
        self.write(table.name, table.read_text())
        self.write("opt.yaml", yaml.safe_dump(described))
        done = self.validate("opt.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path / "out/iterations.csv", newline="") as stream:
            errors = {row["part"]: round(100 * float(row["by_micro_batch_error"]), 1)
                      for row in csv.DictReader(stream) if row["by_micro_batch_error"]}
        self.assertEqual(errors, {"4n pp4 dp1 tp4 mbs1 gbs64": -1.1,  # percent
                                  "4n pp2 dp2 tp4 mbs1 gbs64": -9.0})

    def test_a_mistake_in_a_table_is_named_with_its_line(self):
        row = 'here,1,{},{},2,1,8,1.0,"{}"\n'
        mistakes = [
            ("cluster,nodes\n", r'\.csv has no column "pp_stages"'),
            (HEAD + 'there,1,1,1,1,1,1,1.0,"[4]"\n', 'no row of the cluster "here"; it has there'),
            (HEAD + row.format(1, "two", "[4]"), r"\.csv:2: .*two"),
            (HEAD + row.format(2, "1x1", "[4]"), r"\.csv:2: layers_per_stage has 1 stages"),
            (HEAD + row.format(2, "1x2", "[2, 2]"), "the stages have different dp"),
            (HEAD + row.format(1, "3", "[4]"), "gbs is no multiple of dp"),
        ]
        names = [f"training-{number}" for number in range(len(mistakes))]
        for name, (text, _) in zip(names, mistakes):
            self.write(f"table-of-{name}.csv", text)
            self.training(f"{name}.yaml", training=f"table-of-{name}.csv")
        self.check_messages(names, [told for _, told in mistakes])

    def test_a_table_of_too_few_rows_is_refused_with_the_reason_of_the_first(self):
        self.write("table.csv", HEAD + 'here,1,1,1,9,1,8,1.0,"[4]"\n')
        self.training()
        done = self.validate("training.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr,
                         "0 of 1 rows could be simulated, and a fit needs 3: 1n pp1.*tp")


if __name__ == "__main__":
    unittest.main()
