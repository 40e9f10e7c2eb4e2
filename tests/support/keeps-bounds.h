// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-results.h"

namespace nadi::test
{

/// Whether the collective took at least as long as its bounds say, and the fabric bound is the
/// tighter of the two.
inline bool
KeepsBounds(const CollectiveResult& collective)
{
    const SimTime fabricBound = collective.fabricBound.value_or(collective.lowerBound);
    return collective.record.end - collective.record.start >= fabricBound &&
           fabricBound >= collective.lowerBound;
}

} // namespace nadi::test
