# SPDX-License-Identifier: GPL-2.0-only
"""A loader of YAML with the limits of the simulator's reader (configuration/yaml-reader.h).

They are far beyond what any file needs. They keep a file that is wrong, or made to do harm, from
taking all memory, or from nesting deeper than Python can call."""

import yaml

MOST_LEVELS = 64
MOST_REPEATED = 1_000_000


class LimitError(yaml.MarkedYAMLError):
    """The text is YAML, but not one that is read here."""

    def __init__(self, problem, mark):
        super().__init__(None, None, problem, mark)


class Extent:
    """How many values a value holds with itself, and how many levels of lists and mappings."""

    def __init__(self, count, levels):
        self.count = count
        self.levels = levels


class LimitedLoader(yaml.SafeLoader):
    """For yaml.compose. Throws LimitError for nesting deeper than 64 levels, an alias inside its
    own anchor, and aliases that repeat more than a million values."""

    def __init__(self, stream):
        super().__init__(stream)
        self.extents = {}  # by anchor: of values that are complete
        self.open = [Extent(0, 0)]  # of the lists and mappings around the next value
        self.repeated = 0

    def compose_node(self, parent, index):
        event = self.peek_event()
        is_alias = isinstance(event, yaml.AliasEvent)
        extent = self.extent_of_alias(event) if is_alias else Extent(1, 0)
        if isinstance(event, yaml.CollectionStartEvent):
            extent.levels = 1
        self.check_levels(extent, event)
        self.open.append(extent)
        node = super().compose_node(parent, index)
        self.open.pop()
        if not is_alias and event.anchor is not None:
            self.extents[event.anchor] = extent
        self.open[-1].count += extent.count
        self.open[-1].levels = max(self.open[-1].levels, 1 + extent.levels)
        return node

    def extent_of_alias(self, event):
        if event.anchor not in self.anchors:
            return Extent(1, 0)  # PyYAML refuses it
        if event.anchor not in self.extents:
            raise LimitError(
                "an alias stands inside its own anchor; write the values out", event.start_mark
            )
        extent = self.extents[event.anchor]
        self.repeated += extent.count
        if self.repeated > MOST_REPEATED:
            raise LimitError(
                "aliases repeat more than a million values; write out what is meant",
                event.start_mark,
            )
        return Extent(extent.count, extent.levels)

    def check_levels(self, extent, event):
        if len(self.open) - 1 + extent.levels > MOST_LEVELS:
            raise LimitError(f"nested deeper than {MOST_LEVELS} levels", event.start_mark)
