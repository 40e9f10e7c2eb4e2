#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The closed form of the library: each mechanism against what follows from its parameters."""

import dataclasses
import math
import re
import unittest

import numpy as np
from measured_bench import CLUSTER, NODE, TOP, MeasuredBench

from validation import prediction, times
from validation.channels import most_channels, nvls_chunk, used_channels
from validation.choice import allowed, choose
from validation.estimate import Estimate
from validation.machine import make_machine
from validation.parameters import Values
from validation.releases import FAMILIES, family_of
from validation.side_file import COLLECTIVES, describe

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


def machine_of(keys=NODE, **changes):
    return make_machine(describe({**keys, **changes}, []))[0]


def sizes(*values):
    return np.array(values, float)


class Model(MeasuredBench):
    def value(self, machine):
        return Values({}, machine)

    def test_a_simple_ring_is_start_hops_transfer_and_drift(self):
        machine = machine_of()
        value = self.value(machine)
        moving = 64 * MIB * 14 / 8 / (1e3 * value("gpu.rate.Simple") * 450)
        start = value("gpu.base.Simple") + 24 * value("gpu.channel-start")
        expected = start + 14 * value("gpu.hop.Simple") + moving
        expected += value("gpu.skew") * math.sqrt(moving)
        found = times.ring(machine, value, "Simple", sizes(64 * MIB))
        self.assertAlmostEqual(found[0], expected, places=6)

    def test_a_host_that_waits_is_no_faster_than_its_launches(self):
        waits = dataclasses.replace(machine_of(), blocking=True, launch="process-per-node")
        lone = dataclasses.replace(waits, ranks=1)
        value = {"gpu.blocking": 48.0, "gpu.launch-of-each": 20.0, "gpu.launch": 6.0}.get
        self.assertEqual(prediction.launch(waits, value), 20.0 * waits.local)
        self.assertEqual(prediction.launch(lone, value), 48.0)

    def test_all_gather_takes_half_the_steps_of_all_reduce(self):
        both = {}
        for collective in ("all_reduce", "all_gather"):
            machine = machine_of(collective=collective)
            value = self.value(machine)
            start = value("gpu.base.LL128") + 24 * value("gpu.channel-start")
            both[collective] = times.ring(machine, value, "LL128", sizes(4 * MIB))[0] - start
        self.assertAlmostEqual(both["all_reduce"], 2 * both["all_gather"], places=6)

    def test_rings_enter_by_rotated_nics_so_that_links_carry_all_but_one(self):
        machine = machine_of(CLUSTER)
        value = self.value(machine)
        link = value("gpu.rate.Simple") * 450 * 8 / 7
        nic = value("net.rate.Simple") * 400
        rate = times.ring_rate(machine, value, "Simple")
        self.assertAlmostEqual(rate, min(link, nic), places=9)
        slow = machine_of(CLUSTER, inter_Gbps_per_gpu="200")
        rate = times.ring_rate(slow, value, "Simple")
        self.assertAlmostEqual(rate, nic / 2, places=9)

    def test_a_tree_over_two_nodes_crosses_the_network_once_and_over_more_twice(self):
        rates = []
        for nodes in (2, 4):
            machine = machine_of(CLUSTER, ranks=str(8 * nodes), nodes=str(nodes),
                                 inter_Gbps_per_gpu="100")
            value = self.value(machine)
            large, double = times.tree(machine, value, "Simple", sizes(8 * GIB, 16 * GIB))
            rates.append(8 * GIB / (double - large) / 1e3)
        nic = value("net.rate.Simple") * value("net.tree-rate") * 100
        self.assertAlmostEqual(rates[0], nic, places=6)
        self.assertAlmostEqual(rates[1], nic / 2, places=6)

    def test_nvls_moves_loops_of_a_chunk_for_each_head_and_channel(self):
        chunk = nvls_chunk(sizes(MIB, 4 * MIB, 8 * MIB, 16 * MIB, 64 * MIB, GIB), 8, 128 * KIB)
        # chunks of 32, 64 and 128 KiB from 2, 8 and 64 loops of their size on
        thresholds = [2 * 16 * 8 * 32 * KIB, 8 * 16 * 8 * 64 * KIB, 64 * 16 * 8 * 128 * KIB]
        self.assertEqual(thresholds, [8 * MIB, 64 * MIB, GIB])
        self.assertEqual(list(chunk / KIB), [16, 16, 32, 32, 64, 128])
        below = nvls_chunk(sizes(*thresholds) - 1, 8, 128 * KIB)
        self.assertEqual(list(below / KIB), [16, 32, 64])
        machine = machine_of()
        value = self.value(machine)
        loop = 16 * 8 * 128 * KIB
        one, two = times.nvls(machine, value, "Simple", sizes(64 * loop, 65 * loop))
        of_one = value("gpu.nvls-loop") + loop / (1e3 * value("gpu.nvls-rate") * 450)
        self.assertAlmostEqual(two - one, of_one, places=6)

    def test_calls_of_a_broadcast_overlap_unless_one_process_launches_all(self):
        """So the hops are in no call's time."""
        few, many = (machine_of(collective="broadcast", ranks=ranks, nodes="1") for ranks in "48")
        value = self.value(few)
        first, second = (times.chain(one, value, "Simple", sizes(MIB))[0] for one in (few, many))
        self.assertAlmostEqual(first, second, places=9)
        together = dataclasses.replace(many, launch="process-per-node")
        hops = 7 * value("gpu.hop.Simple")
        self.assertAlmostEqual(times.chain(together, value, "Simple", sizes(MIB))[0], first + hops)

    def test_latency_and_transfer_of_ll_overlap_within_a_node(self):
        machine = machine_of()
        value = self.value(machine)
        few = 14 / 8 * MIB / (1e3 * 24 * value("gpu.channel-rate"))
        link = 14 / 8 * MIB / (1e3 * value("gpu.rate.Simple") * value("gpu.rate.LL") * 450)
        moving = (few**3 + link**3) ** (1 / 3)
        passing = 14 * value("gpu.hop.LL")
        start = value("gpu.base.LL") + 24 * value("gpu.channel-start")
        found = times.ring(machine, value, "LL", sizes(MIB))[0]
        self.assertAlmostEqual(found, start + math.hypot(passing, moving), places=6)

    def test_hops_between_nodes_overlap_with_the_transfer_of_slices(self):
        """All-gather of four nodes: 4 of its 31 hops on the longest way cross the network."""
        machine = machine_of(CLUSTER, collective="all_gather")
        value = self.value(machine)
        for protocol, power in (("LL128", 1.5), ("Simple", 1.5)):
            hop, crossing = (value(f"{group}.hop.{protocol}") for group in ("gpu", "net"))
            passing = 31 * 28 / 32 * hop + 31 * 4 / 32 * crossing
            rate = times.ring_rate(machine, value, protocol)
            moving = 256 * MIB * 31 / 32 / (1e3 * rate)
            channels = most_channels(machine)
            start = value(f"gpu.base.{protocol}") + channels * value("gpu.channel-start")
            expected = start + (passing**power + moving**power) ** (1 / power)
            if protocol == "Simple":
                expected += value("net.skew") * math.sqrt(moving)
            found = times.ring(machine, value, protocol, sizes(256 * MIB))[0]
            self.assertAlmostEqual(found, expected, places=6)

    def test_ll_does_not_take_the_slow_path_between_gpu_and_nic(self):
        machine = machine_of(CLUSTER, nic_effective_GBps_per_gpu="10")
        value = self.value(machine)
        share = value("net.rate.Simple")
        for protocol, nic in (("Simple", 80), ("LL", 400)):
            own = share if protocol == "Simple" else share * value("net.rate.LL")
            rate = times.net_rate(machine, value, protocol)
            self.assertAlmostEqual(rate, own * nic, places=9)

    def test_a_channel_is_added_for_each_threshold_of_bytes(self):
        machine = machine_of()
        # 512 threads of 64 bytes; LL: of 8 bytes and for each rank; LL128: 640 threads of 8 bytes
        used = used_channels(machine, "ring", "Simple", sizes(1, 64 * KIB, 96 * KIB, GIB))
        self.assertEqual(list(used), [1, 2, 3, most_channels(machine)])
        used = used_channels(machine, "ring", "LL", sizes(31 * KIB, 64 * KIB, 320 * KIB))
        self.assertEqual(list(used), [1, 2, 10])
        self.assertEqual(used_channels(machine, "ring", "LL128", sizes(50 * KIB))[0], 10)

    def test_long_messages_of_ll_wait_for_consent_on_slingshot_alone(self):
        for link, waits in (("Slingshot-11", True), ("InfiniBand NDR", False)):
            machine = machine_of(CLUSTER, inter_link=link, gpu="GH200")
            value = self.value(machine)
            short, long = times.net_hop(machine, value, "net.hop", "LL", sizes(2 * KIB, 4 * KIB))
            self.assertAlmostEqual(long - short, value("net.rendezvous") if waits else 0.0)
            other = times.net_hop(machine, value, "net.hop", "Simple", sizes(2 * KIB, 4 * KIB))
            self.assertEqual(other[0], other[1])
            # in a step of a ring all messages of a rank wait one after the other
            many = times.net_hop(machine, value, "net.hop", "LL", sizes(4 * KIB), 5)[0]
            self.assertAlmostEqual(many - short, 5 * value("net.rendezvous") if waits else 0.0)

    def test_the_launch_is_a_floor_and_no_sum(self):
        machine = machine_of()
        value = self.value(machine)
        small, large = sizes(8), sizes(GIB)
        floor = value("gpu.launch")
        self.assertAlmostEqual(prediction.launch(machine, value), floor)
        for one in (small, large):
            planned = prediction.plan(machine, one)
            algorithm, protocol = planned[0]
            kernel = prediction.FORMS[algorithm](machine, value, protocol, one)[0]
            time = prediction.predict(machine, value, one, planned)[0]
            self.assertGreaterEqual(time, max(kernel, floor) - 1e-6)
            self.assertLessEqual(time, 2 ** (1 / 6) * max(kernel, floor))
        together = dataclasses.replace(machine, launch="process-per-node")
        several = 8 * value("gpu.launch-of-each")
        self.assertAlmostEqual(prediction.launch(together, value), several)
        unknown = dataclasses.replace(machine, launch="")
        self.assertAlmostEqual(prediction.launch(unknown, value), math.sqrt(floor * several))

    def test_send_receive_is_bound_by_channels_then_by_the_link(self):
        machine = machine_of(collective="sendrecv")
        value = self.value(machine)
        start = value("gpu.base.Simple") + value("gpu.hop.Simple")
        link = value("gpu.rate.Simple") * value("gpu.p2p-rate") * 450
        for size, channels in ((64 * MIB, 8), (128 * MIB, 8), (256 * MIB, 16), (GIB, 32)):
            rate = min(channels * value("gpu.p2p-channel"), link)
            found = times.send_receive(machine, value, "Simple", sizes(size))[0]
            self.assertAlmostEqual(found, start + size / (1e3 * rate), places=6)

    def test_an_exchange_of_two_moves_its_part_as_fast_as_a_send(self):
        pair = {"ranks": "2", "gpus_per_node": "2", "collective": "alltoall"}
        apart = CLUSTER | pair | {"nodes": "2", "gpus_per_node": "1"}
        for keys, skew in ((NODE | pair, "gpu.skew"), (apart, "net.skew")):
            machine = machine_of(keys)
            value = self.value(machine)
            send = machine_of(keys, collective="sendrecv")
            first, second = (times.send_receive(send, value, "Simple", sizes(size))[0]
                             for size in (32 * MIB, 64 * MIB))
            moved = []
            for size in (64 * MIB, 128 * MIB):
                time = times.all_to_all(machine, value, "Simple", sizes(size))[0]
                moving = size / 2 / (32 * MIB) * (second - first)
                moved.append(time - value(skew) * math.sqrt(moving))
            self.assertAlmostEqual(moved[1] - moved[0], second - first, places=3)

    def test_a_send_to_another_node_starts_as_a_peer_of_an_exchange(self):
        machine = machine_of(CLUSTER, collective="sendrecv")
        value = self.value(machine)
        found = times.send_receive(machine, value, "Simple", sizes(0))[0]
        self.assertAlmostEqual(found, value("gpu.base.Simple") + value("net.pair"), places=6)

    def test_scripted_phases_move_a_share_to_each_peer_at_once(self):
        script = "MSCCL allpair, protocol LL128, channels=x, instances=4 (file name fields)"
        keys = NODE | {"gpu": "MI300X", "intra_GBps_per_gpu_per_dir": "448", "algorithm": script}
        machine = machine_of(keys, collective="all_gather")
        value = self.value(machine)
        first, second = prediction.predict(machine, value, sizes(GIB, 2 * GIB), [])
        rate = min(4 * value("msccl.LL128"), value("msccl.pair-rate") * 448 / 7)
        self.assertAlmostEqual(second - first, GIB / 8 / (1e3 * rate), places=3)

    def test_scripts_of_simple_drift_like_the_library(self):
        script = "MSCCL allpair, protocol simple, channels=x, instances=1 (file name fields)"
        keys = NODE | {"gpu": "MI300X", "intra_GBps_per_gpu_per_dir": "448", "algorithm": script}
        machine = machine_of(keys, collective="all_gather")
        value = self.value(machine)
        moving = GIB / 8 / (1e3 * value("msccl.Simple"))
        expected = value("msccl.base.Simple") + value("msccl.phase.Simple") + moving
        expected += value("gpu.skew") * math.sqrt(moving)
        found = prediction.predict(machine, value, sizes(GIB), [])[0]
        self.assertAlmostEqual(found, expected, places=6)

    def test_every_machine_has_finite_times(self):
        every = 2.0 ** np.arange(0, 35)
        for collective in COLLECTIVES:
            for gpu, link in (("V100", "Slingshot-11"), ("A100", "EFA"), ("H100", "RoCE 400G"),
                              ("GB200", "TCPXO"), ("MI300X", "IB"), ("RTX 4090", "sockets")):
                for nodes, local in ((1, 2), (1, 4), (1, 8), (2, 1), (3, 8), (270, 8)):
                    machine = machine_of(CLUSTER, collective=collective, gpu=gpu, inter_link=link,
                                         nodes=str(nodes), ranks=str(nodes * local))
                    planned = prediction.plan(machine, every)
                    found = prediction.predict(machine, self.value(machine), every, planned)
                    self.assertTrue(np.all(np.isfinite(found) & (found > 0)), machine)
                    self.assertGreater(found[-1], found[0])


class Choice(MeasuredBench):
    def test_the_estimate_of_a_ring_is_latency_and_rate_of_the_release(self):
        # 14 steps on eight GPUs; 360 GB/s of rings; LL at most 141 GB/s, before 2.20 87.7 GB/s
        for release, most in (("2.18", 87.7), ("2.21", 141.0)):
            estimate = Estimate(machine_of(nccl_version=release))
            expected = 6.6 + 14 * 0.6 + MIB / (1e3 * most * 8 / 14)
            self.assertAlmostEqual(estimate.time("ring", "LL", sizes(MIB))[0], expected)
            expected = 8.4 + 14 * 3.4 + MIB / (1e3 * 360 * 8 / 14)
            self.assertAlmostEqual(estimate.time("ring", "Simple", sizes(MIB))[0], expected)

    def test_the_estimate_between_nodes_counts_posts_plateau_and_plugin(self):
        # 2 (N - 1) = 6 of 62 steps cross; a post takes 1 us, of Simple 3; the plateau is 1.4
        machine = machine_of(CLUSTER, nccl_version="2.26")
        rate = 0.96 * 400 * 32 / 62
        expected = 1.4 * (8.4 + 56 * 3.4 + 6 * 14) + MIB / (1e3 * rate)
        found = Estimate(machine).time("ring", "Simple", sizes(MIB))[0]
        self.assertAlmostEqual(found, expected)
        plugin = machine_of(CLUSTER, nccl_version="2.26", inter_link="EFA")
        more = Estimate(plugin).time("ring", "Simple", sizes(MIB))[0] - found
        # the plugin tells 75 us, which Simple pays twice; a post of p5's AMD processors takes 2 us
        self.assertAlmostEqual(more, 1.4 * (6 * 2 * 75 + 56 * (3 * 2 - 3.4)))

    def test_the_estimate_of_a_tree_has_twice_the_nics_on_two_nodes(self):
        """And 0.85 of it where each GPU has its own NIC, whatever hangs behind host bridges."""
        for nodes, path, bus in ((4, "pcie-switch", 192), (2, "pcie-switch", 360),
                                 (2, "host-bridge", 8 * 18.2 * 0.96)):
            machine = machine_of(CLUSTER, nodes=str(nodes), ranks=str(8 * nodes), nic_path=path,
                                 inter_Gbps_per_gpu="200", nccl_version="2.26")
            levels = int(math.log2(nodes))
            latency = 8.4 + 2 * (7 * 4 + levels * 14)
            rate = 0.85 * 0.92 * min(bus, 360) / 2  # the correction is 1 from 512 MiB on
            found = Estimate(machine).time("tree", "Simple", sizes(GIB))[0]
            self.assertAlmostEqual(found, latency + GIB / (1e3 * rate))

    def test_the_estimate_of_nvls_changed_with_2_28(self):
        """A channel for each head: 45.5 GB/s of each NIC in a tree of more than two nodes."""
        one = Estimate(machine_of(nccl_version="2.28"))
        rate = 2 * 360 * 0.85 * 7 / 8 * 8 / 14
        self.assertAlmostEqual(one.time("nvls", "Simple", sizes(GIB))[0], 25 + GIB / (1e3 * rate))
        several = Estimate(machine_of(CLUSTER, nccl_version="2.28"))
        latency, rate = 25 + 2 * 2 * 14, 8 * 45.5 * 32 / 62
        found = several.time("nvls-tree", "Simple", sizes(GIB))[0]
        self.assertAlmostEqual(found, latency + GIB / (1e3 * rate))

    def test_one_node_changes_from_ll_to_nvls_where_the_estimates_meet(self):
        machine = machine_of(nccl_version="2.21")
        meet = (25 - (6.6 + 14 * 0.6)) * 1e3 / (7 / 4 / 141 - 1 / (360 * 5 / 6))
        below, above = choose(machine, sizes(0.99 * meet, 1.01 * meet))
        self.assertEqual((below, above), (("ring", "LL"), ("nvls", "Simple")))

    def test_four_gpus_and_boards_without_switch_have_no_nvls(self):
        for changes in ({"ranks": "4", "gpus_used_per_node": "4"},
                        {"intra_link": "NVLink4 all-to-all, no NVSwitch"}):
            kinds = {algorithm for algorithm, _ in allowed(machine_of(**changes))}
            self.assertEqual(kinds, {"ring", "tree"})

    def test_a_run_that_forced_nvls_has_it_from_three_gpus_on(self):
        for ranks, kind in (("2", "ring"), ("3", "nvls"), ("4", "nvls")):
            machine = machine_of(ranks=ranks, gpus_used_per_node=ranks, algorithm="NCCL_ALGO=NVLS")
            self.assertEqual({algorithm for algorithm, _ in allowed(machine)}, {kind}, ranks)

    def test_ll128_needs_gpu_and_nic_below_one_switch(self):
        for changes, expected in (
            ({}, True),
            ({"nic_path": "host-bridge"}, False),
            ({"gpu": "GH200", "nccl_version": "2.23"}, False),
            ({"gpu": "GH200", "nccl_version": "2.29"}, True),
        ):
            kinds = {protocol for _, protocol in allowed(machine_of(CLUSTER, **changes))}
            self.assertEqual("LL128" in kinds, expected, changes)

    def test_an_algorithm_that_the_run_forced_is_alone(self):
        machine = machine_of(CLUSTER, algorithm="NCCL_ALGO=Ring, NCCL_MIN_CTAS=24")
        self.assertEqual({algorithm for algorithm, _ in allowed(machine)}, {"ring"})
        self.assertEqual(most_channels(machine), 24)
        for text in ("NCCL_ALGO=Ring,Tree", "NCCL_ALGO=^NVLS", "NCCL_ALGO=CollnetDirect"):
            machine = machine_of(CLUSTER, algorithm=text)
            self.assertEqual({algorithm for algorithm, _ in allowed(machine)},
                             {"ring", "tree", "nvls-tree"}, text)

    def test_a_protocol_that_the_run_forced_is_alone(self):
        machine = machine_of(CLUSTER, algorithm="NCCL_PROTO=LL128")
        self.assertEqual(allowed(machine), [("ring", "LL128"), ("tree", "LL128")])
        nvls = machine_of(NODE, algorithm="NCCL_ALGO=NVLS, NCCL_PROTO=LL")
        self.assertEqual(allowed(nvls), [("nvls", "Simple")])  # which knows no other

    def test_the_estimate_changes_with_a_patch_as_that_of_the_simulator(self):
        hops = {one: family_of(tuple(map(int, one.split(".")))).nvls_net
                for one in ("2.28", "2.28.8", "2.28.9", "2.29")}
        self.assertEqual(list(hops.values()), [14, 14, 20.9, 20.9])
        text = (TOP / "system/library/nccl/release-family.cc").read_text()
        firsts = re.findall(r"\{\{(2(?:, \d+)+)\},", text)
        self.assertEqual([tuple(map(int, one.split(", "))) for one in firsts],
                         [family.first for family in FAMILIES])

    def test_every_release_chooses_on_every_shape(self):
        for release in ("2.4", "2.7", "2.10", "2.14", "2.18", "2.20", "2.23", "2.27", "2.29"):
            for nodes in (1, 2, 3, 64):
                for collective in ("all_reduce", "all_gather", "broadcast"):
                    machine = machine_of(CLUSTER, nccl_version=release, nodes=str(nodes),
                                         ranks=str(8 * nodes), collective=collective)
                    chosen = choose(machine, 2.0 ** np.arange(3, 35))
                    self.assertLessEqual(set(chosen), set(allowed(machine)))
                    self.assertEqual(chosen[0][1], "LL")
                    self.assertEqual(chosen[-1][1], "Simple")


if __name__ == "__main__":
    unittest.main()
