# SPDX-License-Identifier: GPL-2.0-only
"""The report as one HTML file that needs no other: figures are in it."""

import base64
import html

from ..page_parts import Figure, Grid, Heading, Items, Text

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Validation</title><style>
body { font: 15px/1.45 sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 0.8rem 0; font-size: 13px }
th, td { padding: 0.15rem 0.6rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
th { background: #f3f3f3; position: sticky; top: 0 }
img { max-width: 44rem; width: 100% }
summary { cursor: pointer; color: #0072b2 }
</style></head><body>
"""


def make_html(parts, folder):
    """`folder` has the files of the figures."""
    return HEAD + "\n".join(make_part(part, folder) for part in parts) + "\n</body></html>\n"


def make_part(part, folder):
    if isinstance(part, Figure):
        return make_figure(part, folder)
    return MAKERS[type(part)](part)


def make_figure(part, folder):
    file = folder / part.file
    if not file.exists():
        return ""
    data = base64.b64encode(file.read_bytes()).decode()
    return f'<img alt="{html.escape(part.name)}" src="data:image/png;base64,{data}">'


def make_grid(grid):
    heads = "".join(f"<th>{html.escape(str(one))}</th>" for one in grid.heads)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(str(one))}</td>" for one in row) + "</tr>"
        for row in grid.rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    if grid.folded:
        return f"<details><summary>{html.escape(grid.folded)}</summary>{table}</details>"
    return table


def make_items(items):
    return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in items.lines) + "</ul>"


MAKERS = {
    Heading: lambda part: f"<h{part.level}>{html.escape(part.text)}</h{part.level}>",
    Text: lambda part: f"<p>{html.escape(part.text)}</p>",
    Items: make_items,
    Grid: make_grid,
}
