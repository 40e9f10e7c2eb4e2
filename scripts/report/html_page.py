# SPDX-License-Identifier: GPL-2.0-only
"""Writes a page: the template with the sections, the data, and the scripts that draw it.

Nothing of a result is ever part of a script. Texts go through the template, which escapes them, and
data is JSON without the letters that could end its element. The policy of the page forbids all
requests and all scripts but the two that are named by their hash.
"""

import base64
import hashlib
import json
import pathlib

import jinja2
import markupsafe
import plotly.offline

from studies import palette
from studies.errors import UsageError
from studies.store import write_whole

FOLDER = pathlib.Path(__file__).parent / "page"
SCRIPTS = ("format.js", "table.js", "chart.js", "graph.js", "timeline.js", "explorer.js", "main.js")
UNSAFE = {letter: f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def write_page(file, title, sections, version, option="--out"):
    """The file has its old content or all of the new one. `option` is what names it on the command
    line. Throws UsageError where it cannot be written."""
    if str(file) == "-":
        raise UsageError(f'"-" would be a file of that name, as a page does not go to the standard '
                         f"output; name another with {option}, such as report.html")
    if file.exists() and not file.is_file():
        raise UsageError(f'"{file}" is no file that can be replaced; name another with {option}')
    try:
        write_whole(file, make_html(title, sections, version))
    except OSError as error:
        raise UsageError(f'cannot write "{file}": {error.strerror}; name another place with '
                         f"{option}") from error


def make_html(title, sections, version):
    loader = jinja2.FileSystemLoader(FOLDER)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True,
                                     undefined=jinja2.StrictUndefined, lstrip_blocks=True)
    library, script = plotly.offline.get_plotlyjs(), own_script()
    return environment.get_template("page.html.j2").render(
        title=title,
        sections=sections,
        version=version,
        policy=policy([library, script]),
        style=markupsafe.Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        data=markupsafe.Markup(to_json(data_of(sections))),
        library=markupsafe.Markup(library),
        script=markupsafe.Markup(script),
    )


def data_of(sections):
    """What the scripts draw, by the name of the part."""
    parts = [part for section in sections for part in section.parts if hasattr(part, "data")]
    names = [part.name for part in parts]
    assert len(set(names)) == len(names), f"names of parts repeat: {names}"
    return {"parts": {part.name: part.data() for part in parts},
            "palette": {"series": palette.SERIES, "shares": palette.SHARES}}


def to_json(data):
    """As the content of a script element: no letter in it begins or ends markup."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter, code in UNSAFE.items():
        text = text.replace(letter, code)
    return text.encode("utf-8", "replace").decode()


def own_script():
    sources = [(FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return '"use strict";\n(function () {\n' + "\n".join(sources) + "\n})();\n"


def policy(scripts):
    """No request to anywhere; only these scripts."""
    hashes = " ".join(f"'sha256-{hash_of(script)}'" for script in scripts)
    return (f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
            "img-src data: blob:; base-uri 'none'; form-action 'none'")


def hash_of(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
