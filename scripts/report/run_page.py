# SPDX-License-Identifier: GPL-2.0-only
"""The page of a run."""

from studies.results.result_directory import ResultDirectory

from .sections import (collectives, configuration, flows, network, series, serving, time_use,
                       timeline, verdict, waits)

SECTIONS = (verdict, waits, serving, time_use, collectives, timeline, network, series, flows)
DEFAULT_FILE = "report.html"


def run_sections(path, version, schema):
    """The sections of the result in the directory `path`, in their order.

    Throws UsageError, DamagedResult and NewerResult."""
    result = ResultDirectory(path, version)
    made = [module.make_section(result) for module in SECTIONS]
    return [*filter(None, made), configuration.make_section(result.configuration, schema)]
