# SPDX-License-Identifier: GPL-2.0-only
"""The names below an axis: they do not touch each other, whatever their number and length."""

import math

from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

FONT_SIZE = 8
FLAT, SLANTED, UPRIGHT = 0, 30, 90  # degrees
LETTER = 0.7  # of the font's size: the width of the gap between two names
LINE = 1.3  # of the font's size: the height of a name
GROUP_GAP = 9  # points: the tick of a bar, and what is between its name and that of its group


def name_places(axes, names, places):
    """A tick at each of these places, with this name. Requires: places in their order."""
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_major_formatter(FixedFormatter(names))
    axes.xaxis.set_minor_locator(NullLocator())


def name_groups(axes, groups, bars, places):
    """A name below each bar of each group, and that of the group below them.

    `places` are the bars' in their order; the groups' are 0, 1, ...
    """
    name_places(axes, groups, range(len(groups)))
    axes.xaxis.remove_overlapping_locs = False  # that of a bar in the middle of its group
    axes.set_xticks(places, bars * len(groups), minor=True)
    axes.tick_params(axis="x", which="minor", labelsize=FONT_SIZE)
    axes.tick_params(axis="x", which="major", length=0)


def spread_names(axes, may_drop):
    """Turns names that would touch. What would touch still is left out, if `may_drop`.

    Requires: nothing will change the width of the axes.
    """
    axes.figure.tight_layout()
    if isinstance(axes.xaxis.get_minor_locator(), FixedLocator):
        spread_bars(axes)
    if isinstance(axes.xaxis.get_major_locator(), FixedLocator):
        spread_places(axes, may_drop)


def spread_bars(axes):
    """The names of their groups stand below all of theirs."""
    bars = names_of(axes, is_minor=True)
    if not turn_until_free(axes, bars, (FLAT, SLANTED, UPRIGHT)):
        widen(axes, bars)
    height = max(text.get_window_extent().height for text in bars) * 72 / axes.figure.dpi
    axes.tick_params(axis="x", which="major", pad=height + GROUP_GAP)


def widen(axes, texts):
    """Makes the figure so wide that these upright names are free of each other."""
    figure = axes.figure
    gap = min(place_of(right) - place_of(left) for left, right in zip(texts, texts[1:]))
    size = texts[0].get_fontsize() * figure.dpi / 72
    factor = 1.02 * LINE * size / gap
    width, height = figure.get_size_inches()
    of_axes = axes.get_window_extent().width / figure.dpi
    figure.set_size_inches(width + of_axes * (factor - 1), height)
    figure.tight_layout()
    figure.draw_without_rendering()


def spread_places(axes, may_drop):
    names = names_of(axes, is_minor=False)
    turns = (FLAT, SLANTED) if may_drop else (FLAT, SLANTED, UPRIGHT)
    if not turn_until_free(axes, names, turns) and may_drop:
        turn(axes, names, FLAT)
        drop_some(axes, names)


def names_of(axes, is_minor):
    """The texts that there are, from left to right."""
    axes.figure.draw_without_rendering()
    texts = [text for text in axes.get_xticklabels(minor=is_minor) if text.get_text()]
    return sorted(texts, key=place_of)


def turn_until_free(axes, texts, turns):
    """Whether they are free of each other with one of these turns, the first of which they take;
    else the last."""
    for degrees in turns:
        turn(axes, texts, degrees)
        if not any(do_touch(*pair, degrees) for pair in zip(texts, texts[1:])):
            return True
    return False


def turn(axes, texts, degrees):
    for text in texts:
        text.set_rotation(degrees)
        text.set_rotation_mode("anchor" if degrees else "default")
        text.set_horizontalalignment("right" if degrees else "center")
        text.set_verticalalignment("center" if degrees == UPRIGHT else "top")
    axes.figure.draw_without_rendering()


def do_touch(left, right, degrees):
    """Whether two names do, the right one of which is not left of the other."""
    size = left.get_fontsize() * left.figure.dpi / 72
    if degrees:
        return (place_of(right) - place_of(left)) * math.sin(math.radians(degrees)) < LINE * size
    return left.get_window_extent().x1 + LETTER * size > right.get_window_extent().x0


def place_of(text):
    """Of its tick, in dots."""
    return text.get_transform().transform(text.get_position())[0]


def drop_some(axes, texts):
    """Keeps the last name, and from the first on each that is free of those before it."""
    *others, last = texts
    kept = []
    for text in others:
        if not do_touch(text, last, FLAT) and not (kept and do_touch(kept[-1], text, FLAT)):
            kept.append(text)
    places = [text.get_position()[0] for text in [*kept, last]]
    name_places(axes, [text.get_text() for text in [*kept, last]], places)
