// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/task-order.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// A recorded call of a collective on one rank, from its launch to its end there.
struct CallTime
{
    uint32_t node = 0;          ///< index in the rank's graph
    uint64_t call = 0;          ///< index into CallWaits::transfers
    uint64_t transferNanos = 0; ///< moving data
    uint64_t waitNanos = 0;     ///< for members that came later: duration - transfer
};

/// Waiting and transferring, told apart for the recorded collectives of a job.
struct CallWaits
{
    std::vector<std::vector<CallTime>> ofRank; ///< by rank, in the order of its calls
    std::vector<uint64_t> transfers; ///< nanoseconds of each call of the job: its longest member's
    std::vector<std::string> notes;  ///< sentences
};

/// Where all members of a call recorded their waits (`waited_nanos`), as in what Nadi records, the
/// transfer of each is its duration without its wait.
///
/// Elsewhere the transfer of all members is the least recorded duration over them: the last one to
/// come waits for nobody. The k-th call of a communicator on one rank meets the k-th of the others.
/// Clocks of ranks differ, so no start is compared with one of another rank.
///
/// Where one member of a communicator was recorded, without its waits, the low decile of its calls
/// of equal type and size stands for the transfer, at most the call's duration; a note says so.
///
/// Calls without a recorded duration are left out. `orders` are by rank, or empty.
CallWaits SeparateWaits(const Workload& workload, const std::vector<RecordedOrder>& orders);

/// The number below which a tenth of the values lie: the value at rank floor((n - 1) / 10) of the
/// sorted ones. Requires: values.
uint64_t FindLowDecile(std::vector<uint64_t> values);

} // namespace nadi
