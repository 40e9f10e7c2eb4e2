# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts, of a terminal (SIGINT) or another process (SIGTERM), and when they count.

They are exceptions, and some modules answer an exception while they load with a traceback of their
own. So they wait meanwhile: for those of the first imports, each script holds them in its first
lines.
"""

import contextlib
import signal

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


def handle_interrupts():
    """From now on they are a KeyboardInterrupt: also the one that waits, before this returns."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)


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
