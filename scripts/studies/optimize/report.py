# SPDX-License-Identifier: GPL-2.0-only
"""What an optimisation leaves and says: allocation.yaml, optimum.json, allocations.csv."""

import json

from .. import simulator
from ..simulator import set_options
from ..store import write_whole
from ..tables import csv_text
from .verification import End, settings_of

FILES = {
    "allocation.yaml": "the configuration, or its network, with the best bandwidths",
    "optimum.json": "the best bandwidths, their time, and how far the model was off",
    "allocations.csv": "every allocation, with its time by the model and in simulation",
    "plots": "time against cost",
    "points": "all files of each simulation",
}


class Report:
    """Of one optimisation. `search` is None where nothing could be simulated."""

    def __init__(self, study, inputs, optimum, candidates, search):
        self.study = study
        self.inputs = inputs
        self.optimum = optimum
        self.candidates = candidates
        self.search = search
        self.best = search.best if search and search.best else candidates[0]
        self.is_verified = bool(search and search.end is End.NONE_BETTER)

    def settings(self, candidate):
        return settings_of(self.study, self.inputs.dimensions, candidate.allocation)

    def fields(self):
        """Of optimum.json."""
        best, model = self.best, self.candidates[0]
        fields = {
            "bandwidths": [float(f"{one:.9g}") for one in best.allocation],
            "links": self.settings(best),
            "time_ns": best.model_time if best.time is None else best.time,
            "gap": self.optimum.gap,
            "verified": self.is_verified,
            "minimize": self.study.goal,
            "model": {"bandwidths": [float(f"{one:.9g}") for one in model.allocation],
                      "time_ns": model.model_time, "simulated_ns": model.time,
                      "error": error_of(model)},
        }
        if best.cost is not None:
            fields["cost"] = best.cost
        if self.search:
            fields["search_steps"] = self.search.rounds
        return fields

    def rows(self):
        for one in self.candidates:
            error = error_of(one)
            yield self.settings(one) | {
                "allocation": one.name,
                "allowed": "yes" if one.is_allowed else "no",
                "status": one.status,
                "cost": "" if one.cost is None else f"{one.cost:.6g}",
                "model_time_ns": f"{one.model_time:.3f}",
                "simulated_time_ns": "" if one.time is None else f"{one.time:.3f}",
                "model_error": "" if error is None else f"{error:.6f}",
            }

    def write(self, out, binary):
        columns = ["allocation", *self.settings(self.best), "cost", "model_time_ns",
                   "simulated_time_ns", "model_error", "allowed", "status"]
        write_whole(out / "allocations.csv", csv_text(columns, self.rows()))
        write_whole(out / "optimum.json", json.dumps(self.fields(), indent=2) + "\n")
        for name, text in self.configurations(binary):
            write_whole(out / name, text)

    def configurations(self, binary):
        """(name, text) of each configuration with the best bandwidths; without one, its network."""
        configs = [one.config for one in self.study.workloads if one.config]
        if not configs:
            yield "allocation.yaml", self.network()
        words = set_options([f"{path}={text}" for path, text in self.settings(self.best).items()])
        for number, config in enumerate(configs, start=1):
            name = "allocation.yaml" if number == 1 else f"allocation-{number}.yaml"
            yield name, simulator.ask(binary, "config", str(config), *words)

    def network(self):
        """A section `network`, as demands say nothing of a workload and of latencies."""
        links = list(self.settings(self.best).values())
        lines = [f"  - {{shape: {one.shape}, size: {one.size}, bandwidth: {link}}}"
                 for one, link in zip(self.inputs.dimensions, links)]
        return "# A section network: its latencies are still to be written.\n" + "\n".join(
            ["dimensions:", *lines]) + "\n"

    def lines(self, out):
        """What the terminal shows."""
        model, equal = self.candidates[:2]
        yield f"The model's best bandwidths for {self.study.goal}, proven within {self.gap_text()}"
        names = self.dimension_texts()
        for name, bandwidth in zip(names, model.allocation):
            yield f"  {name:{max(map(len, names))}} {bandwidth:10.3f} GB/s of an NPU"
        yield from self.time_lines("the optimum", model)
        yield from self.time_lines("the equal split", equal)
        yield from self.verdict()
        yield f"results: {out}"
        has = {"plots": self.best.cost is not None, "points": self.search is not None}
        for name, words in FILES.items():
            if has.get(name, True):
                yield f"  {name:16} {words}"

    def dimension_texts(self):
        return [f"dimension {number}, {one.shape}({one.size})"
                for number, one in enumerate(self.inputs.dimensions)]

    def gap_text(self):
        return "1e-09" if self.optimum.gap < 1e-9 else f"{self.optimum.gap:.1e}"

    def time_lines(self, name, candidate):
        simulated = "" if candidate.time is None else f", simulated {candidate.time / 1e6:.6g} ms"
        cost = "" if candidate.cost is None else f", {candidate.cost:.6g} $"
        yield f"{name}: {candidate.model_time / 1e6:.6g} ms by the model{simulated}{cost}"

    def verdict(self):
        if self.search is None:
            yield "Not verified: a file of demands cannot be simulated."
        elif self.search.end is End.NOT_ALL_SIMULATED:
            yield "Not verified: simulations failed or are missing; allocations.csv says which."
            if self.search.best:
                yield f"The best of those that were simulated: {self.best_text()}."
        elif self.search.end is End.OUT_OF_STEPS:
            yield (f"Not verified: the search stopped after {self.search.rounds} steps, and a "
                   "neighbour is still better.")
            yield f"The best of {len(self.candidates)} simulated allocations: {self.best_text()}."
        else:
            yield from self.verified_lines()

    def verified_lines(self):
        error, rounds = error_of(self.candidates[0]), self.search.rounds
        has_moved = self.best is not self.candidates[0]
        yield (f"Verified by {len(self.candidates)} simulated allocations"
               f"{'.' if has_moved else ': no neighbour is better.'} Simulation takes "
               f"{abs(error):.1%} {'longer' if error >= 0 else 'less'} than the model at its "
               "optimum.")
        if has_moved:
            yield (f"A neighbour of the model's optimum was better; after {rounds} "
                   f"step{'s' * (rounds > 1)}, at {self.best_text()}, no neighbour is.")

    def best_text(self):
        links = ", ".join(self.settings(self.best).values())
        return f"{links} of a link ({self.best.time / 1e6:.6g} ms)"


def error_of(candidate):
    """How much longer the simulation takes than the model says; None where it has no time."""
    if candidate.time is None or not candidate.model_time:
        return None
    return candidate.time / candidate.model_time - 1
