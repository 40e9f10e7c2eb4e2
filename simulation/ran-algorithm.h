// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-record.h"

#include <cstdint>
#include <string>

namespace nadi
{

/// What collectives of one type ran in one group of ranks, and what kept them from what the user
/// asked for. Calls that agree in all of it count once, so that a run has few of these, however
/// long it is.
struct RanAlgorithm
{
    /// What made a call run another algorithm than its type has.
    enum class Hindrance : uint8_t
    {
        None,        ///< none that a call can have: it follows from the group alone
        UnevenSizes, ///< its ranks brought different sizes
        BusySwitches ///< no switch had a place for it
    };

    CollectiveType type = CollectiveType::AllReduce;
    CommunicatorId communicator;
    std::string algorithm;          ///< LibraryDecision::algorithm
    std::string unmet;              ///< LibraryDecision::unmet
    bool hasUnseenSwitches = false; ///< LibraryDecision::hasUnseenSwitches
    Hindrance hindrance = Hindrance::None;

    auto operator<=>(const RanAlgorithm&) const = default;
};

/// What this call adds.
RanAlgorithm MakeRanAlgorithm(const CollectiveRecord& record);

} // namespace nadi
