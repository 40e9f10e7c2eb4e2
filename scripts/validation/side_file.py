# SPDX-License-Identifier: GPL-2.0-only
"""The YAML file beside a measured table: which system was measured, and how.

Side files are written by hand from public sources. A null, a number with a remark behind it and an
unknown key are therefore no errors: each is told in a note. What cannot be done without is refused.
"""

import dataclasses
import re

from studies.errors import StudyError
from studies.yaml_tree import read_yaml

from .guesses import said_in
from .refusal import Refusal

COLLECTIVES = {
    "allreduce": "all-reduce",
    "allgather": "all-gather",
    "reducescatter": "reduce-scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "alltoall": "all-to-all",
    "sendrecv": "send-receive",
}
LAUNCHES = ("process-per-gpu", "process-per-node")
CALLS = ("back-to-back", "single")
NIC_PATHS = ("pcie-switch", "host-bridge", "c2c")

NUMBERS = (
    "ranks",
    "nodes",
    "gpus_per_node",
    "gpus_used_per_node",
    "intra_GBps_per_gpu_per_dir",
    "inter_Gbps_per_gpu",
    "nic_effective_GBps_per_gpu",
)
NODE_COUNTS = ("nodes", "gpus_per_node", "gpus_used_per_node")  # each tells the number of nodes
TEXTS = (
    "collective", "system", "gpu", "intra_link", "inter_link", "software", "algorithm", "odd",
    "nccl_version", "launch", "nic_path", "preset", "calls",
)  # fmt: skip
WITHOUT_EFFECT = (
    "source", "rows", "transcribed", "quality", "note", "check_time_x_algbw", "check_busbw_factor",
)  # fmt: skip
ABSENT = ("", "null", "~", "none", "-", "?", "not stated", "unknown")
LEADING_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)(.*)", re.DOTALL)


@dataclasses.dataclass
class SideFile:
    """What is said of a measured system. Rates are per GPU and direction, 0 where not stated."""

    collective: str
    ranks: int
    nodes: int
    system: str = ""
    gpu: str = ""
    intra_link: str = ""
    inter_link: str = ""
    software: str = ""
    algorithm: str = ""
    odd: str = ""
    nccl_version: str = ""
    launch: str = ""
    nic_path: str = ""
    preset: str = ""
    calls: str = ""  # what its times are of: "" is the mean of many, as nccl-tests prints it
    says_nodes: bool = True  # on how many nodes it ran; else `nodes` is 1
    gpus_per_node: int = 0
    intra_GBps: float = 0.0
    inter_Gbps: float = 0.0
    nic_effective_GBps: float = 0.0
    notes: list = dataclasses.field(default_factory=list)

    @property
    def ranks_per_node(self):
        return self.ranks // self.nodes


def read_side_file(file, said=None):
    """What the file says holds before what is `said` elsewhere, {key: text}. Throws Refusal with
    one line."""
    try:
        entries = read_yaml(file, file.name).mapping("the side file")
        texts = {key: value.scalar(key) for key, value in entries.items() if key in KNOWN}
    except StudyError as error:
        raise Refusal(str(error)) from error
    notes = [f'unknown key "{key}" has no effect' for key in entries if key not in KNOWN]
    hidden = said_in(texts.get("software", ""))
    others = {key: text for key, text in (said or {}).items() if key not in hidden}
    return describe(others | texts, notes)


KNOWN = NUMBERS + TEXTS + WITHOUT_EFFECT


def describe(texts, notes):
    """The side file of {key: text}; adds to `notes`. Throws Refusal."""
    number = {key: read_number(key, texts.get(key, ""), notes) for key in NUMBERS}
    text = {key: read_text(texts.get(key, "")) for key in TEXTS}
    ranks, nodes = count_ranks(number)
    check_word("launch", text, LAUNCHES, notes)
    check_word("nic_path", text, NIC_PATHS, notes)
    check_word("calls", text, CALLS, notes)
    return SideFile(
        collective=read_collective(text["collective"]),
        ranks=ranks,
        nodes=nodes,
        says_nodes=any(number[key] for key in NODE_COUNTS),
        gpus_per_node=max(int(number["gpus_per_node"]), ranks // nodes),
        intra_GBps=number["intra_GBps_per_gpu_per_dir"],
        inter_Gbps=number["inter_Gbps_per_gpu"],
        nic_effective_GBps=number["nic_effective_GBps_per_gpu"],
        notes=notes,
        **{key: value for key, value in text.items() if key != "collective"},
    )


def read_text(text):
    return "" if text.strip().lower() in ABSENT else text.strip()


def read_number(key, text, notes):
    """0 where it is not stated. A remark behind the number is told in a note."""
    if key not in NUMBERS or text.strip() == "":
        return 0.0
    if text.strip().lower() in ABSENT:
        notes.append(f"{key} is not stated ({text.strip()})")
        return 0.0
    found = LEADING_NUMBER.fullmatch(text.strip())
    if found is None:
        notes.append(f'{key} is no number ("{text.strip()}") and is taken as not stated')
        return 0.0
    if found[2].strip():
        notes.append(f"{key} is read as {found[1]}, without its remark")
    return float(found[1])


def check_word(key, text, known, notes):
    if text[key] and text[key] not in known:
        notes.append(f'{key} "{text[key]}" is none of {", ".join(known)}, and is guessed')
        text[key] = ""


def read_collective(text):
    name = re.sub(r"[-_ ]|perf", "", text.lower())
    if name not in COLLECTIVES:
        raise Refusal(
            f'collective "{text}" is not simulated; known: {", ".join(COLLECTIVES.values())}'
        )
    return COLLECTIVES[name]


def count_ranks(number):
    """(ranks, nodes); either may follow from the other and the GPUs of a node."""
    per_node = number["gpus_used_per_node"] or number["gpus_per_node"]
    ranks, nodes = int(number["ranks"]), int(number["nodes"])
    if not ranks:
        ranks = int(nodes * per_node)
    if ranks < 2:
        raise Refusal("the side file does not say of how many ranks; write ranks: 8")
    if not nodes:
        nodes = -(-ranks // int(per_node)) if per_node else 1
    if ranks % nodes:
        raise Refusal(f"{ranks} ranks cannot be spread evenly over {nodes} nodes; correct one")
    return ranks, nodes
