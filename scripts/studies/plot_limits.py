# SPDX-License-Identifier: GPL-2.0-only
"""What the values of a plot are held against: the `reference` of a study.

Limits of the simulated system, which follow from the results of each point, and values that a study
writes: a threshold, or what was measured.
"""

import functools
import math

from .quantities import CALL, FUNCTIONS, parse_quantity, unit_of

BOUND, RATE = "lower-bound", "line-rate"
NAMES = (BOUND, RATE)
BOUNDED = ("duration_ns", "algbw_GBps", "busbw_GBps")  # of collectives
OF_AN_NPU = ("collectives.algbw_GBps", "collectives.busbw_GBps", "flows.goodput_gbps")
OF_A_LINK = "series.rate_gbps"
NPU = r"npu\d+"
FUNCTIONS_OF_ONE = ("min", "max", "mean")  # of which a limit of one is a limit of all
GBPS = {"GB/s": 8.0, "Gb/s": 1.0}


def split(name):
    """(function, column) of max(table.column); ("", name) of what is no function of a column."""
    found = CALL.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def read_references(value, plot):
    """The texts of a study's `reference`: one, or a list. Throws StudyError."""
    items = value.items if value.items is not None else [value]
    return tuple(read_reference(item, plot) for item in items)


def read_reference(value, plot):
    text = value.scalar("plots: reference")
    if text in NAMES:
        problem = misfit(text, plot.values[0])
        if problem:
            value.fail(f"plots: reference: {problem}")
        return text
    unit = unit_of_values(plot)
    parsed = parse_quantity(text)
    if parsed is None or unit not in parsed[2]:
        example = f"10 {unit}".rstrip()
        value.fail(f'plots: reference: "{text}" is not valid; write {", ".join(NAMES)} or a value '
                   f"such as {example}")
    return text


def unit_of_values(plot):
    """As the results have them, or normalized."""
    return unit_of(plot.values[0]) if plot.normalize is None else ""


def misfit(reference, name):
    """Why a plot of this number cannot have this reference; "" where it can."""
    is_good = has_bound(name) if reference == BOUND else has_rate(name)
    if is_good:
        return ""
    columns = (f"collectives.{one}" for one in BOUNDED)
    known = ("finish_time_ns", *columns) if reference == BOUND else (*OF_AN_NPU, OF_A_LINK)
    return f"{name} has no {reference}; these have: {', '.join(known)}"


def has_bound(name):
    function, column = split(name)
    table, _, own = column.partition(".")
    is_known = table == "collectives" and own in BOUNDED
    return name == "finish_time_ns" or (is_known and function in FUNCTIONS_OF_ONE)


def has_rate(name):
    function, column = split(name)
    if column == OF_A_LINK and function == "sum":
        return True
    return column in (OF_A_LINK, *OF_AN_NPU) and function in ("", *FUNCTIONS_OF_ONE)


def words_of(reference, plot):
    """In a legend."""
    if reference == BOUND:
        is_time = unit_of(plot.values[0]) == "ns" and not plot.is_speedup
        return "lower bound" if is_time else "at the lower bound"
    return "line rate" if reference == RATE else reference


def reference_words(plot):
    return [words_of(reference, plot) for reference in plot.references]


def by_place(data, reference):
    """What the values are held against at each place: a row for each, as PlotData.by_place."""
    return data.by_place(reference, functools.partial(limit, data))


def curves(data, reference):
    """The rows of each series, {its label: rows}, or only those of the first where all are the
    same."""
    found = dict(list(by_place(data, reference).groupby("series", sort=False)))
    limits = [dict(zip(rows.place, rows.value.fillna(0.0))) for rows in found.values()]
    is_one = all(are_same(one, limits[0]) for one in limits)
    return dict(list(found.items())[:1]) if is_one else found


def are_same(some, others):
    """Whether they say the same of each place: tables give bandwidths with few digits."""
    return some.keys() == others.keys() and all(
        math.isclose(some[place], others[place], rel_tol=0.01) for place in some
    )


def distinct(data, reference):
    """The numbers that all points are held against, each once: for plots that have no places."""
    found = [limits(data, reference, point) for point in data.points]
    return list(dict.fromkeys(number for numbers in found for number in numbers))


def limit(data, point, reference):
    """The number that the value of a point is held against, or None."""
    return next(iter(limits(data, reference, point)), None)


def why_absent(plot):
    """Why no point has a limit."""
    if plot.values[0] == "finish_time_ns":
        return ("that of a finish is known where a point is one collective; write y: "
                "max(collectives.duration_ns)")
    return "no point has rows that it follows from"


def limits(data, reference, point):
    """As the values: normalized, or in the unit of the results. Of links one for each."""
    name = data.plot.values[0]
    if reference not in NAMES:
        number, unit, units = parse_quantity(reference)
        return [number * units[unit] / units[unit_of_values(data.plot)]]
    if not data.is_done(point):
        return []
    find = bounds if reference == BOUND else rates
    numbers = find(data.tables_of(point), name, data.plot.selection)
    normalized = [data.normalized(point, number) for number in numbers]
    return [number for number in normalized if number is not None]


def bounds(tables, name, selection):
    """Of the finish: where a point is one collective; several may be at work at once."""
    rows = tables.rows("collectives", selection)
    function, column = split(name)
    if not function:
        return list(rows.start_ns + rows.lower_bound_ns) if len(rows) == 1 else []
    if rows.empty:
        return []
    found = at_bound(rows[rows.lower_bound_ns > 0], column.partition(".")[2]).dropna().tolist()
    return [FUNCTIONS[function](found)] if found else []


def at_bound(rows, column):
    """A column of collectives that take no longer than their bounds. The bandwidths of those whose
    ranks bring different sizes are NaN."""
    if column == "duration_ns":
        return rows.lower_bound_ns
    return rows[column] * rows.duration_ns / rows.lower_bound_ns


def rates(tables, name, selection):
    """Of links: those that are chosen, parallel ones together. Else what the links of an NPU carry
    together, of the NPU that has least."""
    function, column = split(name)
    if column == OF_A_LINK:
        found = tables.links(selection)["sum"].tolist()
        return [FUNCTIONS[function](found)] if function and found else found
    links = tables.all("links")
    of_npus = links[links["from"].str.fullmatch(NPU)].groupby("from").bandwidth_gbps.sum()
    return [of_npus.min() / GBPS[unit_of(name)]] if len(of_npus) else []
