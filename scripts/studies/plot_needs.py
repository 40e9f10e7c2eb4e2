# SPDX-License-Identifier: GPL-2.0-only
"""What plots need of the configurations of their points: checked before anything runs, as another
configuration is another point, which would have to run again."""

import collections.abc
import dataclasses

from .errors import StudyError
from .quantities import SEARCH_FIELDS, table_of


@dataclasses.dataclass(frozen=True)
class Need:
    """What some numbers need. `may_some_lack` says whether a plot of them may show points without
    it as well."""

    numbers: tuple  # tables, or fields of the summary
    words: str
    is_met: collections.abc.Callable  # of an effective configuration
    may_some_lack: bool = False


def serve_of(configuration):
    """The section workload.serve; {} without one."""
    return configuration["workload"].get("serve") or {}


NEEDS = (
    Need(("flows",), "output.flows: on", lambda one: one["output"]["flows"] == "on"),
    Need(("series",), "output.series: an interval, such as 10 us",
         lambda one: one["output"]["series"] != "none"),
    Need(("requests", "instances", "experts", "serving.throughput_in", "serving.throughput_out",
          "serving.goodput"), "a workload that serves (workload.serve)", serve_of, True),
    Need(("serving.goodput",), "workload.serve.slo", lambda one: serve_of(one).get("slo"), True),
)


def check_plots(study, points):
    """Throws StudyError where a plot shows no point, or what its points do not leave. Points that
    the simulator refuses have no configuration; they are told otherwise."""
    for plot in study.plots:
        if not any(map(plot.is_shown, points)):
            fail(plot, "where chooses no point; write values that one point has together")
        shown = [one for one in plot.needed(points) if one.configuration]
        for name in plot.numbers():
            if name in SEARCH_FIELDS and not study.search:
                fail(plot, f"{name} needs a study that searches; write search, or draw another "
                     "number")
            for need in NEEDS:
                if table_of(name) in need.numbers or name in need.numbers:
                    check_need(plot, name, need, shown)


def check_need(plot, name, need, points):
    lacking = [one for one in points if not need.is_met(one.configuration)]
    if not lacking:
        return
    if len(lacking) == len(points):
        fail(plot, f"{name} needs {need.words}; write it in the base, or leave the plot out")
    if not need.may_some_lack:
        fail(plot, f"{name} needs {need.words}, which {len(lacking)} of its {len(points)} points "
             f"lack, the first of them {lacking[0].describe()}; write it for these too, or show "
             "others with where")


def fail(plot, problem):
    raise StudyError(plot.where, f"plot {plot.name}: {problem}")
