# SPDX-License-Identifier: GPL-2.0-only
"""A table of measured iterations: each row simulated from a generated model.

Nothing tells how fast the kernels of these iterations were, so one compute speed is fitted to all
rows. A second fit adds the time of the host: a fixed time for each pass of a layer, which no key of
a configuration has, and which is added to the simulated time. A third one predicts plans with
pipeline stages from those without: a speed for each size of micro-batch.
"""

from ..refusal import Refusal
from .compared import ComparedIteration, ComparedTraining
from .fit import Fitted, SimulatedTimes, fit, predict, predict_unseen
from .plan import read_plans
from .runs import Interrupted

FIRST_SPEEDS = (200.0, 50.0)  # TFLOP/s; the others follow from the fits
NEAR = 0.005  # a share: a speed as near as that to a simulated one is not simulated again
MOST_ROUNDS = 6
NS_PER_MS = 1e6
FEWEST_ROWS = 3  # for two numbers and a row that is left out


def compare_training(description, runs):
    """Throws Interrupted."""
    compared = ComparedTraining(description.name, description.what)
    try:
        fill(compared, description, runs)
    except Refusal as refusal:
        compared.message = str(refusal)
    return compared


def fill(compared, description, runs):
    plans, others = read_plans(description.table, description.cluster)
    compared.notes = [f"cluster {name}: {description.left_out.get(name, 'not described')}"
                      for name in others]
    compared.rows = [ComparedIteration(plan, measured) for plan, measured in plans]
    simulation = TrainingSimulation(description, runs, compared.rows)
    simulation.simulate(FIRST_SPEEDS)
    alone, with_host = fit_speeds(simulation)
    compared.speed = simulation.nearest(alone.speed)
    compared.speed_with_host, compared.host = simulation.nearest(with_host.speed), with_host.host
    compared.speeds = fit_micro_batches(simulation)
    tell(compared, simulation)


def fit_speeds(simulation):
    """(the fit of the speed alone, that with the host), at simulated speeds. Throws Refusal."""
    for _ in range(MOST_ROUNDS):
        rows = simulation.done()
        check_enough(rows, simulation.rows)
        times = simulation.times(rows)
        fits = [fit(times, *columns(rows), with_host=one) for one in (False, True)]
        speeds = [one.speed for one in fits] + list(fit_micro_batches(simulation).values())
        if all(simulation.is_near(one) for one in speeds):
            break
        simulation.simulate([rounded(one) for one in speeds])
    return fits


def fit_micro_batches(simulation):
    """{size of a micro-batch: the speed in TFLOP/s that fits its rows without stages}."""
    rows = simulation.done()
    times = simulation.times(rows)
    found = {}
    for size in sorted({row.plan.micro_batch for row in rows}):
        single = [place for place, row in enumerate(rows)
                  if row.plan.micro_batch == size and row.plan.pp == 1]
        if single:
            found[size] = fit(times, *columns(rows), single).speed
    return found


def tell_staged(compared, rows, times):
    """Writes the times of rows with stages, by the speed of their micro-batches."""
    for place, row in enumerate(rows):
        speed = compared.speeds.get(row.plan.micro_batch)
        if row.plan.pp > 1 and speed is not None:
            row.by_micro_batch = float(predict(times, Fitted(speed), columns(rows)[1])[place])


def check_enough(rows, all_rows):
    """Throws Refusal where too few rows could be simulated, with the reason of the first."""
    if len(rows) < FEWEST_ROWS:
        reasons = [f": {row.plan.describe()}: {row.message}" for row in all_rows if row.message]
        raise Refusal(f"{len(rows)} of {len(all_rows)} rows could be simulated, and a fit needs "
                      f"{FEWEST_ROWS}{''.join(reasons[:1])}")


def tell(compared, simulation):
    """Writes the times into the rows."""
    rows = simulation.done()
    times = simulation.times(rows)
    unseen = predict_unseen(times, *columns(rows))
    unseen_with_host = predict_unseen(times, *columns(rows), with_host=True)
    for row, one, other in zip(rows, unseen, unseen_with_host):
        host = compared.host * row.plan.layer_passes
        row.simulated = simulation.found[compared.speed][id(row)]
        row.with_host = simulation.found[compared.speed_with_host][id(row)] + host
        row.unseen, row.with_host_unseen = one, other
    tell_staged(compared, rows, times)


def columns(rows):
    """(measured times, passes of layers)."""
    return [row.measured for row in rows], [row.plan.layer_passes for row in rows]


def rounded(speed):
    """To three digits, so that a run is found again."""
    return float(f"{speed:.3g}")


class TrainingSimulation:
    """The rows of one table, simulated with several speeds."""

    def __init__(self, description, runs, rows):
        self.description = description
        self.runs = runs
        self.rows = rows
        self.found = {}  # {speed: {identity of a row: ms}}

    def simulate(self, speeds):
        """Throws Interrupted."""
        points = {}
        for speed in speeds:
            if speed in self.found:
                continue
            self.found[speed] = {}
            points |= {(speed, id(row)): point for row in self.rows if not row.message
                       and (point := self.point_of(row, speed))}
        if not self.runs.run(points.values()):
            raise Interrupted
        for row in self.rows:
            self.read(row, points)

    def done(self):
        """The rows that could be simulated with all speeds so far."""
        return [row for row in self.rows if not row.message]

    def read(self, row, points):
        """Writes the times of one row, or why it has none."""
        for (speed, identity), point in points.items():
            if identity != id(row) or row.message:
                continue
            try:
                finish = self.runs.summary(point)["finish_time_ns"]
                self.found[speed][id(row)] = float(finish) / NS_PER_MS
            except Refusal as refusal:
                row.message = str(refusal)

    def point_of(self, row, speed):
        """None where the simulator refuses the row, which then has the message."""
        description, plan = self.description, row.plan
        settings = [*description.settings, f"system.compute.peak={speed:g} TFLOP/s"]
        if description.nodes_key:
            settings.append(f"{description.nodes_key}={plan.nodes}")
        name = f"{description.name}/{plan.describe().replace(' ', '-')}"
        base = self.runs.write_base(name, {"generate": description.model | plan.workload()},
                                    description.sections)
        coordinates = {"training": description.name, "plan": plan.describe(),
                       "speed": f"{speed:g} TFLOP/s"}
        try:
            return self.runs.make_point(base, coordinates, settings)
        except Refusal as refusal:
            row.message = str(refusal)
            return None

    def times(self, rows):
        return SimulatedTimes({speed: [found[id(row)] for row in rows]
                               for speed, found in self.found.items()})

    def nearest(self, speed):
        return min(self.found, key=lambda one: abs(one / speed - 1))

    def is_near(self, speed):
        return abs(self.nearest(speed) / speed - 1) <= NEAR
