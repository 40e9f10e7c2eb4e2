# SPDX-License-Identifier: GPL-2.0-only
"""What can be wrong with a directory of results."""

from ..errors import UserError


class DamagedResult(UserError):
    """A file of a result is not what the simulator writes."""

    def __init__(self, file, problem, remedy="run the simulation again"):
        super().__init__(f"{file}: {problem}; {remedy}")


class NewerResult(UserError):
    """A result of a version that this program does not know."""

    def __init__(self, file, version, own):
        super().__init__(f"{file}: was written by version {version}, which is newer than this "
                         f"program ({own}); use that version")
