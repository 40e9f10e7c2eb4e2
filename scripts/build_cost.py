#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What compiling the simulator costs, by layer: processor time as it is built, without
optimisation, and for parsing alone.

Times are also given in units of a small program that includes four headers of the standard
library, compiled in the same run, so that machines can be compared. Nothing else should run
meanwhile.
"""

import argparse
import json
import pathlib
import re
import resource
import shlex
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
UNIT = """#include <iostream>
#include <map>
#include <regex>
#include <string>

int main(int count, char** words)
{
    std::map<std::string, int> seen;
    const std::regex number("[0-9]+");
    for (int i = 1; i < count; ++i)
    {
        seen[words[i]] += std::regex_match(words[i], number);
    }
    for (const auto& [word, times] : seen)
    {
        std::cout << word << times << '\\n';
    }
}
"""
NOT_OF_THE_SIMULATOR = re.compile(r"/(tests|test|examples)/")


def measure(words, directory):
    """Seconds of user time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(words, cwd=directory, check=True, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_unit():
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / "unit.cc").write_text(UNIT, encoding="utf-8")
        words = ["g++", "-O2", "-std=c++20", "-c", "unit.cc"]
        return sorted(measure(words, directory) for _ in range(3))[1]


def compile_words(entry):
    """How a source is compiled, without ccache, and to nowhere."""
    words = [word for word in shlex.split(entry["command"]) if not word.endswith("ccache")]
    words[words.index("-o") + 1] = "/dev/null"
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build",
                        help="a build directory of the preset release that was built")
    build = parser.parse_args().build.resolve()
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    unit = measure_unit()
    print(f"unit {unit:.2f} s; seconds as built, without optimisation, parsing only")
    total = [0.0, 0.0, 0.0]
    for entry in entries:
        file = pathlib.Path(entry["file"])
        name = str(file.relative_to(build) if file.is_relative_to(build) else file)
        if NOT_OF_THE_SIMULATOR.search("/" + name):
            continue
        words = compile_words(entry)
        times = [measure(words + more, entry["directory"])
                 for more in ([], ["-O0"], ["-fsyntax-only"])]
        total = [sum(pair) for pair in zip(total, times)]
        print("".join(f"{seconds:8.1f}" for seconds in times), " ", name, flush=True)
    print("".join(f"{seconds:8.1f}" for seconds in total), "  all")
    print("".join(f"{seconds / unit:8.1f}" for seconds in total), "  all, in units")


if __name__ == "__main__":
    main()
