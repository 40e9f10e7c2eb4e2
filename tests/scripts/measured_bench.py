# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of measured tables share: tables and side files in a scratch folder."""

import pathlib
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP / "scripts"))

HEAD = "size_bytes,time_us,algbw_GBps,busbw_GBps\n"

# Eight H100 of one node.
NODE = {
    "collective": "all_reduce",
    "ranks": "8",
    "nodes": "1",
    "gpus_per_node": "8",
    "system": "a node",
    "gpu": "H100 SXM5 80GB",
    "intra_link": "NVLink4 via NVSwitch3",
    "intra_GBps_per_gpu_per_dir": "450",
    "software": "NCCL 2.21.5-1, nccl-tests -g 1 per process",
    "algorithm": "auto",
}
# Four nodes of it.
CLUSTER = NODE | {
    "ranks": "32",
    "nodes": "4",
    "inter_link": "InfiniBand NDR",
    "inter_Gbps_per_gpu": "400",
}


def side_text(keys):
    return "".join(f'{key}: "{value}"\n' for key, value in keys.items())


def csv_text(rows):
    """Of [(bytes, us)]; the rates follow from them."""
    return HEAD + "".join(f"{size},{time},{size / time / 1e3},0\n" for size, time in rows)


class MeasuredBench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name)

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def table(self, name, keys, rows):
        """A table with its side file."""
        self.write(f"{name}.yaml", side_text(keys))
        return self.write(f"{name}.csv", csv_text(rows))
