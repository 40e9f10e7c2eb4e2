# SPDX-License-Identifier: GPL-2.0-only
"""The page that puts runs side by side: each is held against the first one, the base."""

from .compared import collectives, configuration, finish_time, links, overview, ranks
from .html_page import write_page

SECTIONS = (finish_time, ranks, collectives, links)
NAMED = 3  # runs in the title


def write_comparison(file, comparisons, names, version):
    """Writes the page of comparisons with one base; `names` are those of all runs, the base's
    first.

    Throws UsageError and DamagedResult; nothing is written then."""
    title = title_of([comparisons[0].before, *(one.after for one in comparisons)])
    write_page(file, title, comparison_sections(comparisons, names), version, option="--report")


def comparison_sections(comparisons, names):
    runs = [comparisons[0].before, *(one.after for one in comparisons)]
    sections = [overview.make_section(runs, comparisons, names),
                configuration.make_section(comparisons, names)]
    for name, one in zip(names[1:], comparisons):
        suffix = f"-{name.lower()}" if len(comparisons) > 1 else ""
        if not one.is_same_outcome:
            sections += [module.make_section(one, (names[0], name), suffix) for module in SECTIONS]
    return sections


def title_of(runs):
    names = [run.path.resolve().name for run in runs]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    *first, last = [*names[:NAMED], *more]
    return f"Comparison of {', '.join(first)} and {last}"
