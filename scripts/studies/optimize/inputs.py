# SPDX-License-Identifier: GPL-2.0-only
"""What a study's workloads ask for: their demands, the dimensions that they share, and the
bandwidths that the configurations give."""

import dataclasses
import pathlib
import tempfile

from .. import simulator
from ..errors import StudyError, UserError
from ..identity import parse
from .demands import read_demands
from .linear import rate_of


@dataclasses.dataclass
class Inputs:
    dimensions: tuple
    demands: list  # of each workload
    given: dict  # {dimension: GB/s of an NPU}, of the dimensions that are not chosen


class Refused(UserError):
    """What the simulator says of a configuration, with its exit code."""

    def __init__(self, done):
        super().__init__(simulator.message_of(done))
        self.code = done.returncode


def read_inputs(study, binary):
    """Throws StudyError, and Refused for a configuration that cannot run."""
    demands = [read_workload(workload, binary) for workload in study.workloads]
    dimensions = demands[0].dimensions
    for workload, one in zip(study.workloads, demands):
        if one.dimensions != dimensions:
            raise StudyError(workload.where, f"optimize: workloads: {workload.name} has other "
                             f"dimensions than {study.workloads[0].name}: {told(one.dimensions)}, "
                             f"not {told(dimensions)}; use one network")
    check_dimensions(study, len(dimensions))
    return Inputs(dimensions, demands, given_bandwidths(study, dimensions, binary))


def told(dimensions):
    return " x ".join(f"{one.shape}({one.size})" for one in dimensions)


def read_workload(workload, binary):
    if workload.demands:
        return read_demands(workload.demands, workload.where)
    with tempfile.TemporaryDirectory(prefix="nadi-demands-") as scratch:
        file = pathlib.Path(scratch, "demands.json")
        done = simulator.start(binary, "check", str(workload.config), "--demands", str(file))
        if done.returncode != 0:
            raise Refused(done)
        return read_demands(file, workload.where)


def check_dimensions(study, count):
    named = [*study.dimensions, *(key for one in study.constraints for key in one.weights)]
    if max(named) >= count:
        raise StudyError(study.where, f"optimize: there is no network.dimensions[{max(named)}]; "
                         f"the workloads have dimensions 0 to {count - 1}")
    if study.prices is not None and len(study.prices) != count:
        raise StudyError(study.where, f"optimize: tiers: has {len(study.prices)} entries; write "
                         f"{count}, one for each dimension")


def given_bandwidths(study, dimensions, binary):
    missing = [one for one in range(len(dimensions)) if one not in study.dimensions]
    configs = [one for one in study.workloads if one.config]
    if missing and not configs:
        raise StudyError(study.where, f"optimize: bandwidths: network.dimensions[{missing[0]}]"
                         ".bandwidth is missing; demands say nothing of it")
    given = {}
    for workload in configs:
        links = link_bandwidths(workload, binary)
        for dimension in missing:
            own = links[dimension] * dimensions[dimension].links
            if given.setdefault(dimension, own) != own:
                raise StudyError(workload.where, f"optimize: workloads: {workload.name} has another"
                                 f" network.dimensions[{dimension}].bandwidth; choose it, or use "
                                 "one network")
    return given


def link_bandwidths(workload, binary):
    """Of a link of each dimension, in GB/s."""
    done = simulator.start(binary, "config", str(workload.config))
    if done.returncode != 0:
        raise Refused(done)
    network = parse(done.stdout)["network"]
    if "dimensions" not in network:
        raise StudyError(workload.where, f"optimize: workloads: the network of {workload.name} has "
                         "no dimensions; describe it with network.dimensions")
    return [rate_of(one["bandwidth"]) for one in network["dimensions"]]
