# SPDX-License-Identifier: GPL-2.0-only
"""A measured table, ready to be simulated: its configuration, and a point for each row.

The configuration of a table is a file of its own, `configurations/<table>.yaml`, which runs as it
is: it has the first row. The points of the other rows change its workload and its backend. What the
simulator does not accept is the refusal of the table.
"""

import dataclasses
import pathlib

import numpy as np
import yaml

from studies import simulator
from studies.identity import point_id
from studies.points import Point, configure, with_absolute_files
from studies.yaml_tree import inline, read_yaml

from ..machine import BACK_TO_BACK, Machine, join_trays, make_machine
from ..prediction import plan, predict
from ..presets import PresetValues
from ..refusal import Refusal
from .backend import CLOSED_FORM, PACKET, choose_backend, needs_closed_form
from .compared import ComparedTable, compare
from .configuration import make_sections, with_calls
from .placement import find_placement, with_nodes_of
from .workload import bytes_sent, make_workload

WIDE = 4096  # characters of a line of YAML: each mapping of single values stands on one line


@dataclasses.dataclass
class RowPoint(Point):
    """The run of one row. `base` is the file whose keys its settings change."""

    base: pathlib.Path = None
    bytes_sent: float = 0.0


@dataclasses.dataclass
class Subject:
    """`points` and `against` are those of the rows, in their order; empty where no row is run."""

    compared: ComparedTable
    side: object
    machine: Machine | None
    points: list = dataclasses.field(default_factory=list)
    against: list = dataclasses.field(default_factory=list)


class SubjectMaker:
    """Makes subjects of tables. `config` is a configuration whose library and network are used for
    all tables, or None; `against` the name of a library to simulate too, or None."""

    def __init__(self, binary, folder, config=None, against=None):
        self.binary = binary
        self.folder = folder
        self.against = against
        self.sections = read_sections(config) if config else None

    def make(self, table):
        """Throws Refusal."""
        machine, notes = None, table.side.notes
        if self.sections is None:
            machine, notes = make_machine(table.side)
        side = table.side
        subject = Subject(compare(table, notes), side, machine)
        if machine:
            subject.compared.is_forced = machine.is_algorithm_known
        if machine and needs_closed_form(side):
            predict_rows(subject)
        else:
            self.add_points(subject)
        return subject

    def add_points(self, subject):
        sections = self.sections or make_sections(subject.machine)
        workloads = [make_workload(subject.side, row.size)
                     for row in subject.compared.rows]
        base = self.folder / f"{subject.compared.name}.yaml"
        write_configuration(base, {"workload": workloads[0]} | sections)
        if self.sections is not None:
            effective = self.ask(base, [])
            placement = self.find_placement(subject, effective["network"])
            workloads = [workload | placement for workload in workloads]
            calls = subject.side.calls or BACK_TO_BACK
            sections = with_calls(sections, calls, effective["system"])
            write_configuration(base, {"workload": workloads[0]} | sections)
        subject.points = self.make_points(subject, base, workloads, [])
        if self.against:
            settings = [f"system.library={self.against}"]
            subject.against = self.make_points(subject, base, workloads, settings)

    def find_placement(self, subject, network):
        """Keys of the workload: none where the ranks stand on the first NPUs anyway, as they do on
        a network made of the side file. Throws Refusal."""
        subject.side = with_nodes_of(network, subject.side)
        subject.compared.nodes = subject.side.nodes
        placement = find_placement(join_trays(subject.side), network)
        return {"placement": placement} if placement else {}

    def ask(self, base, settings):
        """The effective configuration. Throws Refusal."""
        effective, refusal = configure(base, Point({}, settings), self.binary)
        if refusal:
            raise Refusal(refusal.message)
        return effective

    def make_points(self, subject, base, workloads, settings):
        """Asks the simulator once what the configuration comes to. Throws Refusal."""
        effective = self.ask(base, settings)
        return [self.make_point(subject, row, base, effective, workload, settings)
                for row, workload in zip(subject.compared.rows, workloads)]

    def make_point(self, subject, row, base, effective, workload, settings):
        own = [*settings, f"workload={inline(workload)}"]
        network = effective["network"]
        if network["backend"] == PACKET:
            network = network | {"backend": choose_backend(subject.side, row.size)}
            own.append(f"network.backend={network['backend']}")
        row.backend = name_of(network["backend"])
        configuration = effective | {"workload": workload, "network": network}
        coordinates = {"table": subject.compared.name, "size": str(row.size)}
        return RowPoint(coordinates | library_of(settings), own,
                        point_id(configuration, simulator.version(self.binary)), configuration,
                        base=base, bytes_sent=bytes_sent(subject.side, row.size))


def name_of(choice):
    return choice["name"] if isinstance(choice, dict) else choice


def library_of(settings):
    """A column of the point where a library is compared."""
    return {"library": settings[0].partition("=")[2]} if settings else {}


def read_sections(file):
    """All of a configuration but its workload and its output. Throws StudyError."""
    tree = read_yaml(file, "nadi validate").plain()
    folder = file.parent.resolve()
    return {
        name: with_absolute_files(section, name, folder)
        for name, section in tree.items()
        if name not in ("workload", "output")
    }


def write_configuration(file, tree):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump(tree, sort_keys=False, default_flow_style=None, width=WIDE,
                                   allow_unicode=True), encoding="utf-8")


def predict_rows(subject):
    """The closed form with the parameters of the presets."""
    machine, rows = subject.machine, subject.compared.rows
    sizes = np.array([row.size for row in rows], float)
    planned = plan(machine, sizes)
    times = predict(machine, PresetValues(machine), sizes, planned)
    for row, time, (algorithm, protocol) in zip(rows, times, planned):
        row.backend, row.simulated = CLOSED_FORM, float(time)
        row.algorithm, row.protocol = algorithm, protocol
