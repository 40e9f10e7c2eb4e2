#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The systems that come with Nadi are valid and run, those with nodes in any number. The machines
among them say where each number is from, and docs/systems.md has them all.

With NADI_UPDATE_DOCS=1 the table of that page is written anew.
"""

import json
import os
import re
import subprocess
import unittest

import yaml

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

SYSTEMS = sorted((TOP / "configs/systems").glob("*.yaml"))
PAGE = TOP / "docs/systems.md"
SOURCE = "# Source: "
TABLE = re.compile(r"^\| system \|.*?(?=\n\n)", re.MULTILINE | re.DOTALL)
HEAD = "| system | NPUs per node | inside a node | NICs of a node | network | source |"
GBPS = {"Gb/s": 1, "Tb/s": 1000, "GB/s": 8, "TB/s": 8000}  # in Gb/s


def ask(*words):
    """What the simulator prints."""
    done = subprocess.run(
        [BUILD / "cli/nadi", *words], capture_output=True, text=True, timeout=SECONDS_AT_MOST
    )
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


def network_of(system):
    """The effective network of a system file: generators have all their parameters."""
    return yaml.load(ask("config", str(system)), yaml.BaseLoader)["network"]


def network_file(system):
    return TOP / "configs/networks" / system.name


def machines():
    """The systems whose network names its source."""
    return [one for one in SYSTEMS if network_file(one).exists() and source_of(one)]


def source_of(system):
    """What stands behind "Source:" in the head of the network's file, or nothing."""
    found = []
    for line in network_file(system).read_text().splitlines():
        if line.startswith(SOURCE):
            found.append(line.removeprefix(SOURCE))
        elif found and line.startswith("# "):
            found.append(line.removeprefix("# "))
        elif found:
            break
    return " ".join(found)


def small(system):
    """Words that make a torus small; other systems are."""
    dimensions = network_of(system).get("dimensions", [])
    return [
        word
        for i, dimension in enumerate(dimensions) if int(dimension["size"]) > 16
        for word in ("--set", f"network.dimensions[{i}].size=4")
    ]  # fmt: skip


def gbps(rate):
    number, unit = rate.split()
    return float(number) * GBPS[unit]


def row_of(system):
    title = system.read_text().splitlines()[0].removeprefix("# ").split(" under ")[0]
    network = network_of(system)
    cells = torus_cells(network["dimensions"]) if "dimensions" in network else node_cells(network)
    link = f"[{title}](../configs/systems/{system.name})"
    return f"| {link} | {' | '.join(cells)} | {source_of(system)} |"


def torus_cells(dimensions):
    sizes = " x ".join(one["size"] for one in dimensions)
    rate = gbps(dimensions[0]["bandwidth"]) / 8
    return ["", "", "", f"torus of {sizes}, links of {rate:g} GB/s"]


def node_cells(network):
    topology = network["topology"]
    npus = topology["npus-per-node"]
    inside = topology["inside"].replace("-", " ")
    nic = topology.get("nic") or topology["link"]
    shared = topology["nics-per-node"]
    nics = f"{npus if shared == '0' else shared} x {gbps(nic['bandwidth']):g} Gb/s"
    if shared != "0":
        nics += f", each GPU over {gbps(topology['pcie']['bandwidth']) / 8:g} GB/s"
    nvlink = gbps(topology["nvlink"]["bandwidth"]) / 8
    return [npus, f"{inside}, {nvlink:g} GB/s", nics, fabric_of(topology)]


def fabric_of(topology):
    if topology["generator"] == "dragonfly":
        return f"dragonfly of {topology['groups']} x {topology['routers-per-group']} switches"
    if topology["generator"] == "rail":
        return f"rails, {topology['spines']} spines"
    return "one leaf"


class Systems(Bench):
    def test_nodes_of_any_number_are_valid(self):
        with_nodes = 0
        for system in SYSTEMS:
            topology = network_of(system).get("topology", {})
            if "nodes" not in topology:
                ask("check", str(system))
                continue
            with_nodes += 1
            for nodes in (1, 2, 4, 7):
                with self.subTest(system.name, nodes=nodes):
                    told = ask("check", str(system), "--set", f"network.topology.nodes={nodes}")
                    ranks = int(re.search(r"^ranks\s+(\d+)", told, re.MULTILINE)[1])
                    self.assertEqual(ranks, nodes * int(topology["npus-per-node"]))
        self.assertGreater(with_nodes, 15)

    def test_an_all_reduce_runs_on_each(self):
        job = "workload={collective: {type: all-reduce, size: 1 MiB}}"
        for system in SYSTEMS:
            with self.subTest(system.name):
                out = self.path / system.stem
                ask("run", str(system), "--quiet", "--out", str(out), "--set", job, *small(system))
                summary = json.loads((out / "summary.json").read_text())
                self.assertEqual(summary["status"], "done")
                # Of n ranks each has to send at least 2 (n - 1) / n of the buffer, where no switch
                # adds what they have.
                calls = (out / "collectives.csv").read_text()
                least = 2 * (int(summary["ranks"]) - 1) * (1 << 20)
                self.assertGreater(summary["bytes_sent"], 0 if ",nvls" in calls else least - 1)

    def test_studies_start_from_a_machine_in_any_size(self):
        study = self.write("study.yaml", (
            f"base: {TOP}/configs/systems/hgx-h100.yaml\n"
            "sweep:\n  network.topology.nodes: [1, 2]\n"
            "  workload.collective.size: [64 KiB]\n"
        ))
        done = self.sweep(study, "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["ranks"] for row in self.rows("out")], ["8", "16"])

    def test_the_host_bridge_before_a_nic_slows_no_link_between_switches(self):
        topology = network_of(TOP / "configs/systems/polaris.yaml")["topology"]
        nic, between = (gbps(topology[one]["bandwidth"]) for one in ("link", "global"))
        self.assertLess(nic, between)

    def test_each_number_of_a_machine_names_its_source(self):
        for system in machines():
            for line in network_file(system).read_text().splitlines():
                value, _, comment = line.partition("#")
                if re.search(r"\d", value) and not re.match(r"  nodes:|file:", value):
                    with self.subTest(system.name, line=line):
                        self.assertTrue(comment)

    def test_the_page_has_the_machines(self):
        table = "\n".join([HEAD, "|---" * 6 + "|", *(row_of(one) for one in machines())])
        page = PAGE.read_text()
        if "NADI_UPDATE_DOCS" in os.environ:
            page = TABLE.sub(lambda _: table, page, count=1)
            PAGE.write_text(page)
        self.assertEqual(TABLE.search(page)[0], table)


if __name__ == "__main__":
    unittest.main()
