# SPDX-License-Identifier: GPL-2.0-only
"""Reads the tracks and slices of timeline.pftrace, the format of Perfetto."""

import dataclasses

import numpy

from studies.results.problems import DamagedResult

from .protobuf import Damaged, read_fields, split_messages

# The numbers of fields.
TIMESTAMP, EVENT, INTERNED, DESCRIPTOR = 8, 11, 12, 60  # of a packet
EVENT_TYPE, EVENT_TRACK, EVENT_NAME = 9, 11, 10
TRACK_ID, TRACK_NAME, TRACK_PROCESS, TRACK_PARENT = 1, 2, 3, 5
PROCESS_NAME = 6
EVENT_NAMES = 2  # of interned data
NAME_ID, NAME_TEXT = 1, 2
SLICE_BEGIN, SLICE_END = 1, 2


@dataclasses.dataclass
class Slices:
    """What the tracks show: arrays with an entry for each slice, sorted by track and start. Times
    are in ns; `name` is an index of `names`."""

    track: numpy.ndarray
    start: numpy.ndarray
    end: numpy.ndarray
    name: numpy.ndarray
    names: list


@dataclasses.dataclass
class Trace:
    """`processes`: {id: name}; `tracks`: {id: (process, name)}."""

    processes: dict
    tracks: dict
    slices: Slices


def read_trace(file):
    """Throws DamagedResult."""
    try:
        return decode(file.read_bytes())
    except Damaged as error:
        raise DamagedResult(file, f"is no timeline, or is cut off ({error})") from error


def decode(raw):
    data = numpy.frombuffer(raw, numpy.uint8)
    starts, ends = split_messages(raw)
    packets, stops = read_fields(data, starts, ends, (TIMESTAMP, EVENT, INTERNED, DESCRIPTOR))

    def inner(field, wanted):
        own = packets[field] >= 0
        return own, read_fields(data, packets[field][own], stops[field][own], wanted)

    processes, tracks = read_tracks(raw, data, inner)
    codes, names = read_names(raw, data, inner)
    own, (events, _) = inner(EVENT, (EVENT_TYPE, EVENT_TRACK, EVENT_NAME))
    slices = make_slices(packets[TIMESTAMP][own], events, codes, names)
    return Trace(processes, tracks, slices)


def read_tracks(raw, data, inner):
    _, (fields, stops) = inner(DESCRIPTOR, (TRACK_ID, TRACK_NAME, TRACK_PROCESS, TRACK_PARENT))
    are_processes = fields[TRACK_PROCESS] >= 0
    named, ends = read_fields(data, fields[TRACK_PROCESS][are_processes],
                              stops[TRACK_PROCESS][are_processes], (PROCESS_NAME,))
    process_names = texts_of(raw, named[PROCESS_NAME], ends[PROCESS_NAME])
    processes = dict(zip(fields[TRACK_ID][are_processes].tolist(), process_names))
    tracks = {}
    names = texts_of(raw, fields[TRACK_NAME], stops[TRACK_NAME])
    for track, parent, name in zip(fields[TRACK_ID].tolist(), fields[TRACK_PARENT].tolist(), names):
        if parent in processes:
            tracks[track] = (parent, name)
    return processes, tracks


def read_names(raw, data, inner):
    """(the index in the list by the number in the file, list). A packet brings at most one name of
    an event, since names are written with the first event that has them."""
    _, (fields, stops) = inner(INTERNED, (EVENT_NAMES,))
    own = fields[EVENT_NAMES] >= 0
    found, ends = read_fields(data, fields[EVENT_NAMES][own], stops[EVENT_NAMES][own],
                              (NAME_ID, NAME_TEXT))
    names = texts_of(raw, found[NAME_TEXT], ends[NAME_TEXT])
    codes = numpy.full(max(found[NAME_ID].max(initial=0) + 1, 1), -1, numpy.int64)
    codes[found[NAME_ID]] = numpy.arange(len(names))
    return codes, names


def texts_of(raw, starts, ends):
    return [raw[start:end].decode("utf-8", "replace") if start >= 0 else ""
            for start, end in zip(starts.tolist(), ends.tolist())]


def make_slices(times, events, codes, names):
    """Slices of a track follow one another, so that the n-th begin of a track has its n-th end."""
    begins, ends = (numpy.flatnonzero(events[EVENT_TYPE] == kind)
                    for kind in (SLICE_BEGIN, SLICE_END))
    begins, ends = (own[numpy.argsort(events[EVENT_TRACK][own], kind="stable")]
                    for own in (begins, ends))
    tracks = events[EVENT_TRACK][begins]
    if len(begins) != len(ends) or (tracks != events[EVENT_TRACK][ends]).any():
        raise Damaged("a slice has no end")
    ids = events[EVENT_NAME][begins]
    if ids.size and (ids.min() < 0 or ids.max() >= len(codes)):
        raise Damaged("a slice has no name")
    return Slices(tracks, times[begins], times[ends], codes[ids], names)
