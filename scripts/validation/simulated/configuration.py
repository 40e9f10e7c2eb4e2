# SPDX-License-Identifier: GPL-2.0-only
"""A measured machine as the simulator is told of it: the sections `system` and `network`.

This is the only place that knows the keys of libraries and of the generator of nodes.
"""

import os

from studies.points import with_absolute_files
from studies.yaml_tree import read_yaml

from ..choice import allowed
from ..prediction import PEER_TO_PEER

LINK_LATENCY = "100 ns"  # of NVLink and its like, datasheets of their switches
NIC_LATENCY = "500 ns"  # of each link of the way NIC, leaf, NIC: 1.6 to 2 us are measured in all
WITHOUT_PRESET = "default"
WITH_CALLS = ("nccl", "rccl", "msccl")  # libraries that tell single calls from many in a row
TRANSPORTS = ("ib", "roce", "efa", "efa-v1", "slingshot", "tcpxo")


def make_sections(machine):
    """{section: plain value}."""
    return {
        "system": {"library": make_library(machine)},
        # The rates of the presets are those of data, so that no header takes a part of them.
        "network": {"packet": {"header": "0 B"}, "topology": make_topology(machine)},
    }


def make_library(machine):
    keys = {"name": library_name(machine), "preset": machine.generation}
    if machine.nodes > 1:
        keys["transport"] = transport(machine)
        keys["nic-path"] = machine.nic_path
    keys |= {
        "release": ".".join(map(str, machine.release)),
        "launch": machine.launch or "unknown",
        "cpu": machine.cpu,
        "blocking": on_or_off(machine.blocking),
        "least-channels": str(machine.least_channels),
        "calls": machine.calls,
    }
    if machine.script:
        script = machine.script
        return keys | {"script": script.algorithm, "protocol": script.protocol,
                       "channels": str(script.channels), "instances": str(script.instances)}
    return keys | {"algorithm": algorithm(machine), "protocol": machine.protocol or "auto"}


def with_calls(sections, calls, effective):
    """The sections of a user, whose library is told what the times of a table are of, unless they
    say it themselves. `effective` is the section `system` that the simulator makes of them."""
    system = sections.get("system") or {}
    library = library_in(system)
    if library.get("name") not in WITH_CALLS or "calls" in library:
        return sections
    if replaces_library(system):  # keys beside the mere name would join those of the file
        system, library = effective, effective["library"]
    own = {"file": system} if isinstance(system, str) else system
    return sections | {"system": own | {"library": library | {"calls": calls}}}


def library_in(system):
    """What the section says of the library, with the file that it names, as a mapping."""
    if isinstance(system, str):
        inside = read_yaml(system, "nadi validate").plain()
        return library_in(with_absolute_files(inside, "system", os.path.dirname(system)))
    own = system.get("library", {})
    if isinstance(own, str):
        return {"name": own}
    return (library_in(system["file"]) if "file" in system else {}) | own


def replaces_library(system):
    """Whether a mere name replaces the library of the file that the section names."""
    return (isinstance(system, dict) and isinstance(system.get("library"), str)
            and "file" in system and library_in(system["file"]) != {})


def algorithm(machine):
    """The one that the run allowed; where it cannot carry the collective, what is taken instead."""
    if not machine.forced or machine.collective in PEER_TO_PEER:
        return "auto"
    return allowed(machine)[0][0]


def library_name(machine):
    if machine.script:
        return "msccl"
    return "rccl" if machine.generation == "mi300x" else "nccl"


def transport(machine):
    name = machine.network[1]
    return name if name in TRANSPORTS else WITHOUT_PRESET


def on_or_off(value):
    return "on" if value else "off"


def make_topology(machine):
    """All nodes hang at one leaf: tables are of few nodes, whose fabrics are not described."""
    nics = nics_per_node(machine)
    keys = {
        "generator": "nodes",
        "nodes": str(machine.nodes),
        "npus-per-node": str(machine.local),
        "nics-per-node": str(nics),
        "leaves": "1",
        "spines": "0",
        "nvlink": link(machine.link, LINK_LATENCY),
        "nic": link(nic_rate(machine, nics), NIC_LATENCY),
    }
    if not machine.switched:
        keys["inside"] = wiring(machine)
    if nics and is_path_slower(machine):
        # rings and trees reach each NIC by one GPU, which therefore has all of its path
        keys["pcie"] = link(machine.nic / nics, NIC_LATENCY)
    return keys


def wiring(machine):
    """Eight V100 without a switch have too few links for a mesh: theirs are those of a DGX-1."""
    is_dgx1 = machine.generation == "v100" and machine.local == 8
    return "hybrid-cube-mesh" if is_dgx1 else "mesh"


def nics_per_node(machine):
    """0 where each GPU has a NIC of its own. Between GPU and NIC, there is a link of its own only
    where NICs are counted."""
    if machine.nodes == 1 or not (machine.nics_shared or is_path_slower(machine)):
        return 0
    return max(one for one in range(1, machine.nics + 1) if machine.local % one == 0)


def is_path_slower(machine):
    return machine.nic < machine.listed_nic


def nic_rate(machine, nics):
    """GB/s of one NIC. The generator asks for it on one node too, where nothing uses it."""
    if machine.nodes == 1:
        return machine.link
    return machine.listed_nic / (nics or machine.local)


def link(rate, latency):
    return {"bandwidth": f"{rate:.10g} GB/s", "latency": latency}
