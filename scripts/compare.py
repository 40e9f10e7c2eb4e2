#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi compare DIR DIR...: what differs between results; the package `studies.compare` says how."""

import importlib.util
import sys

PACKAGES = {"yaml": "python3-yaml"}  # Debian's, by the module that each brings
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    missing = [package for module, package in PACKAGES.items()
               if importlib.util.find_spec(module) is None]
    if missing:
        names = " ".join(missing)
        print(f"nadi compare: not installed: {names} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from studies.compare.command import main

    sys.exit(main(sys.argv[1:]))
