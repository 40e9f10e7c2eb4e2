#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""nadi sweep STUDY.yaml: runs the points of a study; the package `studies` says how."""

import importlib.util
import sys

PACKAGES = ("distributed", "matplotlib", "numpy", "yaml")
EXIT_UNAVAILABLE = 69

if __name__ == "__main__":
    missing = [f"python3-{name}" for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"nadi sweep: not installed: {' '.join(missing)} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    from studies.command import main

    sys.exit(main(sys.argv[1:]))
