# SPDX-License-Identifier: GPL-2.0-only
"""The user's faults, with the exit codes of the simulator."""

import difflib

EXIT_DONE = 0
EXIT_USAGE = 2
EXIT_CONFIG = 3
EXIT_INTERRUPTED = 5
EXIT_BUG = 70


class UserError(Exception):
    """One line, `where: what is wrong; what would be right`, and its exit code."""

    code = EXIT_CONFIG


class StudyError(UserError):
    """A study, or a file that it names, is invalid."""

    def __init__(self, where, problem):
        super().__init__(f"{where}: {problem}")


class UsageError(UserError):
    """The command line is wrong. The name of the command goes before the line."""

    code = EXIT_USAGE


class SchedulerLost(UserError):
    """The scheduler ended, and with it what it knew of the points that are not finished."""

    code = EXIT_INTERRUPTED

    def __init__(self):
        super().__init__("the scheduler was lost")


def suggest(word, known):
    """What to write instead of `word`: the nearest known name, or all of them."""
    nearest = difflib.get_close_matches(word, known, n=1)
    if nearest:
        return f" (did you mean {nearest[0]}?)"
    return "; known: " + (", ".join(known) if known else "none")
