# SPDX-License-Identifier: GPL-2.0-only
"""The parts of a report, whatever form it takes: headings, texts, lists, tables and figures."""

import dataclasses


@dataclasses.dataclass
class Heading:
    text: str
    level: int = 2


@dataclasses.dataclass
class Text:
    text: str


@dataclasses.dataclass
class Items:
    lines: list


@dataclasses.dataclass
class Grid:
    """`folded` where a page may hide it behind its title."""

    heads: list
    rows: list
    folded: str = ""


@dataclasses.dataclass
class Figure:
    name: str  # of a table
    file: str  # below the folder of the page
