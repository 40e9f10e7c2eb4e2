#!/usr/bin/python3 -Xutf8
# SPDX-License-Identifier: GPL-2.0-only
"""Fits the library model's parameters to measured tables: presets, and a page of errors."""

import argparse
import importlib.util
import pathlib
import sys

PACKAGES = ("numpy", "scipy", "yaml")
EXIT_UNAVAILABLE = 69


def parse(words):
    parser = argparse.ArgumentParser(prog="calibrate.py", description=__doc__)
    parser.add_argument("tables", nargs="+", help="measured tables, or directories of them")
    parser.add_argument("--simulator", type=pathlib.Path,
                        help="fit what this program simulates, such as build/cli/nadi; without it, "
                        "the closed form that stands in for it")
    parser.add_argument("--presets", type=pathlib.Path, help="folder for the files of presets")
    parser.add_argument("--page", type=pathlib.Path, help="page of errors, in Markdown")
    parser.add_argument("--leave-out", nargs="*", default=[], choices=("systems", "tables"),
                        help="cross-validations; each fits many times")
    return parser.parse_args(words)


def main(words):
    from validation.calibration import calibrate  # only now: scipy may be missing

    return calibrate(parse(words))


if __name__ == "__main__":
    missing = [f"python3-{name}" for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print(f"calibrate.py: not installed: {' '.join(missing)} (Debian's names)", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)
    sys.exit(main(sys.argv[1:]))
