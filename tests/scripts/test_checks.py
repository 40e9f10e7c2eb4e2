#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The checks can fail: each is held against a tree that breaks its rule."""

import pathlib
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent


def check_layering(files):
    """(exit code, output) of the layering check on a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as tree:
        for name, text in files.items():
            path = pathlib.Path(tree, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [TOP / "scripts/check-layering", tree], capture_output=True, text=True
        )
        return done.returncode, done.stdout


class Layering(unittest.TestCase):
    def test_a_layer_may_include_what_lies_below(self):
        code, _ = check_layering({"system/a.h": '#include "network/b.h"\n#include <vector>\n'})
        self.assertEqual(code, 0)

    def test_a_layer_may_not_include_what_lies_above(self):
        code, output = check_layering({"network/a.h": '#include "system/b.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn("network/a.h: network/ may not include system/b.h", output)

    def test_only_the_packet_backend_sees_ns3(self):
        text = "#include <ns3/simulator.h>\n"
        self.assertEqual(check_layering({"network/packet/a.cc": text})[0], 0)
        for room in ("network", "system", "workload", "cli", "common"):
            self.assertEqual(check_layering({f"{room}/a.cc": text})[0], 1, room)

    def test_system_does_not_reach_into_the_packet_backend(self):
        code, _ = check_layering({"system/a.cc": '#include "network/packet/packet-backend.h"\n'})
        self.assertEqual(code, 1)

    def test_common_is_std_only(self):
        self.assertEqual(check_layering({"common/a.cc": "#include <fmt/core.h>\n"})[0], 1)

    def test_the_module_stands_alone_and_avoids_umbrellas(self):
        self.assertEqual(check_layering({"ns3-module/m.cc": '#include "common/units.h"\n'})[0], 1)
        umbrella = {"ns3-module/m.cc": '#include "ns3/core-module.h"\n'}
        self.assertEqual(check_layering(umbrella)[0], 1)

    def test_types_that_others_can_name_have_names_of_their_own(self):
        def source(namespace, text):
            return f"namespace{namespace}\n{{\n\n{text}\n\n}} // namespace{namespace}\n"

        line = "struct Line : Base\n{\n};"
        both = {"system/a.h": source(" nadi", line), "workload/b.h": source(" nadi", line)}
        code, output = check_layering(both)
        self.assertEqual(code, 1)
        self.assertIn("nadi::Line is defined in system/a.h and in workload/b.h", output)
        for other in (source(" nadi", source("", line)), source(" nadi", "struct Line;"),
                      source(" nadi::msccl", line), source(" nadi", "struct Line::Part\n{\n};")):
            self.assertEqual(check_layering(both | {"workload/b.h": other})[0], 0, other)

    def test_an_empty_tree_is_no_success(self):
        self.assertEqual(check_layering({"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
