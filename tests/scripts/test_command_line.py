#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Command lines that are wrong, and files that cannot be read: one line each, and the exit code."""

import subprocess
import unittest

from study_bench import BUILD, TOP, Bench


class CommandLine(Bench):
    def ask(self, *words):
        """(exit code, stdout, stderr) of the simulator."""
        done = subprocess.run(
            [BUILD / "cli/nadi", *words], capture_output=True, text=True, cwd=self.path
        )
        return done.returncode, done.stdout, done.stderr

    def test_an_empty_value_of_an_option_is_no_value(self):
        for words, option in [
            (["run", "base.yaml", "--out", ""], "--out"),
            (["check", "base.yaml", "--dot", ""], "--dot"),
            (["check", "base.yaml", "--demands", ""], "--demands"),
            (["trace", "generate", "mlp", "--ranks", "8", "--out", ""], "--out"),
            (["trace", "generate", "mlp", "--ranks", "", "--out", "t"], "--ranks"),
        ]:
            code, _, error = self.ask(*words)
            command = " ".join(words[: 2 if words[0] == "trace" else 1])
            self.assertEqual(
                (code, error),
                (2, f"nadi: {option}: an empty value; write one (nadi {command} --help says "
                    "more)\n"),
            )
        self.assertEqual(sorted(file.name for file in self.path.iterdir()), ["base.yaml"])

    def test_two_outputs_do_not_go_into_one_file(self):
        for other in ("same", "./same"):
            code, out, error = self.ask("check", "base.yaml", "--dot", "same", "--demands", other)
            self.assertEqual(
                (code, out, error),
                (2, "", 'nadi: --dot and --demands both write "same"; name a file for each\n'),
            )
        self.assertFalse((self.path / "same").exists())
        self.assertEqual(
            self.ask("check", "base.yaml", "--dot", "one", "--demands", "two")[0], 0
        )

    def test_a_file_that_fails_while_it_is_read_is_an_input_that_cannot_be_read(self):
        # Its first page is mapped by no process.
        unreadable = "/proc/self/mem"
        code, _, error = self.ask("check", unreadable)
        self.assertEqual((code, error), (3, f'cannot read "{unreadable}": Input/output error\n'))
        self.write("included.yaml", f"network: {unreadable}\n")
        code, _, error = self.ask("check", "included.yaml")
        self.assertEqual(code, 3)
        self.assertRegex(error, f'^included.yaml:1: .*cannot read "{unreadable}": .*\n$')

    def test_rates_that_together_pass_64_bits_are_told_at_the_highest(self):
        system = str(TOP / "configs/systems/dgx-a100.yaml")
        setting = "network.topology.nvlink.bandwidth=1000000 TB/s"
        for command in ("check", "run"):
            code, _, error = self.ask(command, system, "--set", setting)
            self.assertEqual(
                (code, error),
                (3, "--set: network.topology.nvlink.bandwidth: with 1000000 TB/s, a sum of rates "
                    "passes the range of 64 bits; write lower bandwidths\n"),
            )


if __name__ == "__main__":
    unittest.main()
