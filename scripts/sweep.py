#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi sweep STUDY.yaml: runs the points of a study; the package `studies` says how."""

import _signal  # built in: the module signal takes milliseconds to load

# Interrupts wait until studies.entry handles them: within an import they would be a traceback.
_signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP))

import importlib.util
import sys

PACKAGES = {  # Debian's, by the module that each brings
    "distributed": "python3-distributed",
    "matplotlib": "python3-matplotlib",
    "pandas": "python3-pandas",
    "PIL": "python3-pil",
    "yaml": "python3-yaml",
}
OF_REPORTS = {"jinja2": "python3-jinja2", "plotly": "python3-plotly"}  # needed with --report
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    needed = PACKAGES | (OF_REPORTS if "--report" in sys.argv else {})
    missing = [package for module, package in needed.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        print(f"nadi sweep: not installed: {' '.join(missing)} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from studies.command import main

    sys.exit(main(sys.argv[1:]))
