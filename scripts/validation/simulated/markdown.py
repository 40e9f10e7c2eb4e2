# SPDX-License-Identifier: GPL-2.0-only
"""The report as a page in Markdown. Rows of single tables stay in validation.csv."""

import textwrap

from ..page_parts import Figure, Grid, Heading, Items, Text

WIDTH = 100  # of a line of text


def make_markdown(parts):
    texts = [MAKERS[type(part)](part) for part in parts]
    return "\n\n".join(text for text in texts if text) + "\n"


def make_grid(grid):
    if grid.folded:
        return ""
    lines = [grid.heads, ["---"] * len(grid.heads), *grid.rows]
    return "\n".join("| " + " | ".join(cell(one) for one in line) + " |" for line in lines)


def cell(content):
    return str(content).replace("|", "\\|")


MAKERS = {
    Heading: lambda part: f"{'#' * part.level} {part.text}",
    Text: lambda part: textwrap.fill(part.text, WIDTH),
    Items: lambda part: "\n".join(f"* {line}" for line in part.lines),
    Grid: make_grid,
    Figure: lambda part: f"![{part.name}]({part.file.replace(' ', '%20')})",
}
