# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts, of a terminal (SIGINT, and SIGHUP when it is lost) or another process (SIGTERM), and
when they count.

They are exceptions, and some modules answer an exception while they load with a traceback of their
own. So they wait meanwhile: for those of the first imports, each script holds them in its first
lines.
"""

import contextlib
import os
import signal
import sys

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Output:
    """A standard stream. What it cannot write, since nobody reads it any more, goes nowhere: the
    reader may be `head`, or `tee` or a terminal that ends by the same interrupt. To fail then would
    keep undone what is still to be done, such as the tables of a sweep."""

    is_interrupted = False  # all of them at once

    def __init__(self, stream):
        self.stream = stream

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def write(self, text):
        with self.nowhere_without_a_reader():
            self.stream.write(text)
        return len(text)

    def flush(self):
        with self.nowhere_without_a_reader():
            self.stream.flush()

    @contextlib.contextmanager
    def nowhere_without_a_reader(self):
        try:
            yield
        except OSError as error:
            # Terminals that are closed, by an interrupt, have other errors.
            if not Output.is_interrupted and not isinstance(error, BrokenPipeError):
                raise
            with open(os.devnull, "wb") as nowhere:  # also for what the stream still holds
                os.dup2(nowhere.fileno(), self.stream.fileno())


def handle_interrupts():
    """From now on they are a KeyboardInterrupt: also the one that waits, before this returns. Those
    that were ignored when the program started stay so: `nohup` ignores SIGHUP."""
    sys.stdout, sys.stderr = (stream and Output(stream) for stream in (sys.stdout, sys.stderr))
    for number in INTERRUPTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)


def interrupt(number, frame):
    Output.is_interrupted = True
    raise KeyboardInterrupt


def ignore_interrupts():
    """From now on: what is left to do takes a few seconds at most."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def held_interrupts():
    """Meanwhile they wait. For imports that take long, outside of a script's first ones."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
