# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of whole iterations share: recordings of two ranks, and tables of iterations."""

import functools
import importlib
import subprocess
import sys
import tempfile

import yaml
from measured_bench import TOP
from validate_bench import ValidateBench

MB = 10**6
ALL_REDUCE = 0  # comm_type of Chakra's schema
COMPUTE, COLLECTIVE = 4, 7  # types of nodes
STREAM = 7

# A ring without headers, whose latency is nothing beside the times of these recordings.
NETWORK = {"backend": "analytical", "packet": {"header": "0 B"}, "dimensions": [
    {"shape": "ring", "size": "2", "bandwidth": "50 GB/s", "latency": "1 ns"}]}


@functools.cache
def schema():
    """The messages of Chakra's schema."""
    folder = tempfile.mkdtemp()
    subprocess.run(["protoc", "-I", TOP / "proto", "--python_out", folder, "chakra.proto"],
                   check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("chakra_pb2")


def trace_bytes(nodes):
    from google.protobuf.internal.encoder import _VarintBytes

    metadata = schema().GlobalMetadata(version="1.0.0")
    texts = [message.SerializeToString() for message in (metadata, *nodes)]
    return b"".join(_VarintBytes(len(text)) + text for text in texts)


def make_node(number, kind, start, duration, **attributes):
    """A node that depends on the one before it. Times are in us."""
    node = schema().Node(id=number, name=f"node{number}", type=kind, start_time_micros=start,
                         duration_micros=duration, data_deps=[number - 1] if number else [])
    for name, value in attributes.items():
        field = "bool_val" if isinstance(value, bool) else "int64_val"
        node.attr.add(name=name, **{field: value})
    return node


def recorded_nodes(waited):
    """The recording of one rank, in us: 100 on the host, 1000 of a kernel, an all-reduce of 20 MB
    that takes 400 after it `waited` for the other rank, one of 400 in which nobody waits, and a
    kernel of 500."""
    spans = [(COMPUTE, 100), (COMPUTE, 1000), (COLLECTIVE, waited + 400), (COLLECTIVE, 400),
             (COMPUTE, 500)]
    start = 0
    for number, (kind, duration) in enumerate(spans):
        attributes = {"is_cpu_op": True, "tid": 1} if not number else {
            "is_cpu_op": False, "stream": STREAM}
        if kind == COLLECTIVE:
            attributes |= {"comm_type": ALL_REDUCE, "comm_size": 20 * MB}
        yield make_node(number, kind, start, duration, **attributes)
        start += duration


class IterationBench(ValidateBench):
    def recording(self, folder="traces", waits=(0, 300)):
        """Traces of ranks that waited for so many us in the first collective."""
        for rank, waited in enumerate(waits):
            file = self.path / folder / f"job.{rank}.et"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(trace_bytes(recorded_nodes(waited)))

    def description(self, name, **keys):
        """A description of that recording; keys of None are left out."""
        tree = {"recording": "traces/job.{rank}.et", "system": {"library": "plain"},
                "network": NETWORK} | keys
        return self.write(name, yaml.safe_dump(
            {key: value for key, value in tree.items() if value is not None}))

    def parts(self, name):
        """{part: fields} of a recording in validation.json."""
        return self.scores()["iterations"][name]["parts"]

    def check_messages(self, names, patterns):
        """One run of these descriptions has a message for each, and simulates none."""
        done = self.validate(*(f"{name}.yaml" for name in names))
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("Traceback", done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("nadi validate: ")]
        for name, pattern in zip(names, patterns):
            with self.subTest(pattern):
                told = [line for line in lines if name in line]
                self.assertEqual(len(told), 1, done.stderr)
                self.assertRegex(told[0], pattern)
