#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Commands that are scripts: interrupts while they start, output that cannot be written."""

import os
import signal
import subprocess
import unittest

from study_bench import BUILD, SECONDS_AT_MOST, TOP, Bench

SIMULATOR = BUILD / "cli/nadi"
TOLD = "import time:"  # what Python says of each module once it is loaded, with -X importtime


class Commands(Bench):
    def setUp(self):
        super().setUp()
        for name in ("one", "other"):
            subprocess.run([SIMULATOR, "run", self.path / "base.yaml", "--quiet", "--out",
                            self.path / name], check=True)
        self.study("sweep: {seed: [1, 2]}\nplots: [{kind: bar, x: seed, y: finish_time_ns}]\n")
        self.write("budget.yaml", "optimize:\n"
                   '  bandwidths: ["network.dimensions[0].bandwidth"]\n'
                   "  minimize: time\n  total: 40 GB/s\n  workloads: [{config: base.yaml, weight: 1}]\n")

    def words(self, name, *words):
        script = TOP / f"scripts/{name}.py"
        return ["/usr/bin/python3", "-Xutf8", script, "--simulator", SIMULATOR, *words]


class Interrupts(Commands):
    def interrupted(self, module, number, name, *words, before=None):
        """(exit code, what it says) of a command that gets a signal when it has loaded a module.
        `before` is done in its process before it begins."""
        words = self.words(name, *words)
        words.insert(1, "-Ximporttime")
        said = []
        with subprocess.Popen(words, cwd=self.path, env=self.environment, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=before) as process:
            for line in process.stderr:
                if not line.startswith(TOLD):
                    said.append(line)
                elif line.rpartition("|")[2].strip() == module:
                    process.send_signal(number)
                    module = None
            self.assertEqual(module, None, f"{name} never loaded it: {''.join(said)}")
            return process.wait(SECONDS_AT_MOST), "".join(said)

    def test_an_interrupt_while_a_command_starts_is_one_line_and_exit_5(self):
        for name, modules, words in [
            ("sweep", ["yaml", "studies.errors", "studies.study"], ["study.yaml", "--out", "out"]),
            ("report", ["numpy", "pandas", "jinja2"], ["one"]),
            ("compare", ["yaml", "studies.errors"], ["one", "other"]),
            ("optimize", ["numpy", "scipy"], ["budget.yaml", "--out", "best"]),
            ("validate", ["jinja2", "studies.entry"], [".", "--out", "validated"]),
        ]:
            again = "begins anew" if name in ("report", "compare") else "goes on from here"
            for module in modules:
                told = self.interrupted(module, signal.SIGINT, name, *words)
                self.assertEqual(told, (5, f"nadi: interrupted; the same command {again}\n"),
                                 f"{name} after {module}")
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.interrupted("yaml", number, "compare", "one", "other")[0], 5)

    def test_a_signal_that_was_ignored_at_the_start_stays_so(self):
        """As SIGHUP with nohup."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            told = self.interrupted("studies.errors", number, "compare", "one", "other",
                                    before=lambda: signal.signal(number, signal.SIG_IGN))
            self.assertEqual(told, (0, ""), number)

    def interrupted_at_once(self, output):
        """(exit code, what it says) of a command that holds an interrupt when it begins."""
        held = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
        with subprocess.Popen(self.words("compare", "one", "other"), text=True, cwd=self.path,
                              stdout=output, stderr=output,
                              preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, held)
                              ) as process:
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=SECONDS_AT_MOST)
        return process.returncode, *told

    def test_an_interrupt_that_waited_before_python_began_counts(self):
        """What starts a command may hold interrupts until its script handles them."""
        self.assertEqual(self.interrupted_at_once(subprocess.PIPE),
                         (5, "", "nadi: interrupted; the same command begins anew\n"))

    def test_an_interrupt_counts_where_nobody_reads_that_it_came(self):
        own, pipe = os.pipe()
        os.close(own)
        self.assertEqual(self.interrupted_at_once(pipe)[0], 5)
        os.close(pipe)

    def test_an_interrupt_while_a_part_is_loaded_later_is_no_traceback(self):
        for module in ("tornado.util", "PIL.Image", "matplotlib.figure"):
            code, said = self.interrupted(module, signal.SIGINT, "sweep", "study.yaml", "--out",
                                          f"out-{module}", "--workers", "1")
            self.assertEqual(code, 5, said)
            self.assertRegex(said, "^nadi: interrupted[^\n]*\n$", module)


class Output(Commands):
    def run_with(self, redirection, name, *words):
        """A command whose output goes where the shell is told."""
        script = f'exec "$@" {redirection}'
        return subprocess.run(["bash", "-c", script, "bash", *self.words(name, *words)],
                              cwd=self.path, env=self.environment, text=True,
                              stderr=subprocess.PIPE, timeout=SECONDS_AT_MOST)

    def test_output_that_cannot_be_written_is_one_line_and_exit_2(self):
        for name, words in [("sweep", ["study.yaml", "--out", "out"]), ("report", ["one"]),
                            ("compare", ["one", "other"]), ("compare", ["--help"]),
                            ("compare", ["one", *["other"] * 30]),  # more than is buffered
                            ("optimize", ["budget.yaml", "--out", "best"]),
                            ("validate", ["--help"])]:
            for self.environment["PYTHONUNBUFFERED"] in ("", "1"):
                done = self.run_with(">/dev/full", name, *words)
                told = [line for line in done.stderr.splitlines() if not line.startswith("nadi: ")]
                self.assertEqual(
                    (done.returncode, told),
                    (2, [f"nadi {name}: the output cannot be written: No space left on device"]))

    def test_output_that_nobody_reads_is_no_fault(self):
        for self.environment["PYTHONUNBUFFERED"] in ("", "1"):
            for redirection in (">&-", "> >(true)"):
                done = self.run_with(redirection, "compare", "one", *["other"] * 30)
                self.assertEqual((done.returncode, done.stderr), (0, ""), redirection)

    def test_a_file_that_cannot_be_written_is_named(self):
        """Python does not say of which file it was where a disk is full."""
        self.write("few.yaml", "base: base.yaml\nsweep: {seed: [1, 2]}\n")
        listed = self.run_with("> list", "sweep", "few.yaml", "--out", "out")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        words = self.words("sweep", "few.yaml", "--out", "out")
        done = subprocess.run(["bash", "-c", 'ulimit -f 0; exec "$@" 2>&1 | cat', "bash", *words],
                              cwd=self.path, env=self.environment, text=True, capture_output=True)
        self.assertEqual(done.stdout.splitlines()[-1],
                         f'nadi sweep: "{self.path}/out/results.csv": File too large')


if __name__ == "__main__":
    unittest.main()
