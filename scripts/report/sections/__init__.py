# SPDX-License-Identifier: GPL-2.0-only
"""The sections of a run's page: each module has `make_section(result)`, which returns a Section, or
None where the result has nothing of it to show."""
