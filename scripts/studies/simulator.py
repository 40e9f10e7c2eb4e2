# SPDX-License-Identifier: GPL-2.0-only
"""Starts the simulator and reads what it prints, or its message when it fails."""

import functools
import os
import signal
import subprocess

from .errors import UsageError

LONGEST_MESSAGE = 1000
FATAL = {signal.SIGKILL: "killed; the machine may be out of memory"}


def ask(binary, *words):
    """What the simulator prints."""
    try:
        done = start(binary, *words)
    except OSError as error:
        raise UsageError(f'cannot run the simulator "{binary}": {error.strerror}') from error
    if done.returncode != 0:
        raise UsageError(f'cannot ask the simulator "{binary}": {message_of(done)}')
    return done.stdout


@functools.lru_cache(maxsize=None)
def version(binary):
    """Its version, with the commit, and its build: `nadi --version`. Results name the build too."""
    return ask(os.path.abspath(binary), "--version").strip()


def start(binary, *words):
    """The process that ended. What it prints is UTF-8, whatever the locale."""
    return subprocess.run(
        [str(binary), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )


def set_options(settings):
    return [word for setting in settings for word in ("--set", setting)]


def message_of(done):
    """What a simulator that failed said, on one line."""
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        number = -done.returncode
        return FATAL.get(number, f"ended by {signal.Signals(number).name}")
    return one_line(done.stderr) or f"exit {done.returncode} without a message"


def one_line(text):
    """Of at most LONGEST_MESSAGE characters, none of which moves a terminal's cursor."""
    line = "; ".join(line.strip() for line in text.splitlines() if line.strip())
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= LONGEST_MESSAGE else line[:LONGEST_MESSAGE] + " ..."


def cores():
    """That this process may use."""
    return len(os.sched_getaffinity(0))
