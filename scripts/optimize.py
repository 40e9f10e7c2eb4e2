#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi optimize STUDY.yaml: bandwidths under a budget; `studies.optimize` says how."""

import _signal  # built in: the module signal takes milliseconds to load

# Interrupts wait until studies.entry handles them: within an import they would be a traceback.
_signal.pthread_sigmask(_signal.SIG_BLOCK, (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP))

import importlib.util
import sys

PACKAGES = {  # Debian's, by the module that each brings
    "distributed": "python3-distributed",
    "matplotlib": "python3-matplotlib",
    "numpy": "python3-numpy",
    "PIL": "python3-pil",
    "scipy": "python3-scipy",
    "yaml": "python3-yaml",
}
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    missing = [package for module, package in PACKAGES.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        names = " ".join(missing)
        print(f"nadi optimize: not installed: {names} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from studies.optimize.command import main

    sys.exit(main(sys.argv[1:]))
