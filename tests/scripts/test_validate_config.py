#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tables on a network and a library of the user's: where the ranks stand, and what their times are
of."""

import unittest

import yaml
from measured_bench import NODE, TOP
from validate_bench import BUILD, MIB, ValidateBench

from validation.reading import read_tables
from validation.refusal import Refusal
from validation.side_file import describe
from validation.simulated.placement import find_placement, with_nodes_of
from validation.simulated.subject import SubjectMaker


class OwnConfigurations(ValidateBench):
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

    def log(self, ranks, calls=""):
        """A table of a sweep: it names no hosts."""
        text = f"# nadi: broadcast, {ranks} ranks{calls}\n# size count type time\n1024 1 int8 9\n"
        return read_tables([self.write("table.txt", text)]).tables[0]

    def test_a_table_without_nodes_that_has_all_ranks_of_a_network_is_of_all_its_nodes(self):
        side = self.log(24).side
        found = with_nodes_of(self.EIGHTS, side)
        self.assertEqual((found.nodes, found.ranks_per_node), (3, 8))
        self.assertIsNone(find_placement(found, self.EIGHTS))
        said = describe(NODE | {"ranks": "24", "nodes": "1"}, [])
        self.assertEqual(with_nodes_of(self.EIGHTS, said).nodes, 1)
        self.assertEqual(with_nodes_of(self.FREE, side).nodes, 1)

    def test_a_table_without_nodes_that_fits_in_no_node_asks_for_them(self):
        side = with_nodes_of(self.EIGHTS, self.log(16).side)
        with self.assertRaisesRegex(Refusal, "does not say on how many nodes its 16 ranks were, and "
                                    "the network has 8 NPUs on a node; write nodes in a side file"):
            find_placement(side, self.EIGHTS)

    def test_the_library_of_a_user_is_told_what_the_times_are_of_unless_it_says_so(self):
        network = f"network: {TOP}/configs/networks/hgx-h100.yaml\n"
        self.write("system.yaml", "library: {name: nccl, preset: h100}\n"
                   "concurrent-collectives: 3\n")
        self.write("deep/system.yaml", "file: ../system.yaml\nlibrary: {calls: single}\n")
        self.write("other.yaml", "file: system.yaml\nlibrary: rccl\n")
        self.write("other-keys.yaml", "concurrent-collectives: 3\n")
        mean, single = "back-to-back", "single"
        for system, measured, calls in (
            ("{library: {name: nccl, preset: h100}}", "", mean),
            ("{library: {name: nccl, preset: h100}}", ", single calls (more)", single),
            ("{library: {name: nccl, calls: single}}", "", single),
            ("{library: nccl}", "", mean),
            ("system.yaml", "", mean),
            ("{file: system.yaml, library: {release: 2.18}}", "", mean),
            ("deep/system.yaml", "", single),
            ("{file: system.yaml, library: rccl}", "", mean),
            ("{file: deep/system.yaml, library: rccl}", ", single calls (more)", single),
            ("{file: other-keys.yaml, library: rccl}", "", mean),
            ("other.yaml", "", mean),
            ("{file: system.yaml, library: plain}", "", None),
            ("{library: plain}", "", None),
            ("{chunks: 4}", "", None),
        ):
            config = self.write("own.yaml", f"system: {system}\n{network}")
            maker = SubjectMaker(BUILD / "cli/nadi", self.path / "made", config)
            subject = maker.make(self.log(16, measured))
            self.assertEqual(subject.compared.nodes, 2)
            effective = subject.points[0].configuration["system"]
            library = effective["library"]
            found = library.get("calls") if isinstance(library, dict) else None
            self.assertEqual(found, calls, system)
            self.assertEqual(str(effective["concurrent-collectives"]),
                             "3" if "yaml" in system else "0", system)

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


if __name__ == "__main__":
    unittest.main()
