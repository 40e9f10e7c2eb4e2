#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every study of configs/studies at a reduced size, and the published numbers that they meet."""

import unittest

import yaml

from study_bench import BUILD, TOP
from study_runs import FOLDER, StudyRuns

from studies.points import expand

SIZE = "workload.collective.size"
BACKEND = "network.backend"
WORKLOAD = "workload"
FLOWS = {
    SIZE: ["1 MB"],
    BACKEND: ["flow"],
    "system.chunks": ["4"],
    "system.chunks-in-flight": ["1"],
}
SEEDS = {"seed": ["1", "2"]}
FEW_FRAMES = {"network.packet.payload": ["9000 B"]}


def flows(count, size):
    return {f"workload.flows[{i}].size": [size] for i in range(count)}


# What is swept instead.
REDUCED = {
    "chakra-2023": {BACKEND: ["flow"], WORKLOAD: ["../workloads/chakra-2023/mlp-mp.yaml"]},
    "chakra-2023-bandwidth": {WORKLOAD: ["../workloads/chakra-2023/mlp-dp-mp.yaml"]},
    "convergence-2": FEW_FRAMES,
    "direct-64": {SIZE: ["64 KiB"]},
    "disaggregated-memory": {
        WORKLOAD: ["../workloads/disaggregated-memory/dense.yaml"],
        "workload.generate.layers": ["1"],
        "workload.generate.hidden": ["1024"],
    },
    "expert-exchange": {"seed": ["1"]},
    "failed-link": {"network.reroute-after": ["50 us", "200 us"]},
    "fred-collectives": {SIZE: ["1 MB"]},
    "fred-training": {"workload.generate.layers": ["2"]},
    "in-network-interference": {
        WORKLOAD: ["../workloads/interference/all-to-all-beside.yaml"],
        "seed": ["1"],
    },
    "incast-32": flows(32, "64 KiB"),
    "interleaved": SEEDS | FEW_FRAMES,
    "interleaved-rounds": FEW_FRAMES | {"network.packet.load-balancing": ["spray"], "seed": ["1"]},
    "load-balancing": SEEDS,
    "nvls": {SIZE: ["4 MiB"]},
    "pfc-storm-balancing": flows(16, "2 MiB") | SEEDS,
    "placement": {"workload.generate.layers": ["2"]},
    "failed-link-synthesis": {SIZE: ["64 KiB"]},
    "synthesis-scale": {"network.dimensions[0].size": ["2"], "network.dimensions[1].size": ["4"]},
    "serving-afd": {"workload.serve.requests.users": ["48"], "workload.serve.requests.count": ["48"]},
    "serving-goodput": {"workload.serve.slo.tpot": ["25 ms"], "workload.serve.requests.count": ["40"]},
    "serving-interactivity": {
        "workload.serve.requests.users": ["2"],
        "workload.serve.requests.count": ["4"],
    },
    "serving-layers": {"workload.serve.layers": ["1"], "workload.serve.requests.count": ["16"]},
    "serving-rate": {"workload.serve.requests.rate": ["20 /s"], "workload.serve.requests.count": ["40"]},
    "serving-skew": {
        "workload.serve.experts.routing": ["uniform"],
        "workload.serve.requests.users": ["32"],
        "workload.serve.requests.count": ["32"],
        "workload.serve.requests.output": ["1"],
    },
    "synthesis": {SIZE: ["64 KiB"]},
    "synthesis-sizes": {SIZE: ["4 KiB"], "system.collectives.all-gather": ["synthesized"]},
    "themis": FLOWS | {"system.intra-dimension": ["smallest-first"]},
    "themis-datum": FLOWS,
    "torus-bandwidth": {SIZE: ["64 KiB"]},
    "victim-flow-spines": flows(3, "64 KiB") | SEEDS,
    "wafer-and-conventional": FLOWS,
    "what-if-training": {"network": ["../networks/hgx-h100.yaml"]},
}

# Only these variants of studies whose others are as good and take seconds.
REDUCED_VARIANTS = {
    "expert-exchange": ["16 GPUs"],
    "in-network-interference": ["ring", "in-network"],
    "serving-afd": ["32 + 16, both in each node", "32 + 16, NVLink"],
    "serving-goodput": ["4 together", "2 prefill and 2 decode"],
    "serving-skew": ["oversubscribed 4:1"],
    "synthesis": ["mesh 5x4, default", "mesh 5x4, synthesised"],
    "themis": ["2D SW SW", "4D Ring FC Ring SW"],
    "synthesis-sizes": ["torus 8x8", "torus 4x4 less a link", "DGX-1", "star of 16"],
    "what-if-training": ["2x2x4, 64 layers, what-if", "2x2x4, 64 layers, generated"],
}

# What is searched instead.
REDUCED_SEARCHES = {"serving-goodput": {"from": "20 /s", "to": "2000 /s", "tolerance": "50 %"}}

# Whole they take a few seconds each, and pages of docs/congestion show their tables.
WHOLE = ["convergence", "failed-link-exchange", "incast", "pfc-storm", "victim-flow"]
GIB = 2.0**30


class Studies(StudyRuns):
    def test_every_study_is_here(self):
        self.assertEqual(sorted(file.stem for file in FOLDER.glob("*.yaml")),
                         sorted([*REDUCED, *WHOLE]))

    def test_the_first_and_last_points_of_every_reduced_study_are_valid(self):
        for name in REDUCED:
            swept = yaml.load((FOLDER / f"{name}.yaml").read_text(), yaml.BaseLoader).get("sweep", {})
            ends = {key: values[:1] + values[1:][-1:] for key, values in swept.items()}
            for point in expand(self.read(name, ends), BUILD / "cli/nadi"):
                self.assertIsNone(point.refusal, f"{name}: {point.describe()}")

    def test_every_study_runs_and_draws_its_figures(self):
        for name, swept in REDUCED.items():
            with self.subTest(name):
                study = self.read(name, swept, REDUCED_VARIANTS.get(name),
                                  REDUCED_SEARCHES.get(name))
                self.run_and_draw(study)

    def run_and_draw(self, study):
        """Where the results and figures are."""
        runs, store = self.run_study(study)
        self.assertTrue(all(result.status == "done" for _, result in runs))
        for plot in study.plots:
            for ending in plot.kind.files:
                file = store.out / f"plots/{plot.name}.{ending}"
                self.assertTrue(file.exists(), file.name)
        return store.out

    def test_tables_of_the_pages_are_those_of_their_studies(self):
        pages = [file.read_text() for file in (TOP / "docs/congestion").glob("*.md")]
        for name in WHOLE:
            with self.subTest(name):
                study = self.read(name, {})
                out = self.run_and_draw(study)
                tables = [plot.name for plot in study.plots if plot.kind.name == "table"]
                self.assertTrue(tables)
                for table in tables:
                    text = (out / f"plots/{table}.md").read_text()
                    self.assertTrue(any(text in page for page in pages), text)

    def test_the_datum_of_themis_is_met(self):
        times = self.times("themis-datum", {BACKEND: ["flow"]})
        baseline = times["", "flow", "baseline", "fifo"]
        themis = times["", "flow", "themis", "smallest-first"]
        # An NPU sends 2 S (p - 1) / p at 3 x 50 GiB/s.
        ideal = 2 * GIB * 511 / 512 / (3 * 50 * GIB) * 1e6
        self.assert_near(baseline, 35008.129)
        self.assert_near(themis, 13635.871)
        self.assert_near(baseline / themis, 2.567)
        self.assert_near(ideal / themis, 0.9759)
        self.assert_near(ideal / baseline, 0.3801)

    def test_direct_all_reduce_of_64_meets_both_published_times(self):
        swept = {BACKEND: ["flow", "packet"], SIZE: ["1 GiB"]}
        times = self.times("direct-64", swept, ["link to each peer", "switch"])
        for backend in swept[BACKEND]:
            self.assert_near(times["link to each peer", backend, "1 GiB"], 633.217)
            self.assert_near(times["switch", backend, "1 GiB"], 40008.217)

    def test_an_edited_job_takes_the_time_of_one_made_anew(self):
        pair = REDUCED_VARIANTS["what-if-training"]
        times = self.times("what-if-training", REDUCED["what-if-training"], pair)
        edited, generated = times.values()
        self.assertEqual(edited, generated)
        self.assert_near(edited, 746.4e3, 0.001)


if __name__ == "__main__":
    unittest.main()
