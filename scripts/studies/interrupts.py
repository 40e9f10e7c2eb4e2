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

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OUTPUTS = (1, 2)


def handle_interrupts():
    """From now on they are a KeyboardInterrupt: also the one that waits, before this returns. Those
    that were ignored when the program started stay so: `nohup` ignores SIGHUP."""
    terminals = [number for number in OUTPUTS if os.isatty(number)]

    def interrupt(number, frame):
        if number == signal.SIGHUP:
            leave(terminals)
        raise KeyboardInterrupt

    for number in INTERRUPTS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)


def leave(terminals):
    """What is still to be said goes nowhere: to write to a lost terminal would be an error, and
    what was to be done after it would not be done."""
    with open(os.devnull, "wb") as nowhere:
        for number in terminals:
            os.dup2(nowhere.fileno(), number)


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
