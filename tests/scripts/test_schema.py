#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The JSON Schema accepts the values that the program reads, and refuses those that it refuses."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

NADI = str(pathlib.Path(os.environ["NADI_BUILD"], "cli/nadi"))

CONFIG = """
workload: {collective: {type: all-reduce, size: 1 MiB}}
network:
  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]
  packet: {buffer: 32 MB}
"""
GENERATED = """
workload: {generate: {model: mlp, batch: 8}}
network:
  topology: {generator: fat-tree, npus: 16, radix: 4, link: {bandwidth: 1 GB/s, latency: 1 us}}
"""

SIZES = ("4 KiB", "4KiB", "0 B", "1.5 KB", "4", "-1 B", "3 iB", "1e3 B", ".5 KB", "5. KB", "x", "B")
RATES = ("62 GB/s", "400Gb/s", "1.5 Tb/s", "0 GB/s", "0.0 b/s", "62", "62 GB", "62 gb/s", "1 iB/s")
TIMES = ("500 ns", "1.5us", "0 s", "0.0 ps", "500", "-1 ns", "1 min", "1e3 ns")
NUMBERS = ("0", "1", "0.5", "-1", "1.5", "3", "x", "16777217")
COUNTS = ("0", "1", "64", "-1", "1.5", "65537", "x", "4294967296")
SWITCHES = ("on", "off", "yes", "no", "true", "false", "maybe", "1")

# key -> values to try; each by itself, in a configuration that is right otherwise
VALUES = {
    "network.packet.payload": SIZES,
    "network.packet.header": SIZES,
    "network.packet.buffer": (*SIZES, "unlimited"),
    "network.packet.window": (*SIZES, "none", "bdp", "all"),
    "network.packet.acknowledge": ("auto", "message", "frame", "4 frames", "1 frame", "4",
                                   "frames"),
    "network.packet.trains": SWITCHES,
    "network.packet.pfc": (*SWITCHES, "{alpha: 1/8}", "{alpha: 0}", "{alpha: x}", "{beta: 1}"),
    "network.packet.ecn.probability": NUMBERS,
    "network.packet.retransmit-timeout": (*TIMES, "auto"),
    "network.packet.switching": ("store-and-forward", "cut-through", "through"),
    "network.packet.congestion-control": (
        "none", "dcqcn", "fast", "{name: dcqcn}", "{name: dcqcn, gain: 0.5}", "{gain: 0.5}",
        "{name: dcqcn, gain: 2}", "{name: dcqcn, gian: 0.5}", "{name: dcqcn, clamp-target: on}",
        "{name: dcqcn, clamp-target: 7}", "{name: hpcc, additive-increase: auto}",
        "{name: hpcc, additive-increase: 1 Gb/s}", "{name: hpcc, additive-increase: 1}"),
    "network.backend": ("packet", "flow", "analytical", "magic"),
    "network.reroute-after": TIMES,
    "network.dimensions[0].bandwidth": RATES,
    "network.dimensions[0].latency": TIMES,
    "network.dimensions[0].shape": ("ring", "switch", "mesh", "torus"),
    "system.chunks": (*COUNTS, "auto"),
    "system.chunks-in-flight": COUNTS,
    "system.reduction-bandwidth": (*RATES, "none"),
    "system.compute.scale": NUMBERS,
    "system.inter-dimension": ("baseline", "themis", "best"),
    "system.collectives.all-reduce": (
        "ring", "double-binary-tree", "{name: ring}", "{name: ring, slice: 1 KiB}", "{flat: ring}",
        "{name: ring, slice: 1}", "{name: ring, slize: 1 KiB}", "{flat: ring, name: ring}",
        "[ring]", "auto", "fast", "{}"),
    "system.collectives.broadcast": ("auto", "ring", "[auto]", "{flat: auto}", "fast"),
    "workload.placement": (
        "linear", "snake", "random", "spiral", "[3, 0, 1, 2]", "[3, 0, 1, 0]", "[x]",
        "{snake: [0]}",
        "{snake: []}", "{snake: 0}", "{}"),
    "output.series": (*TIMES, "none"),
    "seed": ("0", "18446744073709551615", "18446744073709551616", "-1", "x"),
}
GENERATED_VALUES = {
    "network.topology.radix": ("4", "-1", "x", "16777217"),
    "network.topology.oversubscription": ("1", "0", "-1", "x"),
    "network.topology.link.bandwidth": RATES,
    "workload.generate.widths": ("8", "[8, 8, 8, 8, 8, 8, 8]", '"8, 8, 8, 8, 8, 8, 8"', "x", "[]",
                                 "[8, x]", '"8,"'),
    "workload.generate.dtype": ("bf16", "fp64"),
    "workload.generate.preset": ("none", "dlrm"),
}

def place(config, path, value):
    """The value in the configuration, as --set would put it."""
    *steps, last = path.replace("[0]", ".0").split(".")
    for step in steps:
        config = config[int(step)] if step.isdigit() else config.setdefault(step, {})
    config[last] = value


def load(text):
    """YAML as the schema sees it: words such as on stay words."""
    return yaml.load(text, Loader=WordLoader)


class WordLoader(yaml.SafeLoader):
    """Reads true and false as booleans, as YAML 1.2 does; on, off, yes and no are words."""


BOOLEAN = "tag:yaml.org,2002:bool"
WordLoader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != BOOLEAN]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
WordLoader.add_implicit_resolver(BOOLEAN, re.compile("^(true|false)$"), "tf")


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = subprocess.run([NADI, "schema"], capture_output=True, check=True, text=True).stdout
        cls.validator = jsonschema.Draft202012Validator(json.loads(text))

    def program_reads(self, base, key, value):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "c.yaml")
            file.write_text(base)
            command = [NADI, "config", str(file), "--set", f"{key}={value}"]
            code = subprocess.run(command, capture_output=True, check=False).returncode
            self.assertIn(code, (0, 3))
            return code == 0

    def schema_accepts(self, base, key, value):
        config = load(base)
        place(config, key, load(value))
        return self.validator.is_valid(config)

    def hold(self, base, values):
        for key, texts in values.items():
            for text in texts:
                with self.subTest(key=key, value=text):
                    self.assertEqual(self.schema_accepts(base, key, text),
                                     self.program_reads(base, key, text))

    def test_it_is_as_strict_as_the_program(self):
        self.hold(CONFIG, VALUES)

    def test_it_is_as_strict_for_what_is_generated(self):
        self.hold(GENERATED, GENERATED_VALUES)

    def test_an_effective_configuration_is_valid(self):
        for base in (CONFIG, GENERATED):
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "c.yaml")
                file.write_text(base)
                command = [NADI, "config", str(file)]
                text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
                errors = [error.message[:200] for error in self.validator.iter_errors(load(text))]
                self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
