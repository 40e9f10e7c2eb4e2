#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables, side files and logs: what is read, what is guessed, what is refused."""

import unittest

from measured_bench import CLUSTER, HEAD, NODE, MeasuredBench, csv_text, side_text

from validation.machine import make_machine
from validation.reading import read_tables
from validation.refusal import Refusal

MIB = 1 << 20
LOG = """# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5
#
# Using devices
#  Rank  0 Group  0 Pid  17 on  nodeA device  0 [0x19] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  18 on  nodeA device  1 [0x3b] NVIDIA H100 80GB HBM3
NCCL version 2.18.5+cuda12.2
nodeA:17:33 [0] NCCL INFO Connected all rings
#
#                                                 out-of-place                in-place
#     size     count    type  redop  root    time  algbw  busbw #wrong   time  algbw  busbw #wrong
#      (B)  (elements)                       (us) (GB/s) (GB/s)          (us) (GB/s) (GB/s)
   1048576    262144   float    sum    -1   20.00  52.43  52.43      0  25.00  41.94  41.94      0
   2097152    524288   float    sum    -1   30.00  69.91  69.91      0  31.00  67.65  67.65      0
# Out of bounds values : 0 OK
"""


class Tables(MeasuredBench):
    def read(self, *names):
        return read_tables([self.path / name for name in names] or [self.path])

    def machine(self, **keys):
        self.table("t", {**NODE, **keys}, [(MIB, 20)])
        return make_machine(self.read("t.csv").tables[0].side)

    def test_directories_are_read_with_their_subdirectories(self):
        self.table("one", NODE, [(2 * MIB, 30), (MIB, 20)])
        self.table("deep/er/two", NODE, [(MIB, 20)])
        found = self.read().tables
        self.assertEqual([table.name for table in found], ["deep/er/two", "one"])
        self.assertEqual([row.size for row in found[1].rows], [MIB, 2 * MIB])

    def test_a_csv_with_other_columns_is_named_and_skipped(self):
        self.table("one", NODE, [(MIB, 20)])
        other = self.write("other.csv", "kernel," + HEAD + "3,1,2,3,4\n")
        found = self.read()
        self.assertEqual(len(found.tables), 1)
        self.assertEqual(found.skipped, [(other, "its columns are not those of a table")])
        self.assertEqual(found.refused, [])

    def test_what_was_measured_in_place_is_the_noise_floor_and_no_table(self):
        self.table("one", NODE, [(MIB, 20), (2 * MIB, 40)])
        self.write("one.inplace.csv", csv_text([(MIB, 40), (2 * MIB, 40)]))
        found = self.read().tables
        self.assertEqual(len(found), 1)
        self.assertAlmostEqual(found[0].noise()[0], 0.693, places=3)  # log 2
        self.assertEqual(len(found[0].noise(2 * MIB)), 1)

    def test_a_row_is_a_glitch_where_twice_its_size_takes_hardly_longer(self):
        rows = [(2 * MIB, 100), (4 * MIB, 99), (8 * MIB, 100), (16 * MIB, 117), (32 * MIB, 140)]
        self.table("one", NODE, rows)
        # 100 / 117 is above 0.85, 117 / 140 below; smaller sizes may change their protocol
        marks = [row.glitch for row in self.read().tables[0].rows]
        self.assertEqual(marks, [False, False, True, False, False])

    def test_a_line_that_is_no_measurement_is_told_with_its_number(self):
        for text in ("", "no", "-3", "nan", "inf", "0"):
            self.table("one", NODE, [(MIB, 20)])
            self.write("one.csv", HEAD + f"1024,10,1,1\n2048,{text},1,1\n")
            found = self.read()
            self.assertEqual(found.tables, [])
            self.assertEqual([why for _, why in found.refused],
                             [f'one.csv:3: time_us is "{text}"; write a positive number'])

    def test_a_script_that_is_not_known_is_refused(self):
        with self.assertRaisesRegex(Refusal, 'algorithm "MSCCL tree" is no known script'):
            self.machine(algorithm="MSCCL tree")

    def test_what_belongs_to_a_table_may_be_named_beside_it(self):
        self.table("one", NODE, [(MIB, 20)])
        self.write("one.inplace.csv", csv_text([(MIB, 22)]))
        self.write("lone.inplace.csv", csv_text([(MIB, 22)]))
        found = self.read("one.csv", "one.inplace.csv", "one.yaml")
        self.assertEqual((len(found.tables), found.unusable), (1, []))
        self.assertEqual(len(self.read("lone.inplace.csv").unusable), 1)

    def test_results_below_a_folder_are_no_tables(self):
        self.table("one", NODE, [(MIB, 20)])
        self.table("out/two", NODE, [(MIB, 20)])
        found = read_tables([self.path], (self.path / "out").resolve())
        self.assertEqual([table.name for table in found.tables], ["one"])

    def test_a_side_file_completes_and_corrects_what_a_log_says(self):
        self.write("all_reduce.log", LOG)
        self.write("all_reduce.yaml", side_text({"intra_GBps_per_gpu_per_dir": 400,
                                                 "nccl_version": "2.19.3"}))
        side = self.read("all_reduce.log").tables[0].side
        self.assertEqual((side.ranks, side.intra_GBps, side.nccl_version), (2, 400, "2.19.3"))

    def test_the_table_of_a_sweep_is_a_log(self):
        self.write("table.txt", "# nadi: all-gather, 4 ranks\n"
                   "# size count type redop time algbw busbw algorithm protocol channels bound\n"
                   "#  (B) (elements) (us) (GB/s) (GB/s) (us)\n"
                   "1024 256 int8 none 20.5 0.05 0.04 ring - - 1.5\n"
                   "2048 failed\n")
        table, = self.read("table.txt").tables
        self.assertEqual((table.side.collective, table.side.ranks), ("all-gather", 4))
        self.assertEqual([(row.size, row.time) for row in table.rows], [(1024, 20.5)])

    def test_a_log_of_several_tables_is_refused(self):
        self.write("two.log", LOG + LOG)
        (_, why), = self.read("two.log").unusable
        self.assertEqual(why, "two.log has several times for one size; write each table in a file "
                         "of its own")

    def test_a_file_that_the_user_names_must_be_usable(self):
        lone = self.write("lone.csv", csv_text([(MIB, 20)]))
        found = self.read("lone.csv", "missing.csv")
        self.assertEqual([file for file, _ in found.unusable], [lone, self.path / "missing.csv"])
        self.assertIn("there is no lone.yaml beside it", found.unusable[0][1])
        self.assertIn("neither a file nor a directory", found.unusable[1][1])

    def test_nulls_remarks_and_unknown_keys_are_told_in_notes(self):
        keys = NODE | {"intra_GBps_per_gpu_per_dir": "null", "colour": "red", "nodes": "1 (of 11)"}
        self.table("one", keys, [(MIB, 20)])
        machine, notes = make_machine(self.read().tables[0].side)
        self.assertEqual(machine.link, 450)
        told = "\n".join(notes)
        self.assertIn("intra_GBps_per_gpu_per_dir is not stated (null)", told)
        self.assertIn('unknown key "colour" has no effect', told)
        self.assertIn("nodes is read as 1, without its remark", told)
        self.assertIn("links of 450 GB/s, the datasheet's of the preset", told)

    def test_a_side_file_without_ranks_or_with_another_collective_is_refused(self):
        for keys, why in (
            (NODE | {"ranks": "", "gpus_per_node": ""}, "does not say of how many ranks"),
            (NODE | {"collective": "gather"}, 'collective "gather" is not simulated; known: all-'),
            (NODE | {"ranks": "9", "nodes": "2"}, "9 ranks cannot be spread evenly over 2 nodes"),
        ):
            self.table("one", keys, [(MIB, 20)])
            self.assertIn(why, self.read().refused[0][1])

    def test_a_log_is_a_table_as_it_is(self):
        self.write("all_reduce.log", LOG)
        found = self.read().tables[0]
        self.assertEqual([(row.size, row.time) for row in found.rows], [(MIB, 20), (2 * MIB, 30)])
        self.assertEqual(found.floor, {MIB: 25, 2 * MIB: 31})
        machine, _ = make_machine(found.side)
        self.assertEqual((machine.collective, machine.ranks, machine.nodes), ("all-reduce", 2, 1))
        self.assertEqual((machine.generation, machine.release), ("h100", (2, 18, 5)))
        self.assertEqual(machine.launch, "process-per-gpu")

    def test_a_side_file_beside_a_log_goes_first(self):
        self.write("all_reduce.log", LOG)
        self.write("all_reduce.yaml", side_text(NODE | {"ranks": "2"}))
        machine, _ = make_machine(self.read().tables[0].side)
        self.assertEqual(machine.release, (2, 21, 5))

    def test_words_about_other_software_leave_what_the_log_says(self):
        """Its release is 2.18.5, and each process has a GPU."""
        self.write("all_reduce.log", LOG)
        for software, release, launch in (
            ("CUDA 12.2, Ubuntu 22.04", (2, 18, 5), "process-per-gpu"),
            ("NCCL version 2.19.3", (2, 19, 3), "process-per-gpu"),
            ("single process", (2, 18, 5), "process-per-node"),
        ):
            self.write("all_reduce.yaml", side_text({"software": software}))
            machine, _ = make_machine(self.read().tables[0].side)
            self.assertEqual((machine.release, machine.launch), (release, launch))

    def test_a_damaged_log_is_refused_with_the_line(self):
        damaged = LOG.replace("   30.00", "   30.x0")
        self.write("all_reduce.log", damaged)
        line = 1 + damaged[: damaged.index("30.x0")].count("\n")
        self.assertEqual(self.read().refused[0][1],
                         f'all_reduce.log:{line}: the time is "30.x0"; the log is damaged')

    def test_release_and_launch_are_read_from_the_software(self):
        for software, release, launch in (
            ("NCCL 2.23.4-1", (2, 23, 4), ""),
            ("NCCL ~2.8-2.10 (2021), nccl-tests -g 8 single process", (2, 10), "process-per-node"),
            ("NCCL ~2.4-2.7 (own build)", (2, 7), ""),
            ("nccl-tests 2.17.8, NCCL 2.29.2", (2, 29, 2), ""),
            ("aws-ofi-nccl 1.13.2, NCCL 2.23.4", (2, 23, 4), ""),
            ("aws-ofi-nccl 1.13.2 (2023)", (2, 18), ""),
            ("RCCL 2.21.5, mpirun", (2, 21, 5), "process-per-gpu"),
            ("NCCL version 2.18.5", (2, 18, 5), ""),
            ("not stated (2025-06)", (2, 26), ""),
        ):
            machine, notes = self.machine(software=software)
            self.assertEqual((machine.release, machine.launch), (release, launch))
            self.assertTrue(any(note.startswith("release") for note in notes))
        machine, _ = self.machine(nccl_version="2.10.3", launch="process-per-node")
        self.assertEqual((machine.release, machine.launch), ((2, 10, 3), "process-per-node"))

    def test_the_generation_is_read_from_the_gpu(self):
        for gpu, generation in (("GH200 (H100 96GB)", "h100"), ("H200", "h100"), ("A800", "a100"),
                                ("V100 SXM2", "v100"), ("GB200", "b200"), ("MI325X", "mi300x")):
            self.assertEqual(self.machine(gpu=gpu)[0].generation, generation)
        self.assertEqual(self.machine(gpu="strange", preset="a100")[0].generation, "a100")
        with self.assertRaisesRegex(Refusal, 'preset "red" is none of b200, h100, a100'):
            self.machine(preset="red")
        with self.assertRaisesRegex(Refusal, 'no preset for "strange"; name one by preset'):
            self.machine(gpu="strange")

    def test_the_network_is_read_from_the_link(self):
        for link, network in (
            ("4x InfiniBand HDR 200 Gb/s", ("verbs", "ib")),
            ("RoCEv2", ("verbs", "roce")),
            ("AWS EFA v2", ("libfabric", "efa")),
            ("Slingshot-11", ("libfabric", "slingshot", "slingshot-host-bridge")),
            ("GPUDirect-TCPXO", ("other", "tcpxo")),
        ):
            self.table("t", CLUSTER | {"inter_link": link}, [(MIB, 20)])
            machine, notes = make_machine(self.read("t.csv").tables[0].side)
            self.assertEqual(machine.network, network)
            self.assertTrue(any(note.startswith("transport") for note in notes))

    def test_ranks_use_no_more_nics_than_there_are(self):
        shared = CLUSTER | {"inter_link": "2x InfiniBand 400 Gb/s per node",
                            "inter_Gbps_per_gpu": "100"}
        for ranks, rate in (("32", 100), ("8", 100), ("4", 50)):  # 8, 2 and 1 on each node
            self.table("t", shared | {"ranks": ranks}, [(MIB, 20)])
            self.assertEqual(make_machine(self.read("t.csv").tables[0].side)[0].nic, rate)

    def test_a_described_path_slows_the_nics_and_not_what_the_library_believes(self):
        self.table("t", CLUSTER | {"nic_effective_GBps_per_gpu": "5"}, [(MIB, 20)])
        machine, _ = make_machine(self.read("t.csv").tables[0].side)
        self.assertEqual((machine.nic, machine.listed_nic), (40, 400))

    def test_trays_of_one_nvlink_domain_are_one_node(self):
        rack = CLUSTER | {"gpu": "GB200", "gpus_per_node": "4", "system": "GB200 NVL72",
                          "intra_link": "NVLink5, NVSwitch", "ranks": "72", "nodes": "18"}
        self.table("t", rack, [(MIB, 20)])
        machine, notes = make_machine(self.read("t.csv").tables[0].side)
        self.assertEqual((machine.nodes, machine.local), (1, 72))
        self.assertIn("18 trays of one NVLink domain are 1 nodes", notes)

    def test_other_libraries_are_refused(self):
        for software in ("HCCL demo, loop 1000", "nccom-test (AWS Neuron)", "JAX, fori_loop"):
            with self.assertRaisesRegex(Refusal, "is another library than NCCL, RCCL and MSCCL"):
                self.machine(software=software)

    def test_the_rate_of_the_nics_may_stand_in_words(self):
        for words, rate in (("8 x 400 Gb/s RoCE per node", 400), ("ConnectX-7 IB 400G", 400),
                            ("4x InfiniBand HDR 200 Gb/s", 100)):
            keys = CLUSTER | {"inter_Gbps_per_gpu": "null", "inter_link": words}
            self.table("t", keys, [(MIB, 20)])
            self.assertEqual(make_machine(self.read("t.csv").tables[0].side)[0].nic, rate)

    def test_scripts_of_several_nodes_are_refused(self):
        script = "MSCCL ring, protocol ll, channels=1, instances=1"
        self.table("t", CLUSTER | {"algorithm": script}, [(MIB, 20)])
        with self.assertRaisesRegex(Refusal, "algorithms from files are known on one node only"):
            make_machine(self.read("t.csv").tables[0].side)

    def test_several_nodes_need_the_rate_of_their_nics(self):
        self.table("t", CLUSTER | {"inter_Gbps_per_gpu": "?"}, [(MIB, 20)])
        with self.assertRaisesRegex(Refusal, "does not say inter_Gbps_per_gpu"):
            make_machine(self.read("t.csv").tables[0].side)

    def test_a_known_system_is_completed_with_notes(self):
        machine, notes = self.machine(system="ALCF Polaris, 4x A100", gpu="A100", nodes="2",
                                      inter_link="2 x Slingshot 200 Gb/s per node",
                                      inter_Gbps_per_gpu="50")
        self.assertEqual(machine.nic_path, "host-bridge")
        self.assertIn('nic_path host-bridge is known of "ALCF Polaris"', notes)


if __name__ == "__main__":
    unittest.main()
