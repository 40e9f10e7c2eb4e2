# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of reports share: real results, each made once."""

import contextlib
import csv
import io
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from compare_bench import RESULTS, make_runs
from study_bench import BUILD, SECONDS_AT_MOST, TOP

from report.command import main as report_command

SIMULATOR = BUILD / "cli/nadi"
REPORT = TOP / "scripts/report.py"
PAIR = """
network:
  dimensions: [{shape: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}]
"""
# The only links fail for good while data is under way.
STUCK = PAIR + """  faults: [{at: 20 us, link: all, state: down}]
workload: {collective: {type: all-reduce, size: 1 MiB}}
"""
# Each of four ranks receives from the next one before it sends; two more wait for one of them.
CIRCLE = """
workload: {trace: "circle.{rank}.json"}
network:
  dimensions: [{shape: switch, size: 6, bandwidth: 10 GB/s, latency: 1 us}]
"""
# An all-to-all to which each of four ranks brings another size, and an all-reduce behind it.
UNEVEN = PAIR + """output: {flows: on}
workload: {trace: "uneven.{rank}.json"}
"""
SEND, RECEIVE, COLLECTIVE = 5, 6, 7  # types of nodes
ALL_REDUCE, ALL_TO_ALL = 0, 6  # types of collectives
# Some seconds of simulation; it is interrupted before.
LONG = PAIR + """  packet: {payload: 64 B, trains: off, memo: off}
workload: {collective: {type: all-reduce, size: 64 MiB, repeat: 50}}
"""
SWEEP = """
base: base.yaml
sweep:
  workload.collective.size: [64 KiB, 128 KiB, 256 KiB]
  system.chunks: [1, 4, 0]
"""
COMPARED = ("base", "fast", "straggler")
SIZES = [2**power for power in range(16, 25)]
SIDE = "gpu: H100 SXM5 80GB\nranks: 8\nnodes: 1\ncollective: all_reduce\n"


class Results:
    """Makes results in a folder of its own."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.path = pathlib.Path(self.scratch.name)

    def nadi(self, *words, code=0):
        done = subprocess.run([SIMULATOR, *map(str, words)], capture_output=True, text=True,
                              timeout=SECONDS_AT_MOST, cwd=self.path)
        assert done.returncode == code, done.stderr + done.stdout
        return done

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def quickstart(self):
        self.nadi("run", TOP / "configs/quickstart.yaml", "--out", "quickstart", "--report",
                  "--set", "output.series=10 us", "--set", "output.flows=on", "--quiet")
        return self.path / "quickstart"

    def congestion(self):
        self.nadi("run", TOP / "configs/congestion/incast-8.yaml", "--out", "congestion",
                  "--report", "--quiet")
        return self.path / "congestion"

    def stuck(self):
        self.write("stuck.yaml", STUCK)
        self.nadi("run", "stuck.yaml", "--out", "stuck", "--report", "--quiet", code=4)
        return self.path / "stuck"

    def circle(self):
        self.write("circle.yaml", CIRCLE)
        for rank in range(4):
            peers = [(rank - 1) % 4, *([rank + 4] if rank < 2 else [])]
            nodes = [message(1, RECEIVE, comm_src=(rank + 1) % 4),
                     *(message(2 + number, SEND, data_deps=[1], comm_dst=peer)
                       for number, peer in enumerate(peers))]
            self.write(f"circle.{rank}.json", json.dumps({"nodes": nodes}))
        for rank in (4, 5):
            nodes = [message(1, RECEIVE, comm_src=rank - 4)]
            self.write(f"circle.{rank}.json", json.dumps({"nodes": nodes}))
        self.nadi("run", "circle.yaml", "--out", "circle", "--report", "--quiet", code=4)
        return self.path / "circle"

    def uneven(self):
        self.write("uneven.yaml", UNEVEN)
        for rank in range(4):
            nodes = [message(1, COLLECTIVE, comm_type=ALL_TO_ALL, comm_size=4096 * (rank + 1)),
                     message(2, COLLECTIVE, comm_type=ALL_REDUCE, data_deps=[1])]
            self.write(f"uneven.{rank}.json", json.dumps({"nodes": nodes}))
        self.nadi("run", "uneven.yaml", "--out", "uneven", "--report", "--quiet")
        return self.path / "uneven"

    def interrupted(self):
        self.write("long.yaml", LONG)
        words = [SIMULATOR, "run", "long.yaml", "--out", "interrupted", "--report", "--quiet"]
        process = subprocess.Popen(words, cwd=self.path, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS_AT_MOST) == 5
        return self.path / "interrupted"

    def sweep(self):
        self.write("base.yaml", PAIR + "  backend: analytical\n"
                   "workload: {collective: {type: all-reduce, size: 64 KiB}}\n")
        self.write("study.yaml", SWEEP)
        self.nadi("sweep", "study.yaml", "--out", "sweep", "--report", code=3)
        return self.path / "sweep"

    def validation(self):
        """One size is a glitch: it takes almost as long as twice the size."""
        times = [20 + size / 300e3 for size in SIZES]
        times[-2] = 0.95 * times[-1]
        lines = [f"{size},{one:.2f},{size / one / 1e3:.3f},{1.75 * size / one / 1e3:.3f}"
                 for size, one in zip(SIZES, times)]
        self.write("measured/node_1n8g-all_reduce.csv", "\n".join(
            ["size_bytes,time_us,algbw_GBps,busbw_GBps", *lines]) + "\n")
        self.write("measured/node_1n8g-all_reduce.yaml", SIDE)
        self.nadi("validate", "measured", "--out", "validation")
        return self.path / "validation"

    def comparison(self):
        """Of three runs; the first is the base."""
        make_runs(COMPARED)
        done = self.nadi("compare", *(RESULTS / name for name in COMPARED), "--json", "--report",
                         RESULTS / "comparison.html")
        (RESULTS / "comparison.json").write_text(done.stdout)
        return RESULTS

    def report(self, directory, *words):
        """The process that made the page of a directory."""
        return subprocess.run(
            [REPORT, "--simulator", SIMULATOR, str(directory), *words], capture_output=True,
            text=True, timeout=SECONDS_AT_MOST, cwd=self.path)

    def report_here(self, directory):
        """(exit code, messages) of a report made in this process: to start one takes a second."""
        with io.TextIOWrapper(io.BytesIO(), "utf-8") as messages:
            with contextlib.redirect_stderr(messages):
                code = report_command(["--simulator", str(SIMULATOR), "--quiet", str(directory)])
            messages.seek(0)
            return code, messages.read()


def message(number, kind, **fields):
    """A node of a trace."""
    return {"id": number, "name": f"message {number}", "node_type": kind, "comm_tag": 7,
            "comm_size": 1024, **fields}


def read_csv(file):
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def read_summary(directory):
    return json.loads((directory / "summary.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    results = Results()
    print(getattr(results, sys.argv[1])())
    input("Enter removes it")
