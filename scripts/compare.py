#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi compare DIR DIR...: what differs between results; the package `studies.compare` says how."""

import _signal  # built in: the module signal takes milliseconds to load

# Interrupts wait until studies.entry handles them: within an import they would be a traceback.
_signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP))

import importlib.util
import sys

PACKAGES = {"yaml": "python3-yaml"}  # Debian's, by the module that each brings
OF_REPORTS = {  # needed with --report
    "jinja2": "python3-jinja2",
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "plotly": "python3-plotly",
}
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    has_report = any(word.startswith("--report") for word in sys.argv)
    needed = PACKAGES | (OF_REPORTS if has_report else {})
    missing = [package for module, package in needed.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        names = " ".join(missing)
        print(f"nadi compare: not installed: {names} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from studies.compare.command import main

    sys.exit(main(sys.argv[1:]))
