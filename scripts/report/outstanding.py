# SPDX-License-Identifier: GPL-2.0-only
"""Which ranks differ from the others."""

import numpy

MEASURES = (("finish_ns", "finishes"), ("compute_ns", "computes"),
            ("exposed_communication_ns", "has exposed communication"), ("idle_ns", "is idle"),
            ("waited_for_ns", "lets the others wait"))  # fmt: skip
DEVIATIONS = 5  # of the median: a rank further away stands out
LEAST_SHARE = 0.01  # of the finish: less does not matter
RANKS_NAMED = 8


def find_outstanding(ranks, finish):
    """[(rank, what it does, its time, the median)] in ns, those furthest from the median first.

    The limit follows from the median and from the median distance to it, which a few ranks far away
    do not change."""
    found = []
    for column, words in MEASURES:
        if column not in ranks.columns:
            continue
        values = ranks[column].to_numpy(float)
        median = float(numpy.median(values))
        distance = numpy.abs(values - median)
        limit = max(DEVIATIONS * float(numpy.median(distance)), LEAST_SHARE * finish)
        found += [(int(ranks["rank"].iloc[row]), words, float(values[row]), median)
                  for row in numpy.flatnonzero(distance > limit)]
    found.sort(key=lambda one: -abs(one[2] - one[3]))
    return found
