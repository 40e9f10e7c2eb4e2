#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The version that a build writes into the program: with the commit, where there is one."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/cmake/WriteSourceVersion.cmake"
GIT = shutil.which("git")


@unittest.skipUnless(GIT, "git is not installed")
class SourceVersion(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.sources = pathlib.Path(scratch.name) / "sources"
        self.output = pathlib.Path(scratch.name) / "version.cc"
        self.sources.mkdir()
        self.change("one")

    def change(self, text):
        (self.sources / "code.cc").write_text(text)

    def git(self, *words):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        done = subprocess.run([GIT, "-C", self.sources, *who, *words], check=True, text=True,
                              capture_output=True)
        return done.stdout.strip()

    def commit(self):
        """The version with the new commit."""
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "what changed")
        return f'"0.1.0+g{self.git("rev-parse", "--short=7", "HEAD")}"'

    def written(self, sources=None):
        """The string in the source, quotes included."""
        subprocess.run(["cmake", f"-DGIT={GIT}", f"-DSOURCE_DIR={sources or self.sources}",
                        "-DVERSION=0.1.0", f"-DOUTPUT={self.output}", "-P", SCRIPT], check=True)
        (line,) = [line for line in self.output.read_text().splitlines() if "VERSION =" in line]
        return line.split(" = ")[1].rstrip(";")

    def test_it_follows_the_head(self):
        self.git("init", "--quiet")
        first = self.commit()
        self.assertEqual(self.written(), first)
        self.change("two")
        second = self.commit()
        self.assertNotEqual(first, second)
        self.assertEqual(self.written(), second)

    def test_changes_that_nobody_committed_make_it_dirty(self):
        self.git("init", "--quiet")
        clean = self.commit()
        self.change("two")
        self.assertEqual(self.written(), clean[:-1] + '-dirty"')
        self.change("one")
        (self.sources / "notes.txt").write_text("not a source")
        self.assertEqual(self.written(), clean)

    def test_without_git_it_is_the_version_alone(self):
        self.assertEqual(self.written(), '"0.1.0"')

    def test_the_checkout_around_unpacked_sources_is_not_asked(self):
        inner = self.sources / "unpacked"
        inner.mkdir()
        self.git("init", "--quiet")
        self.commit()
        self.assertEqual(self.written(inner), '"0.1.0"')

    def test_a_file_that_would_say_the_same_is_not_touched(self):
        self.git("init", "--quiet")
        self.commit()
        self.written()
        os.utime(self.output, (1, 1))
        self.written()
        self.assertEqual(self.output.stat().st_mtime, 1)


if __name__ == "__main__":
    unittest.main()
