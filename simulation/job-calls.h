// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/collective-type.h"
#include "system/system-options.h"
#include "workload/workload.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <set>

namespace nadi
{

/// A call of a collective by the ranks of a job.
struct JobCall
{
    CommunicatorId communicator;
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0;
    uint32_t root = 0;                         ///< of types that have one, as the node says it
    std::optional<NodeId> node = std::nullopt; ///< that has an algorithm of its own
    bool isUneven = false; ///< ranks bring different sizes, of which this is the largest

    auto operator<=>(const JobCall&) const = default;
};

/// The different calls of the job. They are known before the run, as the nodes say who calls what
/// on which communicator. Takes time in proportion to the nodes, and to the ranks times the
/// different calls of a rank.
///
/// In which order a rank makes its calls only the run knows. So of types whose ranks may bring
/// different sizes, the sizes that every member calls are taken for even calls. What is left of
/// them, and what is cut unevenly, is one uneven call of the largest size.
std::set<JobCall> FindCalls(const Workload& workload, const SystemOptions& options);

} // namespace nadi
