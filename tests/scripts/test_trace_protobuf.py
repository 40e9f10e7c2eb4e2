#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Traces that Nadi writes are those that protobuf's own library reads and writes, byte for byte."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from google.protobuf.internal import decoder

TOP = pathlib.Path(__file__).resolve().parents[2]
NADI = str(pathlib.Path(os.environ["NADI_BUILD"], "cli/nadi"))
SAMPLES = TOP / "tests/data/traces"


def frames(data):
    """The messages of a trace: each has its length before it, as a varint."""
    at = 0
    while at < len(data):
        size, at = decoder._DecodeVarint32(data, at)
        yield data[at : at + size]
        at += size


class TraceProtobuf(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name)
        proto = TOP / "proto"
        subprocess.run(
            ["protoc", f"--proto_path={proto}", f"--python_out={path}", proto / "chakra.proto"],
            check=True,
        )
        sys.path.insert(0, cls.folder.name)
        import chakra_pb2

        cls.schema = chakra_pb2
        cls.path = path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_nadi(self, *words):
        done = subprocess.run([NADI, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_folder(self, folder):
        traces = sorted(folder.glob("*.et"))
        self.assertTrue(traces)
        for trace in traces:
            first, *nodes = frames(trace.read_bytes())
            metadata = self.schema.GlobalMetadata.FromString(first)
            self.assertEqual(metadata.SerializeToString(), first)
            self.assertEqual(metadata.version, "1.0.0")
            for frame in nodes:
                self.assertEqual(self.schema.Node.FromString(frame).SerializeToString(), frame)

    def test_generated_traces(self):
        out = self.path / "generated"
        words = "trace generate transformer preset=llama3-8b tp=2 pp=2 batch=8 --ranks 8 --out"
        self.run_nadi(*words.split(), str(out))
        self.check_folder(out)

    def test_traces_of_older_schemas_and_forms(self):
        samples = {
            "v1": "proto2-v001/twoCompNodesDependent.{rank}.eg",
            "v3": "proto2-v003/one_metadata_node_strings.{rank}.et",
            "gz": "dlrm/dlrm.{rank}.et.gz",
            "json": "resnet-json/small_chakra.{rank}.json",
            "stg": "stg-gpt-pp2/workload.{rank}.et",
        }
        for name, sample in samples.items():
            out = self.path / name
            self.run_nadi(
                "trace", "convert", "--from", "chakra", str(SAMPLES / sample), "--out", str(out)
            )
            self.check_folder(out)

    def test_a_trace_that_protobuf_wrote_is_copied_byte_for_byte(self):
        node = self.schema.Node(id=1, name="gemm", type=self.schema.COMP_NODE, data_deps=[2, 3])
        node.attr.add(name="num_ops", int64_val=7)
        node.attr.add(name="shapes", sint64_list=self.schema.Sint64List(values=[-1, 5]))
        node.inputs.values = "[[1, 2]]"
        written = b""
        for message in (self.schema.GlobalMetadata(version="1.0.0"), node):
            frame = message.SerializeToString()
            written += bytes([len(frame)]) + frame
        (self.path / "own.0.et").write_bytes(written)
        out = self.path / "own"
        self.run_nadi(
            "trace", "convert", "--from", "chakra", str(self.path / "own.0.et"), "--out", str(out)
        )
        self.assertEqual((out / "own.0.et").read_bytes(), written)


if __name__ == "__main__":
    unittest.main()
