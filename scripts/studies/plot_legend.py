# SPDX-License-Identifier: GPL-2.0-only
"""What the looks in a figure stand for."""

from .plot_axes import last_words, without_folders
from .plot_limits import reference_words

LONGEST_INSIDE = {"bar": 5}  # lines of a legend that stands inside the axes
LONGEST = 8  # of the other kinds
LINE, FRAME = 12 / 216, 16 / 216  # heights, of that of the axes


def add_legend(axes, data):
    """What a reference stands for comes last."""
    if not has_legend(data.plot):
        return
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda i: labels[i] in reference_words(data.plot))
    entries = {"handles": [handles[i] for i in order], "labels": without_folders([labels[i] for i in order])}
    if is_inside(data.plot.kind.name, len(labels)):
        write(axes, data, entries)
    else:
        put_beside(axes, data, entries)


def has_legend(plot):
    return bool(plot.series or plot.references)


def put_beside(axes, data, entries):
    """For curves that may be anywhere."""
    write(axes, data, entries | {"loc": "upper left", "bbox_to_anchor": (1.01, 1)})


def write(axes, data, entries):
    title = ", ".join(last_words(data.plot.series))
    axes.legend(title=title or None, fontsize=8, title_fontsize=8, handlelength=3.2, **entries)


def is_inside(kind, lines):
    return lines <= LONGEST_INSIDE.get(kind, LONGEST)


def headroom(kind, lines, has_title=True):
    """How many times the height of the highest bar there is, for a legend of so many lines."""
    room = LINE * (lines + has_title) + FRAME if is_inside(kind, lines) else 0.05
    return 1 / (1 - room)
