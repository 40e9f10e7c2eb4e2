# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of `nadi optimize` share: the published inputs of LIBRA (Won et al., ISPASS 2024),
as files of demands, a small study, and optimisations of them."""

import csv
import json
import subprocess
import sys
import types

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

from studies.errors import UserError
from studies.optimize.command import Optimization
from studies.optimize.demands import read_demands
from studies.optimize.inputs import read_inputs
from studies.optimize.model import Model, cost_of_dimensions, terms_of
from studies.optimize.region import make_region
from studies.optimize.study import read_study

PYTHON_WITHOUT_PACKAGES = [sys.executable, "-S"]
OPTIMIZE = TOP / "scripts/optimize.py"
CHIPLET, PACKAGE = {"link": 2.0}, {"link": 4.0, "switch": 13.0}
NODE, POD = {"link": 4.0, "switch": 13.0}, {"link": 7.8, "switch": 18.0, "nic": 31.6}
STACKS = {
    "3D": ([("ring", 16), ("fully-connected", 8), ("switch", 32)], [PACKAGE, NODE, POD]),
    "4D": ([("ring", 4), ("fully-connected", 8), ("ring", 4), ("switch", 32)],
           [CHIPLET, PACKAGE, NODE, POD]),
}
MEMBERS = {  # of each dimension: forward and input gradient; weight gradient
    ("GPT-3", "3D"): ([16, 1, 1], [1, 8, 32]), ("GPT-3", "4D"): ([4, 4, 1, 1], [1, 2, 4, 32]),
    ("MSFT-1T", "3D"): ([16, 8, 1], [1, 1, 32]), ("MSFT-1T", "4D"): ([4, 8, 4, 1], [1, 1, 1, 32]),
}
LAYERS = {"GPT-3": (684.448242e6, 50_331_648, 452_984_832),
          "MSFT-1T": (169.995114e6, 6_291_456, 226_492_416)}
WEIGHTS = {"Turing-NLG": (327.148662e6, 869_449_728), "ResNet-50": (1.095314e6, 51_005_824)}
ACTIVATIONS = 805_306_368
CONFIG = """
workload:
  collective: [{type: all-reduce, size: 4 MiB}, {type: all-to-all, size: 1 MiB}]
network:
  backend: BACKEND
  dimensions:
    - {shape: ring, size: 4, bandwidth: 40 GB/s, latency: 500 ns}
    - {shape: switch, size: 2, bandwidth: 20 GB/s, latency: 500 ns}
"""
STUDY = """
optimize:
  bandwidths: ["network.dimensions[0].bandwidth", "network.dimensions[1].bandwidth"]
  minimize: time
  total: 100 GB/s
  workloads: [{config: config.yaml}]
"""
DEMANDS = {"dimensions": [{"shape": "ring", "size": 4}, {"shape": "switch", "size": 2}],
           "ranks": [{"compute_ns": 1e6, "collectives": [{"bytes": [6e6, 1e6]}]}]}
PRICES = "  tiers: [near, far]\n  prices: {near: {link: 4.0}, far: {link: 7.8, switch: 18}}\n"


def all_reduce(size, members):
    """What an all-reduce moves in each dimension: 2 m (p-1)/p, with m = what is left of it."""
    moved = []
    for count in members:
        moved.append(2 * size * (count - 1) / count)
        size /= count
    return moved


def all_gather(shard, members):
    """m (p-1), from the outermost dimension, with m = what was gathered before."""
    moved = []
    for count in reversed(members):
        moved.insert(0, shard * (count - 1))
        shard *= count
    return moved


def libra(workload, stack):
    """The demands of one of LIBRA's cases, as a file holds them."""
    dimensions = STACKS[stack][0]
    if workload in WEIGHTS:
        compute, weights = WEIGHTS[workload]
        calls = [(1, all_reduce(weights, [size for _, size in dimensions]))]
    else:
        compute, shard, weights = LAYERS[workload]
        inner, outer = MEMBERS[workload, stack]
        calls = [(8, all_reduce(ACTIVATIONS, inner)), (2, all_gather(shard, inner)),
                 (1, all_reduce(weights, outer))]
    return {
        "dimensions": [{"shape": shape, "size": size} for shape, size in dimensions],
        "ranks": [{"compute_ns": compute,
                   "collectives": [{"calls": count, "bytes": moved} for count, moved in calls]}],
    }


class OptimizeBench(Bench):
    def libra_problem(self, workload, stack, total=500.0, constraints=()):
        """(model, region) of a case."""
        file = self.write("demands.json", json.dumps(libra(workload, stack)))
        return self.problem([read_demands(file, "here")], STACKS[stack][1], total, constraints)

    def problem(self, demands, prices, total, constraints=()):
        dimensions = demands[0].dimensions
        model = Model(tuple(terms_of(one, 1.0) for one in demands),
                      cost_of_dimensions(dimensions, prices))
        study = types.SimpleNamespace(total=total, total_text=f"{total} GB/s", where="study.yaml:1",
                                      constraints=list(constraints))
        return model, make_region(study, dimensions, {})

    def optimize_command(self, study, *words):
        return [OPTIMIZE, "--simulator", self.build / "cli/nadi", study, *words]

    def optimize(self, study, *words, python=()):
        """The process of an optimisation that ended; its results are in `out`."""
        command = [*python, *self.optimize_command(study, *words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_AT_MOST,
                              cwd=self.path, env=self.environment)

    def optimum(self, out="out"):
        return json.loads((self.path / out / "optimum.json").read_text())


class StudyBench(OptimizeBench):
    """A scratch folder with config.yaml and demands.json."""

    def setUp(self):
        super().setUp()
        self.write("config.yaml", CONFIG.replace("BACKEND", "packet"))
        self.write("demands.json", json.dumps(DEMANDS))

    def run_study(self, text, *words):
        return self.optimize(self.write("study.yaml", text), "--out", "out", *words)

    def allocations(self):
        with open(self.path / "out/allocations.csv", newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def nadi(self, *words):
        return subprocess.run([BUILD / "cli/nadi", *words], capture_output=True, text=True,
                              timeout=SECONDS_AT_MOST, cwd=self.path)

    def check_no_page(self, told):
        """Of the optimisation in out."""
        words = [TOP / "scripts/report.py", "--simulator", BUILD / "cli/nadi", "out"]
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.path)
        self.assertEqual((done.returncode, done.stderr), (2, told))
        self.assertFalse((self.path / "out/report.html").exists())

    def fault(self, text):
        """What is wrong with a study, without the folder of its files."""
        study = self.write("study.yaml", text)
        with self.assertRaises(UserError) as caught:
            found = read_study(study)
            Optimization(found, read_inputs(found, BUILD / "cli/nadi"))
        self.assertEqual(caught.exception.code, 3)
        return str(caught.exception).replace(f"{self.path}/", "")
