# SPDX-License-Identifier: GPL-2.0-only
"""One run of the simulator: for the scripts that measure it and compare it."""

import contextlib
import json
import pathlib
import subprocess
import tempfile

from studies.simulator import set_options


@contextlib.contextmanager
def results_of(nadi, config, settings=()):
    """The folder of the results of a configuration file, until the caller has read them. The
    settings are those of --set. Throws CalledProcessError where the run fails."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "out")
        command = [nadi, "run", config, "--quiet", "--out", out, *set_options(settings)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        yield out


def summary_of(nadi, config, settings=()):
    """The fields of its summary.json."""
    with results_of(nadi, config, settings) as out:
        return json.loads((out / "summary.json").read_text())
