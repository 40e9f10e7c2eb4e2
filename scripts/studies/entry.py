# SPDX-License-Identifier: GPL-2.0-only
"""How a command that is a script begins and ends: signals, messages, exit codes."""

import errno
import os
import sys
import traceback

from .errors import EXIT_BUG, EXIT_INTERRUPTED, EXIT_USAGE
from .errors import UsageError, UserError
from .interrupts import handle_interrupts

GO_ON = "the same command goes on from here"
BEGIN_ANEW = "the same command begins anew"
UNWRITTEN = "the output cannot be written"
FULL = (errno.EDQUOT, errno.EFBIG, errno.ENOSPC)


def run_command(name, act, again=GO_ON):
    """The exit code of `nadi NAME`. `act` does the command's work and returns its exit code.
    `again` says what the command does when it is given again after an interrupt."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None where it is closed
        stream.reconfigure(errors="backslashreplace")  # a terminal may lack letters of a name
    code = outcome(name, act, again)
    fault = output_fault()
    if fault is None:
        return code
    print(f"nadi {name}: {UNWRITTEN}: {fault.strerror}", file=sys.stderr)
    return EXIT_USAGE


def outcome(name, act, again):
    """The exit code of `act`, after a message where it failed."""
    try:
        handle_interrupts()
        return act()
    except SystemExit as end:  # after --help
        return end.code
    except UsageError as error:
        print(f"nadi {name}: {error}", file=sys.stderr)
        return error.code
    except UserError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(f"nadi: interrupted; {again}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except OSError as error:
        print(f"nadi {name}: {words_of(error)}", file=sys.stderr)
        return EXIT_USAGE
    except Exception:
        print(f"nadi {name}: a bug of ours, please report it with the inputs:", file=sys.stderr)
        traceback.print_exc()
        return EXIT_BUG


def words_of(error):
    """Of an OSError. Those of a write do not name the file."""
    file, fault = error.filename2 or error.filename, output_fault()
    if file is not None:
        return f'"{file}": {error.strerror}'
    if fault or error.errno in FULL:
        return f"{UNWRITTEN}: {error.strerror}"
    return error.strerror


def output_fault():
    """The OSError why what was printed cannot be written, or None. Then the rest goes nowhere: else
    Python tries again at its end."""
    if sys.stdout is None:
        return None
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None
