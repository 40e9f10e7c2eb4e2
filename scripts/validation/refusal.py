# SPDX-License-Identifier: GPL-2.0-only
"""A table that cannot be used."""


class Refusal(Exception):
    """One line that says why, and what would be right."""
