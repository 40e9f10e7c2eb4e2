# SPDX-License-Identifier: GPL-2.0-only
"""The YAML file that describes a recording, or a table of measured iterations.

Descriptions are written for Nadi, so an unknown key is an error, unlike in a side file.
"""

import dataclasses
import pathlib

from studies.errors import StudyError, suggest
from studies.points import with_absolute_files
from studies.yaml_tree import read_yaml

from ..refusal import Refusal

RANK = "{rank}"
KINDS = ("recording", "training")
OF_ALL = ("what", "system", "network", "set")
OF_RECORDING = ("recording", "host-pace", "align-clocks", *OF_ALL)
OF_TRAINING = ("training", "cluster", "model", "nodes-key", "left-out", *OF_ALL)


class Absent(Refusal):
    """What a description names is not there."""


@dataclasses.dataclass(frozen=True)
class Recording:
    """`traces` is a path with {rank}; `host_pace` and `align_clocks` say which options of
    `nadi trace convert --from chakra` are used; `sections` are those of a configuration but the
    workload, and `settings` what --set changes in them."""

    name: str
    what: str
    traces: pathlib.Path
    host_pace: bool
    align_clocks: bool
    sections: dict
    settings: list


@dataclasses.dataclass(frozen=True)
class Training:
    """`model` are the keys of workload.generate that all rows share. `nodes_key` is the key of the
    network that takes the number of nodes of a row, or empty. `left_out` says of other clusters of
    the table why they are not simulated."""

    name: str
    what: str
    table: pathlib.Path
    cluster: str
    model: dict
    nodes_key: str
    left_out: dict
    sections: dict
    settings: list


def is_description(file):
    """Whether a YAML file has a key that only descriptions have. What cannot be read may be one:
    reading it as one tells why."""
    try:
        entries = read_yaml(file, file.name).entries
    except StudyError:
        return True
    return entries is not None and any(kind in entries for kind in KINDS)


def read_description(file, data=None):
    """A Recording or a Training. What it names is looked for beside it, then below `data`.

    Throws Refusal with one line, and Absent where what it names is not there."""
    try:
        return read_entries(file, read_yaml(file, file.name).mapping("the description"), data)
    except StudyError as error:
        raise Refusal(str(error)) from error


def read_entries(file, entries, data):
    kinds = [kind for kind in KINDS if kind in entries]
    if len(kinds) != 1:
        raise Refusal(f"{file.name}: it has both recording and training; write two files")
    if kinds == ["recording"]:
        return read_recording(file, entries, data)
    return read_training(file, entries, data)


def read_recording(file, entries, data):
    check_keys(file, entries, OF_RECORDING, ("recording", "system", "network"))
    traces = entries["recording"].scalar("recording")
    if RANK not in traces:
        entries["recording"].fail(f"recording has no {RANK}, which stands for 0, 1, and so on")
    return Recording(traces=find(traces, file, data),
                     host_pace=read_switch(entries, "host-pace"),
                     align_clocks=read_switch(entries, "align-clocks"), **shared_of(file, entries))


def read_training(file, entries, data):
    check_keys(file, entries, OF_TRAINING, ("training", "cluster", "model", "system", "network"))
    return Training(
        table=find(entries["training"].scalar("training"), file, data),
        cluster=entries["cluster"].scalar("cluster"),
        model=entries["model"].mapping("model") and entries["model"].plain(),
        nodes_key=text_of(entries, "nodes-key"),
        left_out={key: value.scalar(key) for key, value in mapping_of(entries, "left-out").items()},
        **shared_of(file, entries),
    )


def shared_of(file, entries):
    """The fields that both kinds have."""
    folder = file.parent.resolve()
    settings = [f"{key}={with_absolute_files(value.scalar(key), key, folder)}"
                for key, value in mapping_of(entries, "set").items()]
    return {
        "name": file.stem,
        "what": text_of(entries, "what"),
        "sections": {name: with_absolute_files(entries[name].plain(), name, folder)
                     for name in ("system", "network")},
        "settings": settings,
    }


def check_keys(file, entries, known, required):
    for key, value in entries.items():
        if key not in known:
            value.fail(f'unknown key "{key}"{suggest(key, known)}')
    missing = [key for key in required if key not in entries]
    if missing:
        raise Refusal(f"{file.name}: {missing[0]} is missing; a description needs "
                      f"{', '.join(required)}")


def find(path, file, data):
    """The file that stands beside the description, or below the folder of data. Throws Absent."""
    for folder in (file.parent, data):
        if folder and (folder / path.replace(RANK, "0")).is_file():
            return (folder / path).resolve()
    raise Absent(f"there is no {path} beside it or below the folder of --data")


def read_switch(entries, key):
    text = text_of(entries, key) or "off"
    if text not in ("on", "off"):
        entries[key].fail(f'{key} "{text}" is not valid; write on or off')
    return text == "on"


def text_of(entries, key):
    return entries[key].scalar(key) if key in entries else ""


def mapping_of(entries, key):
    return entries[key].mapping(key) if key in entries else {}
