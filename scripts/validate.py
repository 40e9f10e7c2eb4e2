#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi validate FILES_OR_DIRS...: simulates measured tables; `validation.simulated` says how."""

import _signal  # built in: the module signal takes milliseconds to load

# Interrupts wait until studies.entry handles them: within an import they would be a traceback.
_signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP))

import importlib.util
import sys

PACKAGES = {  # Debian's, by the module that each brings
    "distributed": "python3-distributed",
    "jinja2": "python3-jinja2",
    "matplotlib": "python3-matplotlib",
    "numpy": "python3-numpy",
    "pandas": "python3-pandas",
    "PIL": "python3-pil",
    "plotly": "python3-plotly",
    "yaml": "python3-yaml",
}
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    missing = [package for module, package in PACKAGES.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        names = " ".join(missing)
        print(f"nadi validate: not installed: {names} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from validation.simulated.command import main

    sys.exit(main(sys.argv[1:]))
