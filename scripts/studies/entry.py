# SPDX-License-Identifier: GPL-2.0-only
"""How a command that is a script begins and ends: signals, messages, exit codes."""

import os
import signal
import sys
import traceback

from .errors import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USAGE
from .errors import UsageError, UserError

GO_ON = "the same command goes on from here"


def run_command(name, act):
    """The exit code of `nadi NAME`. `act` does the command's work and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a terminal may lack letters of a name
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return act()
    except UsageError as error:
        print(f"nadi {name}: {error}", file=sys.stderr)
        return error.code
    except UserError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print(f"nadi: interrupted; {GO_ON}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the program that reads the output has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except OSError as error:
        file = error.filename2 or error.filename
        print(f'nadi {name}: "{file}": {error.strerror}', file=sys.stderr)
        return EXIT_USAGE
    except Exception:
        print(f"nadi {name}: a bug of ours, please report it with the inputs:", file=sys.stderr)
        traceback.print_exc()
        return EXIT_BUG
