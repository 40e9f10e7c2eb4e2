# SPDX-License-Identifier: GPL-2.0-only
"""YAML as the simulator reads it: scalars stay text, and every value knows its line."""

import json

import yaml

from .errors import StudyError
from .yaml_loader import LimitedLoader, LimitError


class Value:
    """A mapping, a list or a text, and where it stands."""

    def __init__(self, file, node):
        self.where = f"{file}:{node.start_mark.line + 1}"
        self.items = None
        self.entries = None
        self.text = None
        if isinstance(node, yaml.MappingNode):
            self.entries = read_entries(file, node)
        elif isinstance(node, yaml.SequenceNode):
            self.items = [Value(file, item) for item in node.value]
        else:
            self.text = node.value

    def fail(self, problem):
        raise StudyError(self.where, problem)

    def mapping(self, what):
        """Its entries: {key: value}. An absent value is an empty mapping."""
        if self.text == "":
            return {}
        if self.entries is None:
            self.fail(f"{what} is no mapping; write key: value")
        return self.entries

    def list(self, what):
        if self.items is None:
            self.fail(f"{what} is no list; write [a, b] or a line - a for each")
        return self.items

    def scalar(self, what):
        if self.text is None:
            self.fail(f"{what} is no single value; write one word, number or quantity")
        return self.text

    def plain(self):
        """The same in dictionaries, lists and texts."""
        if self.entries is not None:
            return {key: value.plain() for key, value in self.entries.items()}
        if self.items is not None:
            return [value.plain() for value in self.items]
        return self.text


def read_entries(file, node):
    entries = {}
    for key, value in node.value:
        where = f"{file}:{key.start_mark.line + 1}"
        if not isinstance(key, yaml.ScalarNode):
            raise StudyError(where, "a key is a single word; quote keys with brackets inside {}")
        if key.value in entries:
            raise StudyError(where, f'"{key.value}" is given twice; remove one of them')
        entries[key.value] = Value(file, value)
        entries[key.value].where = where
    return entries


def read_yaml(file, where):
    """The root of a YAML file; `where` is the place that names it."""
    try:
        with open(file, encoding="utf-8") as stream:
            root = yaml.compose(stream, Loader=LimitedLoader)
    except OSError as error:
        raise StudyError(where, f'cannot read "{file}": {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise StudyError(str(file), "is not text in UTF-8; name a YAML file") from error
    except LimitError as error:
        raise StudyError(f"{file}:{error.problem_mark.line + 1}", error.problem) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{file}:{mark.line + 1}" if mark else str(file)
        problem = getattr(error, "problem", None) or "cannot be read"
        raise StudyError(place, f"is not valid YAML: {problem}; correct this line") from error
    if root is None:
        root = yaml.ScalarNode("tag:yaml.org,2002:null", "", yaml.Mark(str(file), 0, 0, 0, "", 0))
    return Value(file, root)


def inline(plain):
    """A plain value on one line: as it was written where it is a single one, else flow style."""
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def setting_text(plain):
    """A plain value as `--set` takes it: a text that YAML would read otherwise is quoted."""
    if not isinstance(plain, str):
        return inline(plain)
    try:
        node = yaml.compose("value: " + plain, Loader=LimitedLoader)
        same = node.value[0][1].value == plain and isinstance(node.value[0][1], yaml.ScalarNode)
    except (yaml.YAMLError, IndexError):
        same = False
    return plain if same else json.dumps(plain, ensure_ascii=False)
