# SPDX-License-Identifier: GPL-2.0-only
"""The fitted parameters as files of presets, written and read: a key a line, with its unit and its
source."""

import functools
import math
import pathlib
import re

import yaml

from .parameters import KNOWN, PARAMETERS, width
from .releases import PROTOCOLS

WITHOUT_GPU = "default"
GPUS = {
    "v100": "V100",
    "a100": "A100, A800",
    "h100": "H100, H200, H800 and GH200",
    "b200": "B200, B300 and GB200",
    "mi300x": "MI300X and its like",
    WITHOUT_GPU: "a GPU of which nothing is known",
}
NETWORKS = {
    "ib": ("verbs", "ib"),
    "ib-host-bridge": ("verbs", "ib", "ib-host-bridge"),
    "roce": ("verbs", "roce"),
    "efa": ("libfabric", "efa"),
    "efa-v1": ("libfabric", "efa-v1"),
    "slingshot": ("libfabric", "slingshot"),
    "slingshot-host-bridge": ("libfabric", "slingshot", "slingshot-host-bridge"),
    "tcpxo": ("other", "tcpxo"),
    "default": (),
}
NETWORK_HELP = {
    "ib": "InfiniBand EDR, HDR and NDR: the rate of the NICs stands in the network",
    "ib-host-bridge": "InfiniBand whose NICs the GPUs reach through the host",
    "roce": "RoCE",
    "efa": "EFA of the second generation and later (p5, p5en, p6)",
    "efa-v1": "EFA of the first generation (p3dn, p4d, p4de)",
    "slingshot": "Slingshot with a NIC at each GPU",
    "slingshot-host-bridge": "Slingshot whose NICs hang at the processor",
    "tcpxo": "GPUDirect-TCPXO (a3-megagpu)",
    "default": "a network of which nothing is known",
}
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "configs/libraries"
UNITS = {"us": " us", "GB/s": " GB/s", "us^0.5": " us^0.5"}


def write_presets(logs, cases, folder):
    """One file for each GPU, each network, and each protocol of scripted algorithms."""
    folder.mkdir(parents=True, exist_ok=True)
    spoken = {name for case in cases for name in case.variables}
    for name, gpus in GPUS.items():
        owners = () if name == WITHOUT_GPU else (name,)
        write(folder / f"gpu-{name}.yaml", f"For {gpus}.", "gpu", owners, logs, spoken)
    for name, owners in NETWORKS.items():
        title = f"For {NETWORK_HELP[name]}."
        write(folder / f"net-{name}.yaml", title, "net", owners, logs, spoken)
    for name in PROTOCOLS:
        title = f"For algorithms from files, with {name}."
        write(folder / f"msccl-{name.lower()}.yaml", title, "msccl", (name,), logs, spoken)


def write(file, title, group, owners, logs, spoken):
    lines = [f"# {title} Made by scripts/calibrate.py; docs/calibration.md tells how well it fits."]
    for name, parameter in PARAMETERS.items():
        if name.partition(".")[0] == group and not is_of_other(name, owners):
            lines.append(line(name, parameter, owners, logs, spoken))
    file.write_text("\n".join(lines) + "\n")


def is_of_other(name, owners):
    """Whether a scripted parameter is of another protocol than that of the file."""
    protocol = name.rpartition(".")[2]
    return name.startswith("msccl.") and protocol in PROTOCOLS and protocol not in owners


def line(name, parameter, owners, logs, spoken):
    variables = [name, *(f"{name}@{owner}" for owner in owners)]
    away = sum(logs.get(one, 0.0) + KNOWN.get(one, 0.0) for one in variables)
    value = parameter.first * math.exp(away)
    own = next((one for one in reversed(variables) if width(one) > 0), name)
    how = source(parameter, own in spoken)
    unit = UNITS.get(parameter.unit, "")
    return f"{key_of(name)}: {value:.4g}{unit}  # {explained(parameter)}; {how}"


def source(parameter, spoken):
    """Where a value is from. The first value stands in it where the tables said otherwise."""
    if parameter.common == 0:
        return f"not fitted ({parameter.source})"
    if spoken:
        return f"fitted, from {parameter.first:g} ({parameter.source})"
    return f"no table of it, so the common value ({parameter.source})"


def key_of(name):
    """gpu.base.LL128 is base-ll128."""
    return re.sub(r"\.", "-", name.partition(".")[2]).lower()


def explained(parameter):
    if parameter.unit in UNITS or not parameter.unit:
        return parameter.help
    return f"{parameter.unit}; {parameter.help}"


class PresetValues:
    """Parameters of a machine as the files of its presets have them, as `parameters.Values` gives
    them from a fit."""

    def __init__(self, machine, folder=FOLDER):
        protocol = machine.script.protocol.lower() if machine.script else ""
        self.files = {
            "gpu": folder / f"gpu-{machine.generation}.yaml",
            "net": folder / f"net-{network_preset(machine)}.yaml",
            "msccl": folder / f"msccl-{protocol}.yaml",
        }

    def __call__(self, name):
        return read_numbers(self.files[name.partition(".")[0]])[key_of(name)]


def network_preset(machine):
    """The name of its network among NETWORKS; of its transport alone where the path has none."""
    names = {owners: name for name, owners in NETWORKS.items()}
    return names.get(machine.network) or names.get(machine.network[:2], "default")


@functools.cache
def read_numbers(file):
    """{key: number} of a file of presets, without the units."""
    entries = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)
    return {key: float(text.split()[0]) for key, text in entries.items()}
