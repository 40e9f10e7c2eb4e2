#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The table of choices with which the simulator's library is tested, against the model of the
calibration. NADI_UPDATE_DATA=1 writes it."""

import csv
import io
import os
import sys
import unittest

from study_bench import TOP

sys.path.insert(0, str(TOP / "scripts"))

FILE = TOP / "tests/data/library/choices.csv"
COLUMNS = ("collective", "gpu", "release", "nodes", "ranks_per_node", "nic_GBps", "transport",
           "nic_path", "cpu", "bytes_from", "algorithm", "protocol")
COLLECTIVES = ("all-reduce", "all-gather", "broadcast")
GPUS = {"v100": 150.0, "a100": 300.0, "h100": 450.0, "b200": 900.0}
RELEASES = ((2, 7), (2, 14), (2, 18), (2, 21), (2, 28))
# nodes, ranks of each, GB/s of a GPU's NIC
SHAPES = ((1, 4, 0.0), (1, 8, 0.0), (2, 8, 50.0), (4, 8, 50.0), (16, 8, 25.0), (64, 4, 25.0),
          (10, 1, 50.0))
NETWORKS = (("ib", "pcie-switch", "other"), ("slingshot", "host-bridge", "amd"),
            ("efa", "pcie-switch", "other"))


def machines():
    from validation.machine import Machine

    for collective in COLLECTIVES:
        for gpu, link in GPUS.items():
            for release in RELEASES:
                for nodes, local, nic in SHAPES:
                    for transport, path, cpu in NETWORKS if nodes > 1 else NETWORKS[:1]:
                        yield Machine(
                            collective=collective, ranks=nodes * local, nodes=nodes, link=link,
                            nic=nic * local, listed_nic=nic * local, nics=local, switched=True,
                            generation=gpu, transport=transport, release=release,
                            launch="process-per-gpu", nic_path=path, cpu=cpu, blocking=False,
                            forced="", protocol="", least_channels=0, script=None)


def table():
    """A row for each size from which on something else runs."""
    import numpy as np
    from validation.choice import choose

    sizes = 2.0 ** np.arange(3, 35)
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in machines():
        last = None
        for size, chosen in zip(sizes, choose(one, sizes)):
            if chosen != last:
                release = ".".join(map(str, one.release))
                rows.writerow((one.collective, one.generation, release, one.nodes, one.local,
                               one.nic / one.local, one.transport, one.nic_path, one.cpu,
                               int(size), *chosen))
                last = chosen
    return text.getvalue()


class LibraryChoices(unittest.TestCase):
    def test_the_table_is_that_of_the_model(self):
        made = table()
        if os.environ.get("NADI_UPDATE_DATA") == "1":
            FILE.write_text(made)
        self.assertEqual(FILE.read_text(), made)


if __name__ == "__main__":
    unittest.main()
