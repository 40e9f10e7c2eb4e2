# SPDX-License-Identifier: GPL-2.0-only
"""When the operations of a recording began and ended, from its traces.

A trace of schema 1.0.0 is a sequence of protobuf messages with their lengths before them: its
metadata, then a message for each node. Only the type, the start and the duration of a node are of
interest here; all other fields are passed over.
"""

import dataclasses

from ..refusal import Refusal

TYPE, START, DURATION = 3, 6, 7  # numbers of the fields of a node
COLLECTIVE = 7  # the type of a node
VARINT, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5  # kinds of fields


@dataclasses.dataclass(frozen=True)
class RecordedTimes:
    """Of one rank, in us on the clock of its recording. `first_collective` is when its first
    collective ended, or None where it has none."""

    begin: int
    end: int
    first_collective: int | None

    @property
    def whole(self):
        return self.end - self.begin

    @property
    def after_first_collective(self):
        return None if self.first_collective is None else self.end - self.first_collective


def read_recorded_times(file):
    """Throws Refusal. Requires: a trace that the simulator has read or written."""
    nodes = [read_node(message) for message in list(messages(file.read_bytes()))[1:]]
    spans = [(start, start + duration, kind) for kind, start, duration in nodes]
    if not spans or max(end for _, end, _ in spans) == 0:
        raise Refusal(f"{file.name} has no recorded times; a recording needs starts and durations")
    ends = [(begin, end) for begin, end, kind in spans if kind == COLLECTIVE]
    return RecordedTimes(min(begin for begin, _, _ in spans), max(end for _, end, _ in spans),
                         min(ends)[1] if ends else None)


def messages(data):
    place = 0
    while place < len(data):
        size, place = read_varint(data, place)
        yield data[place:place + size]
        place += size


def read_node(message):
    """(type, start, duration); a number that the message lacks is 0."""
    found = {}
    place = 0
    while place < len(message):
        tag, place = read_varint(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            found[number], place = read_varint(message, place)
        elif kind == DELIMITED:
            size, place = read_varint(message, place)
            place += size
        else:
            place += {EIGHT_BYTES: 8, FOUR_BYTES: 4}[kind]
    return tuple(found.get(number, 0) for number in (TYPE, START, DURATION))


def read_varint(data, place):
    """(the number, the place behind it)."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
