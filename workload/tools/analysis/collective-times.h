// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/call-waits.h"
#include "workload/tools/structure/task-order.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// Recorded collectives of one type, size and number of members, over all ranks. Times are in
/// nanoseconds.
struct CollectiveTimes
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t size = 0;
    uint32_t members = 0;
    uint64_t calls = 0;                   ///< of ranks: a call of 8 members counts 8 times
    uint64_t besideOthers = 0;            ///< of those, the ones that another collective overlapped
    uint64_t transferMedian = 0;          ///< over the calls
    uint64_t transferLow = 0;             ///< the value below which a tenth lies
    uint64_t transferHigh = 0;            ///< above which a tenth lies
    std::optional<uint64_t> aloneMedian;  ///< of transfers that overlap no other; nothing: of none
    std::optional<uint64_t> besideMedian; ///< likewise of the rest
    uint64_t waitTotal = 0;
    uint64_t waitMost = 0;
    std::set<std::string> overlappedBy; ///< types of the others

    /// Of the median transfer, in GB/s as nccl-tests count; 0 without size or time.
    double BusBandwidthGBps() const;
};

/// The collectives of a job, the largest first. `orders` have recorded starts.
std::vector<CollectiveTimes> SummariseCollectives(const Workload& workload,
                                                  const std::vector<RecordedOrder>& orders,
                                                  const CallWaits& waits);

} // namespace nadi
