// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// An all-to-all with unequal parts: how much each member was sent, over the recorded ranks. In the
/// unit of the trace's splits; tokens are in proportion to it.
struct ExpertExchange
{
    std::string name;               ///< of the lowest recorded member's node
    std::optional<uint32_t> layer;  ///< as the name says it
    std::vector<uint32_t> ranks;    ///< the members
    std::vector<uint64_t> received; ///< by member
    /// How unequal they are: 0 where all received as much, (n - 1) / n where one of n received all.
    double gini = 0;
};

/// The exchanges of a job that have splits: by communicator, and in the order of its calls. The
/// k-th all-to-all of a communicator on one rank meets the k-th of the others.
std::vector<ExpertExchange> FindExpertExchanges(const Workload& workload);

/// Gini coefficient: the mean absolute difference of all pairs over twice the mean; 0 of nothing.
double ComputeGini(std::vector<uint64_t> values);

} // namespace nadi
