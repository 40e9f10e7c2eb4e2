# SPDX-License-Identifier: GPL-2.0-only
"""Reads fields of many protobuf messages at once, as arrays of numpy.

A timeline has up to two million messages. To decode one after the other takes too long in Python,
so that the n-th field of all messages is decoded together.
"""

import numpy

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # kinds of values on the wire
LONGEST_VARINT = 10


class Damaged(Exception):
    """The bytes are no such messages."""


def split_messages(data):
    """(starts, ends) of the messages that are field 1 of the whole, over and over."""
    starts, ends, at, size = [], [], 0, len(data)
    while at < size:
        if data[at] != 1 << 3 | BYTES:
            raise Damaged(f"byte {at} begins no packet")
        at, shift, length = at + 1, 0, 0
        while True:
            if at >= size or shift >= 7 * LONGEST_VARINT:
                raise Damaged("a length is cut off")
            byte = data[at]
            length |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                break
        starts.append(at)
        at += length
        ends.append(at)
    if at > size:
        raise Damaged("the last packet is cut off")
    return numpy.array(starts, numpy.int64), numpy.array(ends, numpy.int64)


def read_varints(data, at, ends):
    """(values, places behind them) of the varints that begin at these places."""
    values = numpy.zeros(len(at), numpy.uint64)
    at = at.copy()
    open_ones = numpy.arange(len(at))
    for number in range(LONGEST_VARINT):
        if (at[open_ones] >= ends[open_ones]).any():
            raise Damaged("a number is cut off")
        bytes_here = data[at[open_ones]].astype(numpy.uint64)
        values[open_ones] |= (bytes_here & numpy.uint64(0x7F)) << numpy.uint64(7 * number)
        at[open_ones] += 1
        open_ones = open_ones[bytes_here >= 0x80]
        if not open_ones.size:
            return values, at
    raise Damaged("a number has no end")


def read_fields(data, starts, ends, wanted):
    """{field: values} of messages. A value is the number, or the place where the bytes begin, and
    -1 where a message lacks the field; `{field: ends}` of bytes is in the second result. Of a
    field that repeats, the last one counts."""
    values = {field: numpy.full(len(starts), -1, numpy.int64) for field in wanted}
    stops = {field: numpy.full(len(starts), -1, numpy.int64) for field in wanted}
    at, live = starts.copy(), numpy.flatnonzero(starts < ends)
    while live.size:
        tags, places = read_varints(data, at[live], ends[live])
        found, behind = read_values(data, places, ends[live], tags & numpy.uint64(7))
        if (behind > ends[live]).any():
            raise Damaged("a field is cut off")
        for field in wanted:
            own = (tags >> numpy.uint64(3)) == field
            values[field][live[own]] = found[own]
            stops[field][live[own]] = behind[own]
        at[live] = behind
        live = live[behind < ends[live]]
    return values, stops


def read_values(data, places, ends, kinds):
    """(values, places behind them). Of bytes, the value is the place where they begin."""
    values, behind = places.copy(), places.copy()
    if not numpy.isin(kinds, (VARINT, FIXED64, BYTES, FIXED32)).all():
        raise Damaged("a field has an unknown kind")
    counted = numpy.isin(kinds, (VARINT, BYTES))
    numbers, after = read_varints(data, places[counted], ends[counted])
    are_bytes = kinds[counted] == BYTES
    values[counted] = numpy.where(are_bytes, after, numbers.astype(numpy.int64))
    behind[counted] = after + numpy.where(are_bytes, numbers.astype(numpy.int64), 0)
    behind[kinds == FIXED64] += 8
    behind[kinds == FIXED32] += 4
    return values, behind
