#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi report DIR: one HTML file that shows a result; the package `report` says how."""

import _signal  # built in: the module signal takes milliseconds to load

# Interrupts wait until studies.entry handles them: within an import they would be a traceback.
_signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP))

import importlib.util
import sys

PACKAGES = {  # Debian's, by the module that each brings
    "jinja2": "python3-jinja2",
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "plotly": "python3-plotly",
    "yaml": "python3-yaml",
}
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    missing = [package for module, package in PACKAGES.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        print(f"nadi report: not installed: {' '.join(missing)} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from report.command import main

    sys.exit(main(sys.argv[1:]))
