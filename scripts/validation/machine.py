# SPDX-License-Identifier: GPL-2.0-only
"""What the model needs to know of a measured system."""

import dataclasses
import re

from .guesses import guess
from .known_systems import with_known
from .refusal import Refusal

# Datasheets: GB/s of a GPU into the links of its node, in one direction.
LINK_RATE = {"v100": 150.0, "a100": 300.0, "h100": 450.0, "b200": 900.0, "mi300x": 448.0}
# Of the six links of a GPU in the hybrid cube mesh of a DGX-1, those to the other first GPUs of its
# node, by how many take part: of the GPU that has the fewest (network/node-inside.cc has the links).
CUBE_GPUS = 8
CUBE_LINKS = 6
CUBE_LINKS_INSIDE = {2: 1, 3: 2, 4: 4, 5: 2, 6: 3, 7: 4}
HOST_BRIDGE_GBPS = 18.2  # of a NIC, measured through AMD's host bridge; the library's table: 16
RACK = 72  # GPUs that meet in the switches of a GB200 rack
SOFTWARE = {"ib": "verbs", "roce": "verbs", "slingshot": "libfabric", "efa": "libfabric"}
BACK_TO_BACK = "back-to-back"  # nccl-tests prints the mean of many calls
# GPUs of a node that must take part for NVLS: two send less around a ring, and by itself the
# library considers it from five on.
SMALLEST_NVLS = 3
SMALLEST_PREFERRED_NVLS = 5
MSCCL = re.compile(
    r"msccl\s+(ring|allpair),\s*protocol\s+(ll|ll128|simple),\s*channels=(\w+),"
    r"\s*instances=([1-9]\d*)", re.I
)  # fmt: skip
FORCED = re.compile(r"NCCL_ALGO=([\w^]+(?:,\w+)*)", re.I)
FORCED_PROTOCOL = re.compile(r"NCCL_PROTO=([\w^]+(?:,\w+)*)", re.I)
NAMED = re.compile(r"\b(nvlstree|nvls|ring|tree)\b", re.I)
MIN_CTAS = re.compile(r"NCCL_MIN_CTAS=(\d+)", re.I)
PROTOCOLS = {"ll": "LL", "ll128": "LL128", "simple": "Simple"}
NICS = re.compile(r"(?:(\d+) ?x\D*?)?(\d+) ?G(?:b/s|bps|bE|\b)", re.I)
NICS_PER_NODE = re.compile(r"(\d+) ?x\D.*per node", re.I)


@dataclasses.dataclass(frozen=True)
class Script:
    """A fixed algorithm: what an MSCCL file says."""

    algorithm: str  # ring | allpair
    protocol: str
    channels: int
    instances: int


@dataclasses.dataclass(frozen=True)
class Machine:
    """Rates in GB/s. A node is what the links of the GPUs reach."""

    collective: str
    ranks: int
    nodes: int
    link: float  # of a GPU to those of its node that take part, one direction, datasheet
    nic: float  # of a node into the network, of the NICs that its ranks can use
    listed_nic: float  # the same as the library believes it, which looks at NICs and host bridges
    nics: int  # of a node, that its ranks use
    switched: bool  # the links meet in a switch
    generation: str
    transport: str
    release: tuple
    launch: str
    nic_path: str
    cpu: str
    blocking: bool
    forced: str  # algorithm that the run allowed alone, or ""
    protocol: str  # the same of the protocol
    least_channels: int
    script: Script | None
    calls: str = BACK_TO_BACK  # what the measured times are of

    @property
    def local(self):
        """Ranks per node."""
        return self.ranks // self.nodes

    @property
    def nics_shared(self):
        return self.nics < self.local

    @property
    def is_algorithm_known(self):
        """A script, or the library's ring: nothing of the library's choice is in a prediction."""
        return self.script is not None or self.forced == "ring"

    @property
    def network(self):
        """Names of the presets of the network: the software, the transport, the path to the NIC."""
        if self.nodes == 1:
            return ()
        transport = self.transport
        if transport == "efa" and self.generation in ("v100", "a100"):
            transport = "efa-v1"
        software = SOFTWARE.get(self.transport, "other")
        path = (f"{transport}-host-bridge",) if self.nic_path == "host-bridge" else ()
        return (software, transport, *path)

    @property
    def allows_nvls(self):
        return self.switched and self.generation in ("h100", "b200") and self.local >= SMALLEST_NVLS

    @property
    def prefers_nvls(self):
        return self.allows_nvls and self.local >= SMALLEST_PREFERRED_NVLS


def make_machine(side):
    """(machine, notes). Throws Refusal."""
    side = join_trays(with_known(side))
    found = guess(side)
    notes = list(side.notes) + list(found.notes)
    listed, nics = nic_rate(side, found, notes) if side.nodes > 1 else (0.0, 0)
    nic = side.nic_effective_GBps * side.ranks_per_node or listed
    forced = forced_algorithm(side.algorithm, notes)
    ctas = MIN_CTAS.search(side.algorithm)
    machine = Machine(
        collective=side.collective,
        ranks=side.ranks,
        nodes=side.nodes,
        link=link_rate(side, found, notes) * share_inside(side, found, notes),
        nic=nic if side.nodes > 1 else 0.0,
        listed_nic=listed,
        nics=nics,
        switched=is_switched(side, found),
        generation=found.generation,
        transport=found.transport,
        release=found.release,
        launch=found.launch,
        nic_path=found.nic_path,
        cpu=found.cpu,
        blocking=found.blocking,
        forced=forced,
        protocol=forced_protocol(side, notes),
        least_channels=int(ctas[1]) if ctas else 0,
        script=read_script(side),
        calls=side.calls or BACK_TO_BACK,
    )
    return machine, notes


def join_trays(side):
    """To the library, GB200 trays whose GPUs meet in one NVLink switch are one node."""
    if side.nodes == 1 or not re.search(r"gb[23]00", side.gpu, re.I):
        return side
    said = re.search(r"nvl ?(\d+)", f"{side.intra_link} {side.system} {side.gpu}", re.I)
    domain = int(said[1]) if said else RACK
    nodes = -(-side.ranks // domain)
    if nodes >= side.nodes or side.ranks % nodes:
        return side
    notes = [*side.notes, f"{side.nodes} trays of one NVLink domain are {nodes} nodes"]
    per_node = max(side.gpus_per_node, side.ranks // nodes)
    return dataclasses.replace(side, nodes=nodes, gpus_per_node=per_node, notes=notes)


def forced_algorithm(text, notes):
    """The one that the library had to use, or that the source says it used; "" for its choice."""
    said = FORCED.search(text)
    if said and not NAMED.fullmatch(said[1]):
        notes.append(f"{said[0]} names no single algorithm: the library chooses among all")
        return ""
    if not said and text and not text.lower().startswith(("auto", "msccl")):
        named = {one.lower() for one in NAMED.findall(text)}
        said = NAMED.search(text) if len(named) == 1 else None
    if not said:
        return ""
    notes.append(f'{said[1].lower()} alone, from algorithm "{text}"')
    return said[1].lower()


def forced_protocol(side, notes):
    """The one that the library had to use, or ""."""
    said = FORCED_PROTOCOL.search(f"{side.algorithm} {side.software} {side.odd}")
    if not said or said[1].lower() not in PROTOCOLS:
        return ""
    notes.append(f"protocol {PROTOCOLS[said[1].lower()]} alone, from {said[0]}")
    return PROTOCOLS[said[1].lower()]


def link_rate(side, found, notes):
    if side.intra_GBps:
        return side.intra_GBps
    if found.generation not in LINK_RATE:
        raise Refusal("the side file does not say intra_GBps_per_gpu_per_dir")
    notes.append(f"links of {LINK_RATE[found.generation]:g} GB/s, the datasheet's of the preset")
    return LINK_RATE[found.generation]


def share_inside(side, found, notes):
    """Of a GPU's links into its node, those that lead to GPUs that take part. In a switch, and in
    the tree of PCIe, all of them do."""
    used, there = side.ranks_per_node, side.gpus_per_node
    if used in (1, there) or is_switched(side, found) or is_pcie(side):
        return 1.0
    links, of = used - 1, there - 1
    if found.generation == "v100" and there == CUBE_GPUS:
        links, of = CUBE_LINKS_INSIDE[used], CUBE_LINKS
    notes.append(f"{links} of {of} links of a GPU, because {used} of the {there} GPUs of a node "
                 "take part, and no switch joins them")
    return links / of


def is_pcie(side):
    said = f"{side.intra_link} {side.gpu}"
    return bool(re.search("pci", said, re.I)) and not re.search("nvlink|xgmi|infinity", said, re.I)


def nic_rate(side, found, notes):
    """(GB/s of the NICs of a node that its ranks use, how many NICs those are)."""
    ranks = side.ranks_per_node
    if not side.inter_Gbps and side.nic_effective_GBps:
        return side.nic_effective_GBps * ranks, ranks
    per_gpu = (side.inter_Gbps or stated_rate(side, notes)) / 8
    nics, per_nic = side.gpus_per_node, per_gpu
    said = NICS_PER_NODE.search(side.inter_link)
    if said and 0 < int(said[1]) < side.gpus_per_node:
        nics, per_nic = int(said[1]), per_gpu * side.gpus_per_node / int(said[1])
    if found.nic_path == "host-bridge" and per_nic > HOST_BRIDGE_GBPS:
        notes.append(f"a NIC gives {HOST_BRIDGE_GBPS} of {per_nic:g} GB/s through the host bridge")
        per_nic = HOST_BRIDGE_GBPS
    return min(nics, ranks) * per_nic, min(nics, ranks)


def stated_rate(side, notes):
    """Gb/s of NICs for each GPU, from words such as "8 x 400 Gb/s per node". Throws Refusal."""
    said = NICS.search(side.inter_link)
    if not said:
        raise Refusal("the side file does not say inter_Gbps_per_gpu, and there are several nodes")
    count = int(said[1]) if said[1] else side.gpus_per_node
    rate = float(said[2]) * count / side.gpus_per_node
    notes.append(f'inter_Gbps_per_gpu {rate:g} from inter_link "{side.inter_link}"')
    return rate


def is_switched(side, found):
    if re.search(r"no nvswitch|all-to-all|mesh|fully connected", side.intra_link, re.I):
        return False
    if re.search(r"nvswitch|nvl\d\d", f"{side.intra_link} {side.system}", re.I):
        return True
    return side.gpus_per_node >= 8 and found.generation in ("a100", "h100", "b200")


def read_script(side):
    found = MSCCL.search(side.algorithm)
    if not found:
        if side.algorithm.lower().startswith("msccl"):
            raise Refusal(f'algorithm "{side.algorithm}" is no known script; write MSCCL ring, '
                          "protocol LL, channels=4, instances=1")
        return None
    if side.nodes > 1:
        raise Refusal("algorithms from files are known on one node only")
    channels = int(found[3]) if found[3].isdigit() else 1
    return Script(found[1].lower(), PROTOCOLS[found[2].lower()], channels, int(found[4]))
