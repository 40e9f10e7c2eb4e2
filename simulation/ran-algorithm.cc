// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/ran-algorithm.h"

namespace nadi
{

namespace
{

RanAlgorithm::Hindrance
FindHindrance(const CollectiveRecord& record)
{
    if (record.size != record.smallestSize || record.extremes)
    {
        return RanAlgorithm::Hindrance::UnevenSizes;
    }
    return record.lackedPlaces ? RanAlgorithm::Hindrance::BusySwitches
                               : RanAlgorithm::Hindrance::None;
}

} // namespace

RanAlgorithm
MakeRanAlgorithm(const CollectiveRecord& record)
{
    return {.type = record.type,
            .communicator = record.communicator,
            .algorithm = record.decision.algorithm,
            .unmet = record.decision.unmet,
            .hasUnseenSwitches = record.decision.hasUnseenSwitches,
            .hindrance = FindHindrance(record)};
}

} // namespace nadi
