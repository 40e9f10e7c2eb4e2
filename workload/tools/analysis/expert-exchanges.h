// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// An all-to-all with unequal parts: how many bytes each member was sent, over the recorded ranks.
/// Tokens are in proportion to them. Splits of a trace count elements, which comm_size tells the
/// bytes of (ReadSplits).
struct ExpertExchange
{
    uint32_t rank = 0;              ///< the lowest recorded member whose call has splits
    uint32_t node = 0;              ///< its call, in the graph of that rank
    std::string name;               ///< of that node
    std::optional<uint32_t> layer;  ///< nothing: it stands in none, or no layers are known
    std::optional<bool> isForward;  ///< of its pass; nothing: it stands in none
    std::vector<uint32_t> ranks;    ///< the members
    std::vector<uint64_t> received; ///< bytes, by member
    /// How unequal they are: 0 where all received as much, (n - 1) / n where one of n received all.
    double gini = 0;
};

/// The exchanges of a job that have splits: by communicator, and in the order of its calls. The
/// k-th all-to-all of a communicator on one rank meets the k-th of the others. Without layers and
/// passes.
std::vector<ExpertExchange> FindExpertExchanges(const Workload& workload);

/// Says in which layer and pass the exchanges of a job stand, as its structure has them. Where no
/// layers were found, names tell the layer.
void PlaceExchanges(const JobStructure& structure, std::vector<ExpertExchange>& exchanges);

/// Gini coefficient: the mean absolute difference of all pairs over twice the mean; 0 of nothing.
double ComputeGini(std::vector<uint64_t> values);

} // namespace nadi
