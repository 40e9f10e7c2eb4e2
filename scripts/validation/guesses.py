# SPDX-License-Identifier: GPL-2.0-only
"""What a side file leaves to be read between its lines, each guess with a note."""

import dataclasses
import re

from .refusal import Refusal

# Words of the field `gpu`, the most telling first, and the generation whose presets fit.
GENERATIONS = (
    (r"gb[23]00|b[123]00|blackwell", "b200"),
    (r"gh200|h[128]00|h20|hopper", "h100"),
    (r"a[138]00|a30|ampere", "a100"),
    (r"v100|volta", "v100"),
    (r"mi[23]\d\d", "mi300x"),
    (r"l40|l4\b|rtx|a40|a10|a6000|\bada\b", "a100"),  # the nearest: their links are PCIe
    (r"p100|t4\b|titan|turing|pascal", "v100"),
)
# Words of `inter_link` and `system`, the most telling first. EFA is told apart by its rate.
TRANSPORTS = (
    (r"tcpxo|tcpx|fastrak", "tcpxo"),
    (r"slingshot|cassini|\bss-1[01]\b", "slingshot"),
    (r"\befa\b", "efa"),
    (r"\broce", "roce"),
    (r"infiniband|\bib\b|\bedr\b|\bhdr\b|\bndr\b|connectx|mlx5", "ib"),
    (r"\baws\b|\bp[3-6][a-z]*\.", "efa"),
    (r"socket|ethernet|\btcp\b|gbe", "ethernet"),
)
OTHER_LIBRARIES = (
    r"\bmscclpp\b|msccl\+\+", r"\bhccl\b", r"\bneuron|nccom", r"\bjax\b|\bxla\b|ppermute",
)  # fmt: skip
# One release, or the first and the last of a range; not that of a plugin such as aws-ofi-nccl.
RELEASE = re.compile(
    r"(?<![A-Za-z-])(?:nccl|rccl)(?:\s*version)?[ :=~v-]*(\d+\.\d+(?:\.\d+)?)(?:-(2\.\d+(?:\.\d+)?))?", re.I
)
YEAR = re.compile(r"\b(20[12]\d)\b")
PER_NODE = re.compile(r"-g ([2-9]|1\d)\b|single process", re.I)
PER_GPU = re.compile(r"-g 1\b|mpi|srun|slurm|torch|one process per gpu", re.I)
BLOCKING = re.compile(r"pytorch|torch|blocking", re.I)

# The release that was current when a generation was new, used where nothing is said; the choice
# changed little between neighbours.
USUAL_RELEASE = {"v100": "2.8", "a100": "2.18", "h100": "2.21", "b200": "2.27", "mi300x": "2.21"}
RELEASE_OF_YEAR = {
    2018: "2.4", 2019: "2.4", 2020: "2.7", 2021: "2.10", 2022: "2.14", 2023: "2.18", 2024: "2.21",
    2025: "2.26", 2026: "2.29",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Guessed:
    generation: str
    transport: str  # "" on one node
    release: tuple  # (major, minor), or with the patch as well
    launch: str  # "" where nothing tells it
    nic_path: str  # "" on one node
    cpu: str
    blocking: bool  # each call is waited for by the host
    notes: tuple


def guess(side):
    """Throws Refusal where no preset fits."""
    notes = []
    check_library(side)
    generation = guess_generation(side, notes)
    transport = guess_transport(side, notes) if side.nodes > 1 else ""
    return Guessed(
        generation=generation,
        transport=transport,
        release=guess_release(side, generation, notes),
        launch=guess_launch(side, notes),
        nic_path=guess_nic_path(side, generation, transport, notes) if side.nodes > 1 else "",
        cpu=guess_cpu(side, generation, transport),
        blocking=bool(BLOCKING.search(f"{side.software} {side.odd}")),
        notes=tuple(notes),
    )


def check_library(side):
    for pattern in OTHER_LIBRARIES:
        found = re.search(pattern, side.software, re.I)
        if found:
            raise Refusal(f'"{found[0]}" is another library than NCCL, RCCL and MSCCL')


def find(patterns, text):
    return next((name for pattern, name in patterns if re.search(pattern, text, re.I)), "")


def guess_generation(side, notes):
    if side.preset:
        if not find(GENERATIONS, side.preset):
            known = ", ".join(dict.fromkeys(name for _, name in GENERATIONS))
            raise Refusal(f'preset "{side.preset}" is none of {known}')
        return find(GENERATIONS, side.preset)
    generation = find(GENERATIONS, side.gpu)
    if not generation:
        raise Refusal(f'there is no preset for "{side.gpu}"; name one by preset: h100')
    notes.append(f'preset {generation} from gpu "{side.gpu}"')
    return generation


def guess_transport(side, notes):
    said = f"{side.inter_link} {side.software}"
    transport = find(TRANSPORTS, said) or find(TRANSPORTS, side.system)
    if not transport:
        notes.append("transport ib, because nothing is said of the network")
        return "ib"
    notes.append(f'transport {transport} from inter_link "{side.inter_link}"')
    return transport


def said_in(software):
    """The keys of a side file that the words of its `software` tell as well."""
    told = {"nccl_version": release_in(software), "launch": launch_in(software)}
    return [key for key, text in told.items() if text]


def guess_release(side, generation, notes):
    if side.nccl_version:
        return parse_release(side.nccl_version)
    text = release_in(side.software)
    if text:
        notes.append(f'release {text} from software "{side.software}"')
        return parse_release(text)
    year = YEAR.search(side.software)
    text = RELEASE_OF_YEAR.get(int(year[1])) if year else None
    notes.append(f"release {text or USUAL_RELEASE.get(generation, '2.21')}, because none is stated")
    return parse_release(text or USUAL_RELEASE.get(generation, "2.21"))


def release_in(software):
    found = RELEASE.search(software)
    return (found[2] or found[1]) if found else ""


def parse_release(text):
    numbers = [int(one) for one in re.findall(r"\d+", text)[:3]]
    if len(numbers) < 2:
        raise Refusal(f'nccl_version "{text}" is no release; write "2.21.5"')
    return tuple(numbers)


def guess_launch(side, notes):
    if side.launch:
        return side.launch
    if side.nodes > 1:
        return "process-per-gpu"
    for text in (side.software, side.odd):
        if launch_in(text):
            notes.append(f'launch {launch_in(text)} from "{text}"')
            return launch_in(text)
    notes.append("launch is not stated: the floor lies between those of both modes")
    return ""


def launch_in(text):
    if PER_GPU.search(text):
        return "process-per-gpu"
    return "process-per-node" if PER_NODE.search(text) else ""


def guess_nic_path(side, generation, transport, notes):
    """Between GPU and NIC. Slingshot nodes with discrete GPUs have no PCIe switches."""
    if side.nic_path:
        return side.nic_path
    if re.search(r"gh200|gb[23]00", side.gpu, re.I):
        notes.append(f'nic_path c2c from gpu "{side.gpu}"')
        return "c2c"
    if transport == "slingshot" and generation in ("v100", "a100", "h100"):
        notes.append("nic_path host-bridge, because GPUs and Slingshot NICs hang at the processor")
        return "host-bridge"
    return "pcie-switch"


def guess_cpu(side, generation, transport):
    """"amd" or "other": the library caps LL between nodes by the vendor of the host processor."""
    system = f"{side.system} {side.software}".lower()
    if re.search(r"gh200|gb[23]00|grace", side.gpu, re.I):
        return "other"
    if generation == "a100":
        return "other" if re.search(r"aws|p4d|abci|gcp|a2-", system) else "amd"
    return "amd" if transport in ("slingshot", "efa") and generation == "h100" else "other"
