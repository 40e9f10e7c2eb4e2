# SPDX-License-Identifier: GPL-2.0-only
"""Numbers of a report as text."""

KINDS = (("GiB", 30), ("MiB", 20), ("KiB", 10))


def percent(value, sign=""):
    """Of a share; `sign` is "+" where both signs are to show."""
    return "" if value is None else f"{100 * value:{sign}.1f}"


def size_text(size):
    """In the largest unit that is whole, else in bytes."""
    for unit, bits in KINDS:
        if size >> bits and not size % (1 << bits):
            return f"{size >> bits} {unit}"
    return f"{size} B"


def time_text(microseconds):
    """Of four digits, in us."""
    return "" if microseconds is None else f"{microseconds:,.1f}"
