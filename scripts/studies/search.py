# SPDX-License-Identifier: GPL-2.0-only
"""The largest value of a key at which a cluster that serves keeps its SLO, by bisection, for each
point of a study."""

import dataclasses

from .errors import StudyError
from .plot_needs import check_plots
from .points import Point, combinations, configure_all
from .search_spec import Search
from .store import Result

FOUND = "found"
FROM_FAILS = "not even at the least value"
TO_KEEPS = "still at the largest value"
FAILED = "a run failed"


def kept_share(result):
    """The share of requests that kept the SLO; None where a run has none."""
    summary = result.summary
    if result.status != "done" or "serving.goodput" not in summary:
        return None
    seconds = float(summary["serving.tokens_in"]) / float(summary["serving.throughput_in"])
    kept = round(float(summary["serving.goodput"]) * seconds)  # it is written with six digits
    return kept / int(summary["serving.requests"])


@dataclasses.dataclass
class Bracket:
    """What is known for one point of the study: `tried` holds {value: (point, result, share)}."""

    base: Point
    search: Search
    tried: dict = dataclasses.field(default_factory=dict)
    end: str = ""
    good: float = 0
    bad: float = 0

    def __post_init__(self):
        self.good, self.bad = self.search.first, self.search.last

    def values(self):
        """What is to be tried next; nothing at the end."""
        if self.end:
            return []
        if not self.tried:
            return [self.good, self.bad]
        return [self.search.middle(self.good, self.bad)]

    def point_at(self, value):
        text = self.search.text(value)
        return Point(self.base.coordinates | {self.search.key: text},
                     [*self.base.settings, f"{self.search.key}={text}"])

    def learn(self, value, point, result):
        share = kept_share(result)
        self.tried[value] = (point, result, share)
        if share is None:
            self.end, self.good = FAILED, value
        elif value == self.search.first and share < self.search.keep:
            self.end = FROM_FAILS
        elif value == self.search.last and share >= self.search.keep:
            self.good = self.good if self.end else value
            self.end = self.end or TO_KEEPS
        elif share >= self.search.keep:
            self.good = max(self.good, value)
        else:
            self.bad = min(self.bad, value)
        if not self.end and self.are_ends_known() and self.search.is_near(self.good, self.bad):
            self.end = FOUND

    def are_ends_known(self):
        return self.search.first in self.tried and self.search.last in self.tried

    def row(self):
        """(point, result) of the largest value that is good; with what the search says of it."""
        point, result, share = self.tried[self.good]
        told = {"search.end": self.end, "search.runs": str(len(self.tried))}
        if self.end == FOUND:
            told["search.found"] = str(self.good)
        if share is not None:
            told["search.kept"] = f"{share:.4f}"
        return point, Result(result.summary | told)


def run_search(study, ends, runner, store):
    """(points, results, whether nothing stopped it): a row for each point of the study. `ends` are
    its search_ends. Throws StudyError where a configuration has no SLO."""
    brackets, points = begin(study), ends
    with runner.one_cluster():
        while wanted := wanted_values(brackets):
            points = points or make_points(study, wanted, runner.simulator)
            missing = [point for point in points if not store.is_finished(point)]
            if missing and not runner.run_missing(missing, store):
                return [], [], False
            for (one, value), point in zip(wanted, points):
                one.learn(value, point, store.load(point))
            points = []
    rows = [one.row() for one in brackets]
    return [point for point, _ in rows], [result for _, result in rows], True


def search_ends(study, binary):
    """The points that are run in any case: each base at the least and at the largest value. Throws
    StudyError."""
    points = make_points(study, wanted_values(begin(study)), binary)
    check_plots(study, points)  # later points differ from these in the searched key alone
    return points


def begin(study):
    return [Bracket(base, study.search) for base in combinations(study)]


def wanted_values(brackets):
    """(bracket, value) of what is to be tried next."""
    return [(one, value) for one in brackets for value in one.values()]


def make_points(study, wanted, binary):
    points = [one.point_at(value) for one, value in wanted]
    configure_all(points, lambda _: study.base, binary)
    check_slo(study, points)
    return points


def check_slo(study, points):
    for point in points:
        serve = point.configuration["workload"].get("serve") if point.configuration else None
        if point.configuration and not (isinstance(serve, dict) and serve.get("slo")):
            raise StudyError(study.search.where, "search: the configuration has no "
                             "workload.serve.slo, which says what requests are to keep")
