# SPDX-License-Identifier: GPL-2.0-only
"""What is kept of the points: `points/<id>/`, a result of the simulator or a failure.json.

A directory is complete when it gets its name, by a rename. So a process that is killed leaves no
half of a result.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import shutil
import tempfile

from .errors import UsageError

FINISHED = ("done", "stuck")
NOT_RUN = {"status": "not run", "exit_reason": "the sweep was interrupted"}
COST = ("wall_time_s", "peak_memory_bytes")


@dataclasses.dataclass
class Result:
    """The fields of summary.json as texts, or of a failure: status and exit_reason."""

    summary: dict

    @property
    def status(self):
        return self.summary["status"]

    @property
    def exit_code(self):
        """As text; empty or negative where the simulator had none."""
        return {"done": "0", "stuck": "4"}.get(self.status) or self.summary.get("exit_code", "")

    @property
    def is_finished(self):
        """Whether to run the point again would bring the same."""
        return self.status in FINISHED


class Store:
    """`of` is what the results are of, in `out / folder`: a sweep or a validation."""

    def __init__(self, out, of="sweep", folder="points"):
        self.out = out
        self.of = of
        self.points = out / folder

    def check(self):
        """Throws UsageError where `out` holds something else than such results."""
        if not self.out.exists():
            return
        if not self.out.is_dir():
            raise UsageError(f'"{self.out}" is not a directory; name another with --out')
        if any(self.out.iterdir()) and not self.points.is_dir():
            raise UsageError(
                f'"{self.out}" holds something else than the results of a {self.of}; name an empty '
                "or new directory with --out"
            )

    def prepare(self):
        try:
            self.points.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f'cannot write "{self.out}": {error.strerror}') from error

    @contextlib.contextmanager
    def lock(self):
        """Throws UsageError while another process has the lock; the system frees that of a dead
        one.        Requires: prepared."""
        with open(self.out / ".lock", "w", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UsageError(
                    f'another {self.of} is at work in "{self.out}"; wait for it, or name another '
                    "directory with --out"
                ) from error
            except OSError:
                pass  # a file system without locks
            yield

    def directory(self, point):
        return self.points / point.id

    def load(self, point):
        """The point's Result, or None where nothing is kept of it."""
        for name in ("summary.json", "failure.json"):
            fields = read_fields(self.directory(point) / name)
            if fields is not None:
                return Result(flatten(fields))
        return None

    def load_all(self, points):
        """A Result of each, in their order."""
        return [self.load(point) or Result(NOT_RUN) for point in points]

    def is_finished(self, point):
        result = self.load(point)
        return result is not None and result.is_finished

    def count_of_other_builds(self, version):
        """How many results are of a build that this version of the simulator does not name."""
        kept = (read_fields(file) for file in self.points.glob("*/summary.json"))
        return sum(fields is not None and fields.get("build", "?") not in version
                   for fields in kept)

    def forget(self, point):
        """What an earlier sweep kept of a point that it did not finish."""
        remove(self.directory(point))

    def clear_staging(self):
        """What simulators that were killed had begun. Requires: no point runs."""
        for path in self.points.glob(".*"):
            remove(path)

    def keep_failure(self, point, code, message):
        """Requires: no result of the point."""
        reason = f"exit {code}: {message}" if code != "" else message
        failure = {"status": "failed", "exit_code": code, "exit_reason": reason}
        staging = tempfile.mkdtemp(prefix=f".{point.id}.", dir=self.points)
        os.chmod(staging, 0o755)
        with open(os.path.join(staging, "failure.json"), "w", encoding="utf-8") as file:
            file.write(json.dumps(failure, indent=2) + "\n")
        self.forget(point)
        os.rename(staging, self.directory(point))


def read_fields(file):
    """Those of a result; None where the file has none."""
    try:
        fields = json.loads(file.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
    except (OSError, ValueError):
        return None
    is_result = isinstance(fields, dict) and isinstance(fields.get("status"), str)
    return fields if is_result else None


def remove(path):
    """A file or a directory, if it can be removed. If not, whoever needs the name will fail with a
    message."""
    shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        path.unlink()


def flatten(fields, prefix=""):
    """Texts by name: the fields of a mapping as `<name>.<field>`, the items of a list joined; empty
    for null, where a run had nothing to measure."""
    flat = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            items = value if isinstance(value, list) else [] if value is None else [value]
            flat[prefix + name] = " | ".join(map(str, items))
    return flat


def write_whole(file, text):
    """The file has either its old content or all of the new one. A link keeps leading to its file,
    and what is no file, such as /dev/null, is written to as it is."""
    file = file.resolve() if file.is_symlink() else file
    if file.exists() and not file.is_file():
        file.write_text(text, encoding="utf-8", newline="")
        return
    staging = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        staging.write_text(text, encoding="utf-8", newline="")
        os.replace(staging, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            staging.unlink()  # what a full disk took of it is of no use
        raise OSError(error.errno, error.strerror, str(file)) from error
