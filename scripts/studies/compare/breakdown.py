# SPDX-License-Identifier: GPL-2.0-only
"""Where the difference of two finish times comes from, along the slowest rank of each run."""

import dataclasses

TOGETHER = "several types at once"
EXPOSED = "exposed communication"


@dataclasses.dataclass(frozen=True)
class Part:
    """Of the finish time, in ps in both runs."""

    name: str
    before: int
    after: int

    @property
    def difference(self):
        return self.after - self.before


@dataclasses.dataclass(frozen=True)
class Breakdown:
    """The parts of both runs add up to their finish times, exactly; so the differences of the parts
    add up to that of the times."""

    ranks: tuple
    before: int
    after: int
    parts: tuple

    @property
    def difference(self):
        return self.after - self.before


def compare_breakdowns(before, after):
    """Exposed communication is told by type where both runs know it."""
    types = [run.communication_by_type for run in (before, after)]
    own = [parts_of(run, kinds if None not in types else None)
           for run, kinds in zip((before, after), types)]
    names = list(dict.fromkeys([*own[0], *own[1]]))
    names.sort(key=lambda name: order_of(name))
    parts = tuple(Part(name, own[0].get(name, 0), own[1].get(name, 0)) for name in names)
    return Breakdown((before.slowest, after.slowest), before.finish, after.finish, parts)


def order_of(name):
    """Compute comes first, idle last."""
    return ["compute", EXPOSED, TOGETHER, "idle"].index(
        EXPOSED if name.startswith("exposed ") else name)


def parts_of(run, kinds):
    """{name: ps}. Where moments count for each of several types, the part that is counted too often
    is taken off again."""
    exposed = run.time("exposed_communication_ns")
    parts = {"compute": run.time("compute_ns")}
    if kinds is None:
        parts[EXPOSED] = exposed
    else:
        parts |= {f"exposed {kind}": time for kind, time in kinds.items()}
        if sum(kinds.values()) != exposed:
            parts[TOGETHER] = exposed - sum(kinds.values())
    return parts | {"idle": run.time("idle_ns")}
