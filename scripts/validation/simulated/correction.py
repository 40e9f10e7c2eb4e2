# SPDX-License-Identifier: GPL-2.0-only
"""What the simulator says of tables under the parameters of a fit: how far the closed form is from
it, so that the next fit is one of the simulation.

All rows of a table are one run, as flows. A row's time is that from the call's begin on all ranks.
"""

import concurrent.futures
import pathlib
import subprocess
import tempfile

import numpy as np
import yaml

from studies import simulator
from studies.tables import read_rows

from ..parameters import PARAMETERS, Values
from ..presets import UNITS, key_of
from .configuration import make_sections
from .workload import COUNTS_ALL

# Of the GPU's parameters, those whose key in a configuration is not that of the preset's file.
OTHER_KEYS = {"launch": "launch-floor", "blocking": "blocking-floor"}
IN_FILES_ONLY = "msccl."


def simulate_all(cases, logs, binary):
    """{name: us of each row}, of the cases that one run of collectives can be."""
    able = [case for case in cases if is_run_of_collectives(case)]
    with concurrent.futures.ThreadPoolExecutor(simulator.cores()) as pool:
        times = pool.map(lambda case: simulate(case, logs, binary), able)
        return {case.name: one for case, one in zip(able, times)}


def is_run_of_collectives(case):
    """Scripts have their costs in files, and sends and receives are no collectives."""
    return not case.machine.script and case.machine.collective != "send-receive"


def simulate(case, logs, binary):
    sections = make_sections(case.machine)
    sections["system"]["library"] |= costs(Values(logs, case.machine))
    sections["network"]["backend"] = "flow"
    tree = {"workload": make_calls(case)} | sections
    with tempfile.TemporaryDirectory(prefix="nadi-calibrate-") as folder:
        file = pathlib.Path(folder) / "table.yaml"
        file.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
        command = [str(binary), "run", str(file), "--quiet", "--out", f"{folder}/out"]
        subprocess.run(command, check=True, capture_output=True)
        rows = read_rows(pathlib.Path(folder) / "out/collectives.csv")
    return np.array([float(row["end_ns"]) - float(row["begin_ns"]) for row in rows]) / 1e3


def make_calls(case):
    calls = [{"type": case.machine.collective, "size": f"{int(size)} B"} for size in case.sizes]
    if case.machine.collective in COUNTS_ALL:
        calls = [call | {"size-means": "total"} for call in calls]
    return {"ranks": str(case.machine.ranks), "collective": calls}


def costs(value):
    """All parameters as keys of system.library."""
    keys = {}
    for name, parameter in PARAMETERS.items():
        if not name.startswith(IN_FILES_ONLY):
            key = key_of(name)
            key = f"net-{key}" if name.startswith("net.") else OTHER_KEYS.get(key, key)
            unit = "" if "^" in parameter.unit else UNITS.get(parameter.unit, "")
            keys[key] = f"{value(name):.6g}{unit}"
    return keys
