# SPDX-License-Identifier: GPL-2.0-only
"""One set of pages and one browser for all tests that look at them. Both begin when they are first
needed, and end with the process."""

import atexit
import functools
import json
import re

from browser_bench import Page, start_browser, stop_browser
from report_bench import Results

KINDS = ("quickstart", "congestion", "stuck", "circle", "uneven", "interrupted", "sweep",
         "validation", "comparison")
FILE_OF = {"validation": "validation.html", "comparison": "comparison.html"}


@functools.cache
def results():
    made = Results()
    atexit.register(made.scratch.cleanup)
    return made


@functools.cache
def driver():
    started = start_browser()
    atexit.register(stop_browser, started)
    return started


@functools.cache
def folder(kind):
    return getattr(results(), kind)()


def file_of(kind):
    return folder(kind) / FILE_OF.get(kind, "report.html")


@functools.lru_cache(maxsize=1)
def open_page(kind):
    """The page as the tests before have left it, if they had it open last."""
    return Page(driver(), file_of(kind))


def data_of(kind):
    """What the scripts of a page draw."""
    text = file_of(kind).read_text(encoding="utf-8")
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1])
