# SPDX-License-Identifier: GPL-2.0-only
"""A comparison as the terminal shows it."""

from ..quantities import readable_unit
from ..simulator import one_line

COLLECTIVES, LINKS, KEYS = 8, 5, 20  # lines at most
WIDEST = 48  # of a name
LEAST_POINTS = 0.05  # of utilization, in percentage points: less is rounded to nothing
COUNT_WORDS = {"bytes": "bytes carried", "packets": "data frames", "ecn_marks": "ECN marks",
               "pauses": "pauses", "drops": "frames dropped",
               "retransmitted_bytes": "bytes sent again"}


def describe(comparison, names):
    """The lines; `names` are those of the two runs, such as A and B."""
    if comparison.is_same_outcome and not comparison.keys:
        yield f"{names[0]} and {names[1]} are the same: nothing differs."
        return
    yield from configuration_lines(comparison.keys, names)
    yield from (f"note: {note}" for note in comparison.notes)
    if comparison.is_same_outcome:
        yield "\nThe outcome is the same: every time and every counter of a link."
        return
    yield from breakdown_lines(comparison.breakdown, names)
    yield from collectives_lines(comparison.collectives, names)
    yield from links_lines(comparison.links, names)


def configuration_lines(keys, names):
    if not keys:
        yield "The configurations are the same."
        return
    yield f"Configuration: {count_text(len(keys), 'key')} differ{'s' * (len(keys) == 1)}"
    rows = [("key", *names)]
    rows += [(one.key, one.before or "-", one.after or "-") for one in keys[:KEYS]]
    yield from table(rows, left=3)
    if len(keys) > KEYS:
        yield f"  ... and {len(keys) - KEYS} more; --json has all of them"


def breakdown_lines(breakdown, names):
    ranks = breakdown.ranks
    yield (f"\nWhere the difference of {time_text(breakdown.difference)} comes from, along the "
           f"slowest ranks ({names[0]}: {ranks[0]}, {names[1]}: {ranks[1]})")
    rows = [("part", *names, "difference")]
    rows += [(one.name, time_text(one.before), time_text(one.after), signed(one.difference))
             for one in breakdown.parts]
    rows.append(("finish time", time_text(breakdown.before), time_text(breakdown.after),
                 f"{signed(breakdown.difference)}{share_text(breakdown)}"))
    yield from table(rows)


def share_text(breakdown):
    if not breakdown.before:
        return ""
    return f" ({breakdown.difference / breakdown.before:+.1%})"


def collectives_lines(collectives, names):
    yield f"\nCollectives: {count_text(len(collectives.matches), 'match', 'match')}{{}}".format(
        unmatched(collectives, names))
    if not collectives.matches:
        return
    rows = [("type", "calls", *names, "difference")]
    rows += [(one.type, f"{one.count}", time_text(one.before), time_text(one.after),
              signed(one.after - one.before)) for one in collectives.totals]
    yield from table(rows)
    changed = [one for one in collectives.matches if one.difference]
    if changed:
        rows = [("largest changes", "type", "communicator", *names, "difference")]
        rows += [(numbered_name(one), one.type, one.communicator, time_text(one.before),
                  time_text(one.after), signed(one.difference)) for one in changed[:COLLECTIVES]]
        yield from table(rows, left=2)


def numbered_name(one):
    place = f" #{one.occurrence}" if one.occurrence else ""
    return short(one.name) + place


def links_lines(links, names):
    yield f"\nLinks: {count_text(len(links.matches), 'match', 'match')}{unmatched(links, names)}"
    rows = [("all links", *names, "difference")]
    rows += [(COUNT_WORDS[name], f"{old}", f"{new}", f"{new - old:+}")
             for name, (old, new) in links.totals.items() if old or new]
    rows.append(("busiest", *(one and f"{one[0]} -> {one[1]} {one[2]:.1%}" or "-"
                              for one in links.busiest), ""))
    yield from table(rows)
    changed = [one for one in links.matches if abs(one.difference) >= LEAST_POINTS / 100]
    if changed:
        rows = [("largest changes", *(f"used in {name}" for name in names), "difference")]
        rows += [(f"{short(one.source)} -> {short(one.target)}", f"{one.utilizations[0]:.1%}",
                  f"{one.utilizations[1]:.1%}", f"{100 * one.difference:+.1f} points")
                 for one in changed[:LINKS]]
        yield from table(rows)


def unmatched(found, names):
    told = [f"{count} only in {name}" for count, name
            in zip((found.only_before, found.only_after), names) if count]
    return "".join(f", {words}" for words in told)


def count_text(count, word, several=None):
    return f"{count} {word if count == 1 else several or word + 's'}"


def time_text(picoseconds):
    """With four digits: "479.2 us"."""
    nanoseconds = picoseconds / 1000
    unit, size = readable_unit("x_ns", [nanoseconds])
    return f"{nanoseconds / size:.4g} {unit}" if picoseconds else "0 ns"


def signed(picoseconds):
    return "+" * (picoseconds > 0) + time_text(picoseconds)


def short(name):
    """Names come from traces, which may hold anything."""
    name = one_line(str(name))
    return name if len(name) <= WIDEST else name[:WIDEST - 3] + "..."


def table(rows, left=1):
    """Lines whose columns stand below each other; the first `left` of them begin at the left."""
    rows = [[short(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [f"{text:{'<' if place < left else '>'}{width}}"
                 for place, (text, width) in enumerate(zip(row, widths))]
        yield ("  " + "  ".join(cells)).rstrip()
