// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "simulation/run-input.h"
#include "system/collective-type.h"

#include <compare>
#include <map>
#include <set>
#include <string>

namespace nadi
{

/// What a collective would run, in the words of `collectives.csv`.
struct CalledAlgorithm
{
    CollectiveType type = CollectiveType::AllReduce;
    std::string algorithm; ///< "ring", or one per dimension: "ring+halving-doubling"
    std::string protocol;  ///< "LL"; empty where the library has only one
    bool isUneven = false; ///< it fits ranks that bring different sizes

    auto operator<=>(const CalledAlgorithm&) const = default;
};

/// What the collectives of the job will run, and on which communicators: what the communication
/// library decides for each call. A communicator is under each algorithm that some size of its
/// calls has. Calls of a single rank run nothing.
///
/// Empty where communication takes its recorded time. Throws ConfigError as a run does.
std::map<CalledAlgorithm, std::set<CommunicatorId>> FindCalledAlgorithms(const RunInput& input);

} // namespace nadi
