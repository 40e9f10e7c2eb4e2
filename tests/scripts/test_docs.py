#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the documentation: pieces of configurations and plots run, at a reduced size,
commands name what is there, and links lead somewhere. (Two pages run as written: test_tutorial and
test_results_in_python. So do the README's commands: scripts/check-readme. The studies that the
commands name run in test_studies.)"""

import pathlib
import re
import shlex
import subprocess
import unittest

import yaml

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

RUN_AS_WRITTEN = {TOP / "docs/tutorial.md", TOP / "docs/results-in-python.md"}
PAGES = sorted({*(TOP / "docs").rglob("*.md")} - RUN_AS_WRITTEN)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECTIONS = {"workload", "system", "network", "output", "seed"}
OTHER_TOOLS = {"compare-peers", "check-readme"}  # not the simulator; run by hand after a build
MESSAGES = {"collective": {"type": "all-to-all", "size": "64 KiB"}}
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def blocks(page, *kinds):
    return [body for kind, body in BLOCK.findall(page.read_text()) if kind in kinds]


def examples():
    """[(page, plain values)] of all YAML in the pages."""
    return [
        (page, yaml.load(body, yaml.BaseLoader)) for page in PAGES for body in blocks(page, "yaml")
    ]


def commands():
    """[(page, words)] of what the pages tell to type, but what works on a file of its own
    making."""
    found = []
    for page in PAGES:
        for body in blocks(page, "sh", ""):
            written = re.findall(r"> (\S+)", body)
            for line in body.replace("\\\n", " ").splitlines():
                if line.startswith("scripts/") and not any(file in line for file in written):
                    found.append((page, shlex.split(line, comments=True)))
    return found


def results_of(page):
    """The directories of results that the runs of a page leave."""
    runs = [words[2:] for own, words in commands() if own == page and words[1] == "run"]
    return {words[words.index("--out") + 1] if "--out" in words
            else f"results/{pathlib.Path(words[0]).stem}" for words in runs}


def without_out(words):
    """A run is only checked, which leaves no results."""
    if words[0] != "run":
        return words
    words = ["check", *words[1:]]
    if "--out" in words:
        place = words.index("--out")
        del words[place:place + 2]
    return words


def anchors(page):
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


class Docs(Bench):
    def setUp(self):
        """Pages name files of the project as from its top, where a reader is."""
        super().setUp()
        (self.path / "configs").symlink_to(TOP / "configs")

    def nadi(self, *words):
        done = subprocess.run(
            [BUILD / "cli/nadi", *words],
            cwd=TOP,
            capture_output=True,
            text=True,
            timeout=SECONDS_AT_MOST,
        )
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")

    def complete(self, example):
        """A configuration with the example in it: messages between all of 8 NPUs, unless it says
        otherwise."""
        if "packet" in example:
            example = {"network": example}
        own = example.get("network", {})
        if not isinstance(own, str) and not {"dimensions", "topology"} & set(own):
            own = {"file": "configs/networks/leaf-spine-8.yaml"} | own
        system = {"chunks": "1"} | example.get("system", {})  # messages enough, and soon sent
        return example | {"workload": MESSAGES, "system": system, "network": own}

    def with_out_here(self, words):
        """What a command writes beside the reader goes to the scratch folder."""
        if "--out" in words:
            place = words.index("--out") + 1
            words = [*words[:place], str(self.path / words[place]), *words[place + 1:]]
        return words

    def test_links_lead_somewhere(self):
        for page in [TOP / "README.md", TOP / "CHANGELOG.md", *RUN_AS_WRITTEN, *PAGES]:
            for path, anchor in LINK.findall(page.read_text()):
                if path.startswith("http"):
                    continue
                target = page.parent / path if path else page
                with self.subTest(page.name, path=path, anchor=anchor):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_pieces_of_configurations_run(self):
        ran = 0
        for page, example in examples():
            if set(example) <= SECTIONS | {"packet"}:
                with self.subTest(page.name, example=example):
                    config = self.write("example.yaml", yaml.dump(self.complete(example)))
                    self.nadi("run", str(config), "--quiet", "--out", str(self.path / "out"))
                    ran += 1
        self.assertGreater(ran, 4)

    def test_plots_are_drawn(self):
        study = {
            "base": str(TOP / "configs/systems/leaf-spine-8.yaml"),
            "sweep": {
                "workload": [MESSAGES],
                "output": [{"flows": "on", "series": "1 us"}],
                "network.packet.congestion-control": ["none", "swift"],
                "seed": ["1", "2"],
            },
        }
        drawn = [example for _, example in examples() if set(example) == {"plots"}]
        self.assertTrue(drawn)
        for example in drawn:
            file = self.write("study.yaml", yaml.dump(study | example))
            self.nadi("sweep", str(file), "--out", str(self.path / "out"))
            names = {one.stem for one in (self.path / "out/plots").iterdir()}
            self.assertEqual(len(names), len(example["plots"]))

    def test_commands_name_what_is_there(self):
        checked = 0
        for page, (program, *words) in commands():
            name = program.removeprefix("scripts/")
            with self.subTest(page.name, words=words):
                self.assertTrue((TOP / program).exists())
                if name in OTHER_TOOLS or words[:1] in (["test"], ["bench"]):
                    continue
                self.assertEqual(name, "nadi")
                if words[0] in ("sweep", "optimize"):  # test_studies and test_optimize run them
                    self.assertTrue((TOP / words[1]).exists())
                elif words[0] == "compare":  # what commands before it leave; test_compare does it
                    named = words[1:words.index("--report")] if "--report" in words else words[1:]
                    self.assertLessEqual({*named}, results_of(page))
                else:
                    self.nadi(*self.with_out_here(without_out(words)))
                checked += 1
        self.assertGreater(checked, 15)


class Citation(unittest.TestCase):
    """CITATION.cff says of the program what the program says of itself."""

    def setUp(self):
        self.citation = yaml.load((TOP / "CITATION.cff").read_text(), yaml.BaseLoader)

    def test_version_is_that_of_the_project(self):
        project = re.search(r"project\(nadi VERSION (\S+)", (TOP / "CMakeLists.txt").read_text())
        self.assertEqual(self.citation["version"], project[1])

    def test_license_is_that_of_the_sources(self):
        (line,) = re.findall(r"SPDX-License-Identifier: (\S+)", (TOP / "CMakeLists.txt").read_text())
        self.assertEqual(self.citation["license"], line)

    def test_what_the_format_requires_is_there(self):
        self.assertLessEqual({"cff-version", "message", "title", "authors"}, set(self.citation))


if __name__ == "__main__":
    unittest.main()
