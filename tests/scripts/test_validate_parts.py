#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What nadi validate tells the simulator of a machine and a row, and how it counts errors."""

import math
import re
import subprocess
import unittest

import numpy as np
import yaml
from measured_bench import CLUSTER, NODE, TOP
from validate_bench import BUILD, MIB, ValidateBench

from validation.machine import make_machine
from validation.prediction import plan, predict
from validation.presets import FOLDER, GPUS, NETWORKS, PresetValues, network_preset
from validation.reading import read_tables
from validation.refusal import Refusal
from validation.side_file import describe
from validation.simulated.backend import MOST_BYTES, choose_backend, needs_closed_form
from validation.simulated.command import chosen_tables
from validation.simulated.compared import ComparedRow, ComparedTable
from validation.simulated.configuration import make_sections
from validation.simulated.placement import find_placement
from validation.simulated.scores import score, score_all
from validation.simulated.subject import SubjectMaker, write_configuration
from validation.simulated.words import size_text
from validation.simulated.workload import bytes_sent, make_workload, read_simulated

# Four A100, two NICs of 200 Gb/s for all of them.
SHARED = CLUSTER | {"gpu": "A100", "ranks": "8", "nodes": "2", "gpus_per_node": "4",
                    "intra_GBps_per_gpu_per_dir": "300", "inter_Gbps_per_gpu": "100",
                    "inter_link": "2x InfiniBand HDR 200 Gb/s per node"}
SCRIPT = NODE | {"gpu": "MI300X", "intra_link": "xGMI mesh", "intra_GBps_per_gpu_per_dir": "448",
                 "software": "RCCL 2.21.5",
                 "algorithm": "MSCCL allpair, protocol LL128, channels=x, instances=4"}


def machine_of(keys, **others):
    return make_machine(describe(keys | others, []))[0]


class Configurations(ValidateBench):
    def library(self, keys, **others):
        return make_sections(machine_of(keys, **others))["system"]["library"]

    def topology(self, keys, **others):
        return make_sections(machine_of(keys, **others))["network"]["topology"]

    def test_a_library_is_told_what_decides_its_choice_and_its_times(self):
        self.assertEqual(self.library(CLUSTER), {
            "name": "nccl", "preset": "h100", "transport": "ib", "nic-path": "pcie-switch",
            "release": "2.21.5", "launch": "process-per-gpu", "calls": "back-to-back",
            "cpu": "other", "blocking": "off", "least-channels": "0",
            "algorithm": "auto", "protocol": "auto"})
        told = self.library(NODE, algorithm="NCCL_ALGO=Ring, NCCL_MIN_CTAS=24")
        self.assertEqual([told[key] for key in ("algorithm", "least-channels")], ["ring", "24"])
        self.assertEqual({"transport", "nic-path"} & set(told), set())  # of one node there is none
        tree = self.library(CLUSTER, algorithm="NCCL_ALGO=NVLSTree")
        self.assertEqual(tree["algorithm"], "nvls-tree")
        gather = self.library(NODE, collective="all_gather", algorithm="NCCL_ALGO=Tree")
        self.assertEqual(gather["algorithm"], "ring")  # trees gather nothing
        self.assertEqual(self.library(NODE, algorithm="NCCL_PROTO=LL")["protocol"], "LL")

    def test_amd_machines_have_rccl_and_scripts_have_msccl(self):
        self.assertEqual(self.library(SCRIPT, algorithm="auto")["name"], "rccl")
        told = self.library(SCRIPT)
        keys = ("name", "script", "protocol", "channels", "instances")
        self.assertEqual([told[key] for key in keys], ["msccl", "allpair", "LL128", "1", "4"])
        self.assertNotIn("algorithm", told)

    def test_a_transport_of_which_no_preset_is_made_takes_the_default(self):
        sockets = self.library(CLUSTER, inter_link="100 GbE sockets")
        self.assertEqual(sockets["transport"], "default")
        first = self.library(CLUSTER, gpu="A100", inter_link="EFA")
        self.assertEqual(first["transport"], "efa-v1")

    def test_each_gpu_has_a_nic_of_its_own_unless_they_share_some(self):
        own = self.topology(CLUSTER)
        self.assertEqual([own[key] for key in ("nodes", "npus-per-node", "nics-per-node")],
                         ["4", "8", "0"])
        self.assertEqual(own["nic"]["bandwidth"], "50 GB/s")  # 400 Gb/s
        self.assertNotIn("pcie", own)
        shared = self.topology(SHARED)
        self.assertEqual(shared["nics-per-node"], "2")
        self.assertEqual(shared["nic"]["bandwidth"], "25 GB/s")  # 4 x 100 Gb/s over two NICs

    def test_a_path_slower_than_the_nics_is_a_link_between_gpu_and_nic(self):
        slow = self.topology(CLUSTER, nic_effective_GBps_per_gpu="10")
        self.assertEqual(slow["nics-per-node"], "8")
        self.assertEqual(slow["nic"]["bandwidth"], "50 GB/s")  # as the library believes it
        self.assertEqual(slow["pcie"]["bandwidth"], "10 GB/s")
        two = self.topology(SHARED, nic_effective_GBps_per_gpu="10")
        self.assertEqual(two["pcie"]["bandwidth"], "20 GB/s")  # a NIC has that of two GPUs

    def test_links_that_do_not_meet_in_a_switch_are_a_mesh(self):
        self.assertEqual(self.topology(SCRIPT)["inside"], "mesh")
        self.assertNotIn("inside", self.topology(NODE))
        old = NODE | {"gpu": "V100", "intra_link": "NVLink2 hybrid cube mesh",
                      "intra_GBps_per_gpu_per_dir": "150"}
        self.assertEqual(self.topology(old)["inside"], "hybrid-cube-mesh")

    def link_of(self, keys, ranks, gpus, **others):
        """GB/s of a GPU into its node."""
        text = self.topology(keys, ranks=str(ranks), gpus_per_node=str(gpus), **others)["nvlink"]
        return float(text["bandwidth"].split()[0])

    def test_of_a_mesh_only_the_links_to_gpus_that_take_part_count(self):
        self.assertEqual(self.link_of(SCRIPT, 8, 8), 448)
        for ranks in (2, 5):
            self.assertAlmostEqual(self.link_of(SCRIPT, ranks, 8), 448 * (ranks - 1) / 7, 6)
        two = CLUSTER | {"gpu": "A100", "intra_link": "NVLink3 mesh, no NVSwitch"}
        self.assertEqual(self.link_of(two, 4, 4, nodes="2"), 450 / 3)
        self.assertEqual(self.link_of(two, 2, 4, nodes="2"), 450)  # nothing goes through them
        self.assertEqual(self.link_of(NODE, 2, 8), 450)  # a switch
        self.assertEqual(self.link_of(SCRIPT | {"intra_link": "PCIe 4.0"}, 2, 8), 448)  # a tree

    def test_of_a_hybrid_cube_mesh_they_are_those_of_the_gpu_with_the_fewest(self):
        text = (TOP / "network/node-inside.cc").read_text()
        wires = [tuple(map(int, one)) for one in re.findall(r"\{(\d), (\d), (\d)\}", text)]
        self.assertEqual(sum(width for *_, width in wires), 8 * 6 / 2)
        keys = NODE | {"gpu": "V100", "intra_link": "NVLink2 hybrid cube mesh, no NVSwitch",
                       "intra_GBps_per_gpu_per_dir": "150"}
        for ranks in range(2, 9):
            inside = [sum(width for one, other, width in wires
                          if gpu in (one, other) and max(one, other) < ranks)
                      for gpu in range(ranks)]
            self.assertAlmostEqual(self.link_of(keys, ranks, 8), 25 * min(inside), 6, ranks)

    def test_the_simulator_takes_the_networks(self):
        for keys in (NODE, CLUSTER, SHARED, CLUSTER | {"nic_effective_GBps_per_gpu": "10"}):
            machine = machine_of(keys)
            workload = make_workload(describe(keys, []), MIB)
            file = self.path / "machine.yaml"
            network = make_sections(machine)["network"]
            network["topology"].pop("inside", None)  # the stand-in's nodes have switches
            write_configuration(file, {"workload": workload, "network": network})
            words = [BUILD / "cli/nadi", "check", file]
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


class Placements(ValidateBench):
    """Where the ranks of a table stand on a network of the user's."""

    EIGHTS = {"topology": {"nodes": 3, "npus-per-node": 8}}
    FOURS = {"topology": {"nodes": 3, "npus-per-node": 4}}
    FREE = {"topology": {"nodes": 0, "npus-per-node": 2}}  # a dragonfly of as many nodes as fit

    def place(self, network, ranks, nodes):
        return find_placement(describe(NODE | {"ranks": str(ranks), "nodes": str(nodes)}, []),
                              network)

    def test_ranks_are_the_first_npus_of_each_node(self):
        self.assertEqual(self.place(self.EIGHTS, 6, 2), [0, 1, 2, 8, 9, 10])
        self.assertEqual(self.place(self.EIGHTS, 3, 3), [0, 8, 16])
        self.assertEqual(self.place(self.FREE, 4, 4), [0, 2, 4, 6])

    def test_ranks_of_whole_nodes_and_of_one_node_need_no_placement(self):
        self.assertIsNone(self.place(self.EIGHTS, 16, 2))
        self.assertIsNone(self.place(self.EIGHTS, 4, 1))
        self.assertIsNone(self.place({"topology": {"npus": 8}}, 4, 2))
        self.assertIsNone(self.place({"dimensions": []}, 4, 2))

    def test_a_network_of_fewer_or_smaller_nodes_is_refused(self):
        with self.assertRaisesRegex(Refusal, "of 4 nodes, but the network has 3; write nodes: 4"):
            self.place(self.EIGHTS, 8, 4)
        with self.assertRaisesRegex(Refusal, "8 ranks on a node, but the network has 4 NPUs on a "
                                             "node; write npus-per-node: 8"):
            self.place(self.FOURS, 8, 1)

    def test_the_configuration_of_a_table_has_its_placement(self):
        config = self.write("pairs.yaml", """
workload: {trace: unused.et}
network:
  topology: {generator: nodes, nodes: 2, npus-per-node: 4, leaves: 1, spines: 0,
             nvlink: {bandwidth: 100 GB/s, latency: 1 us}, nic: {bandwidth: 10 GB/s, latency: 1 us}}
""")
        table = read_tables([self.table("t", NODE | {"ranks": "4", "nodes": "2"},
                                        [(MIB, 20), (2 * MIB, 30)])]).tables[0]
        subject = SubjectMaker(self.simulator, self.path / "made", config).make(table)
        placements = [point.configuration["workload"]["placement"] for point in subject.points]
        self.assertEqual(placements, [[0, 1, 4, 5]] * 2)
        written = yaml.safe_load((self.path / "made/t.yaml").read_text())
        self.assertEqual(written["workload"]["placement"], [0, 1, 4, 5])

    def test_a_part_of_each_node_takes_the_time_of_nodes_of_that_size(self):
        self.assertEqual(self.simulate_pairs(4), self.simulate_pairs(2))

    def simulate_pairs(self, npus_per_node):
        """The times of a table of two ranks on each of two such nodes."""
        self.simulator = BUILD / "cli/nadi"
        config = self.write("nodes.yaml", f"""
workload: {{trace: unused.et}}
network:
  topology: {{generator: nodes, nodes: 2, npus-per-node: {npus_per_node}, leaves: 1, spines: 0,
             nvlink: {{bandwidth: 100 GB/s, latency: 1 us}}, nic: {{bandwidth: 10 GB/s, latency: 1 us}}}}
""")
        table = self.table("t", NODE | {"ranks": "4", "nodes": "2"}, [(MIB, 20), (2 * MIB, 30)])
        done = self.validate("--config", config, table)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [row["simulated_ns"] for row in self.rows()]


class Rows(ValidateBench):
    def side(self, collective, ranks=8, nodes=1):
        return describe(NODE | {"collective": collective, "ranks": str(ranks), "nodes": str(nodes),
                                "gpus_per_node": str(ranks // nodes)}, [])

    def test_a_size_is_that_of_nccl_tests(self):
        gather = make_workload(self.side("all_gather"), MIB)
        self.assertEqual(gather, {"ranks": "8", "collective": {
            "type": "all-gather", "size": f"{MIB} B", "size-means": "total"}})
        scatter = make_workload(self.side("reduce_scatter"), MIB)
        self.assertEqual(scatter["collective"], {"type": "reduce-scatter", "size": f"{MIB} B"})

    def test_in_a_send_receive_every_rank_sends_to_the_next(self):
        flows = make_workload(self.side("sendrecv", 3), 100)["flows"]
        self.assertEqual([(one["src"], one["dst"]) for one in flows],
                         [(0, 1), (1, 2), (2, 0)])
        self.assertEqual({one["size"] for one in flows}, {"100 B"})

    def test_the_time_of_a_row_is_that_of_its_call(self):
        head = "type,algorithm,start_ns,end_ns,duration_ns,protocol,channels\n"
        self.write("collectives.csv", head + "broadcast,ring,0,9000,9000,LL,4\n")
        found = read_simulated(self.path, {})
        self.assertEqual(found.time, 9)
        self.assertEqual((found.algorithm, found.protocol, found.channels), ("ring", "LL", "4"))

    def test_rows_are_packets_up_to_a_number_of_bytes_and_flows_beyond(self):
        side = self.side("all_reduce", 9)
        most = MOST_BYTES // 16  # nine ranks send 2 * 8 times the size
        self.assertEqual(bytes_sent(side, most), MOST_BYTES)
        self.assertEqual(choose_backend(side, most), "packet")
        self.assertEqual(choose_backend(side, most + 1), "flow")

    def test_too_many_messages_are_left_to_the_closed_form(self):
        cases = {("alltoall", 512): False, ("alltoall", 520): True, ("all_reduce", 2304): False,
                 ("all_reduce", 2312): True}
        for (collective, ranks), expected in cases.items():
            self.assertEqual(needs_closed_form(self.side(collective, ranks, ranks // 8)), expected)

    def test_the_closed_form_takes_the_parameters_of_the_presets(self):
        keys = CLUSTER | {"collective": "alltoall", "ranks": "2160", "nodes": "270"}
        table = read_tables([self.table("huge", keys, [(MIB, 900), (64 * MIB, 9000)])]).tables[0]
        compared = SubjectMaker(self.simulator, self.path).make(table).compared
        self.assertEqual({row.backend for row in compared.rows}, {"closed-form"})
        machine = machine_of(keys)
        sizes = [row.size for row in compared.rows]
        presets = (yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
                   for name in ("gpu-h100", "net-ib"))
        gpu, net = ({key: float(str(text).split()[0]) for key, text in one.items()}
                    for one in presets)
        local = sizes[1] / 2160 * 7 / (1e3 * gpu["rate-simple"] * gpu["p2p-rate"] * 450)
        nic = net["rate-simple"] * 50 * net["all-to-all-rate"]
        remote = sizes[1] / 2160 * 2152 / (1e3 * nic)
        moving = (local**6 + remote**6) ** (1 / 6)
        expected = moving + net["skew"] * math.sqrt(moving) + 2152 * net["pair"]
        expected += 7 * gpu["p2p-hop"] + gpu["base-simple"]
        self.assertAlmostEqual(compared.rows[1].simulated / expected, 1, places=6)
        self.assertEqual(plan(machine, [MIB])[0][0], "all-to-all")

    def test_every_machine_finds_a_preset_of_its_network(self):
        for transport in ("InfiniBand", "RoCE", "EFA", "Slingshot-11", "TCPXO", "Ethernet"):
            for path in ("pcie-switch", "host-bridge", "c2c"):
                for gpu in GPUS:
                    if gpu == "default":
                        continue
                    machine = machine_of(CLUSTER, gpu=gpu, inter_link=transport, nic_path=path)
                    self.assertIn(network_preset(machine), NETWORKS)
                    sizes = [1024.0, 1024.0 * MIB]
                    times = self.predict(machine, sizes)
                    self.assertTrue(all(0 < time < 1e7 for time in times), times)

    def predict(self, machine, sizes):
        sizes = np.array(sizes)
        return predict(machine, PresetValues(machine), sizes, plan(machine, sizes))


class Scores(unittest.TestCase):
    def table(self, name, system, rows, **keys):
        return ComparedTable(name, system, "all-reduce", 8, keys.pop("nodes", 1), rows, [], **keys)

    def test_the_error_is_the_geometric_mean_of_the_larger_ratio(self):
        rows = [ComparedRow(8, 10, simulated=20), ComparedRow(MIB, 10, simulated=5),
                ComparedRow(2 * MIB, 10, simulated=40, glitch=True),
                ComparedRow(4 * MIB, 10, message="failed")]
        found = score(rows)
        self.assertEqual((found["rows"], found["rows_1mib"], found["glitch_rows"]), (3, 2, 1))
        self.assertAlmostEqual(found["error_all"], 2 ** (4 / 3) - 1)  # 2, 2 and 4 times off
        self.assertAlmostEqual(found["error_1mib"], 2 ** (3 / 2) - 1)
        self.assertAlmostEqual(found["bias_1mib"], 2 ** (1 / 2) - 1)  # a half, and four times
        self.assertAlmostEqual(found["smooth_1mib"], 1.0)
        self.assertAlmostEqual(found["worst"], 3.0)
        self.assertIsNone(found["noise_1mib"])
        self.assertIsNone(found["against_1mib"])

    def test_each_table_and_each_system_counts_once_in_the_means(self):
        twice = [ComparedRow(MIB, 10, simulated=20)] * 3
        exact = [ComparedRow(MIB, 10, simulated=10)]
        tables = [self.table("a", "x", twice), self.table("b", "x", exact),
                  self.table("c", "y", exact, nodes=2, is_forced=True),
                  self.table("d", "z", [], refusal="no")]
        found = score_all(tables)
        self.assertAlmostEqual(found["overall"]["error_1mib"], 2 ** (3 / 5) - 1)
        self.assertAlmostEqual(found["overall"]["mean_of_tables"]["error_1mib"], 1 / 3)
        of_x = 2 ** (3 / 4) - 1
        self.assertAlmostEqual(found["overall"]["mean_of_systems"]["error_1mib"], of_x / 2)
        self.assertEqual({name: one["rows"] for name, one in found["kinds"].items()},
                         {"known algorithm": 1, "one node, library's choice": 4,
                          "several nodes": 1})
        self.assertEqual(found["overall"]["tables_above_25_percent"], 1)

    def test_sizes_are_written_in_the_largest_whole_unit(self):
        texts = {8: "8 B", 1024: "1 KiB", 1536: "1536 B", 3 * MIB: "3 MiB", 2**34: "16 GiB"}
        self.assertEqual({size: size_text(size) for size in texts}, texts)


class Names(ValidateBench):
    def choose(self, places, preset=None):
        class Arguments:
            pass

        Arguments.preset = preset
        return chosen_tables(read_tables([self.path / place for place in places]), Arguments)

    def test_a_file_counts_once_and_files_of_one_name_are_told_apart(self):
        self.table("one/t", NODE, [(MIB, 20)])
        self.table("two/t", NODE, [(MIB, 20)])
        found = self.choose(["one", "one/t.csv", "two"])
        self.assertEqual([table.name for table in found], ["t", "t (2)"])

    def test_a_preset_of_the_command_line_goes_before_what_the_table_says(self):
        self.table("t", NODE | {"gpu": "a card that nobody knows"}, [(MIB, 20)])
        table, = self.choose(["t.csv"], "a100")
        self.assertEqual(make_machine(table.side)[0].generation, "a100")


if __name__ == "__main__":
    unittest.main()
