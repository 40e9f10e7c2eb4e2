# SPDX-License-Identifier: GPL-2.0-only
"""Numbers of a page as text."""

from studies.quantities import readable_unit

BYTE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def rounded(number):
    """With three digits, or with all of a whole number's."""
    if number == 0 or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.3g}"


def time_text(nanoseconds):
    """"283 us"."""
    unit, size = readable_unit("x_ns", [nanoseconds])
    return f"{rounded(nanoseconds / size)} {unit}"


def bytes_text(count):
    """"400 KiB"."""
    number, unit = float(count), 0
    while abs(number) >= 1024 and unit < len(BYTE_UNITS) - 1:
        number, unit = number / 1024, unit + 1
    return f"{rounded(number)} {BYTE_UNITS[unit]}"


def percent_text(share):
    return f"{100 * share:.1f} %"


def count_text(number, word, several=None):
    """"1 rank", "2 ranks"."""
    return f"{number:,} {word if number == 1 else several or word + 's'}"


def short(name, most=100):
    """Names of traces can be longer than a page."""
    name = str(name)
    return name if len(name) <= most else f"{name[:most]}... ({len(name):,} characters)"
