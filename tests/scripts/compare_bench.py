# SPDX-License-Identifier: GPL-2.0-only
"""One set of runs for the tests of `nadi compare`, made by the simulator. Tests do not change
them."""

import csv
import pathlib
import subprocess
import tempfile

from study_bench import BUILD, SECONDS_AT_MOST

from studies.compare.comparison import compare
from studies.compare.run import Run
from studies.compare.text import describe

VERSION = "0.1.0+gabc"
CONFIG = """
workload:
  generate: {model: mlp, layers: 3, widths: 512, batch: 64, parallelism: dp-mp}
system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s}}
network:
  backend: analytical
  dimensions:
    - {shape: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}
    - {shape: switch, size: 2, bandwidth: 5 GB/s, latency: 1 us}
"""
FLOWS = """
workload:
  flows: [{src: 0, dst: 1, size: 1 MB}, {src: 0, dst: 2, size: 1 MB}]
network:
  dimensions: [{shape: switch, size: 4, bandwidth: 10 GB/s, latency: 1 us}]
"""
RUNS = {  # name: (configuration, settings)
    "base": (CONFIG, []),
    "fast": (CONFIG, ["network.dimensions[0].bandwidth=20 GB/s"]),
    "themis": (CONFIG, ["system.inter-dimension=themis"]),
    "shape": (CONFIG, ["network.dimensions[0].shape=switch"]),
    "packets": (CONFIG, ["network.backend=packet"]),
    "straggler": (CONFIG, ['system.compute.per-rank={"5": 1.7}']),
    "chunks": (CONFIG, ["system.chunks=1"]),
    "wide": (CONFIG, ["workload.generate.widths=1024"]),
    "small": (CONFIG, ["network.dimensions[0].size=2"]),
    "serial": (CONFIG, ["system.concurrent-collectives=1"]),
    "flows": (FLOWS, []),
}


SCRATCH = tempfile.TemporaryDirectory()  # gone with the process
RESULTS = pathlib.Path(SCRATCH.name)


def simulate(config, out, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    subprocess.run([BUILD / "cli/nadi", "run", config, "--quiet", "--out", RESULTS / out, *words],
                   check=True, timeout=SECONDS_AT_MOST)


def make_runs(names=tuple(RUNS)):
    for name in names:
        text, settings = RUNS[name]
        (RESULTS / f"{name}.yaml").write_text(text)
        simulate(RESULTS / f"{name}.yaml", name, *settings)


def read(name):
    return Run(RESULTS / name, VERSION)


def rows_of(name, table):
    with open(RESULTS / name / f"{table}.csv", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def told(one, other):
    return "\n".join(describe(compare(read(one), read(other)), ("A", "B")))
