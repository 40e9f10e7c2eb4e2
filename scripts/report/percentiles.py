# SPDX-License-Identifier: GPL-2.0-only
"""Percentiles as figures of studies and the simulator have them."""

import numpy


def percentiles(values, shares):
    """Those of the nearest rank, so that each is one of the values. `shares` are in percent."""
    return numpy.percentile(values, shares, method="inverted_cdf")
