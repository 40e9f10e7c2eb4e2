#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""nadi sweep STUDY.yaml: runs the points of a study; the package `studies` says how."""

import sys

if __name__ == "__main__":
    from studies.command import main

    sys.exit(main(sys.argv[1:]))
