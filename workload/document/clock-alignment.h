// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// The name of the node that BeginLater adds.
constexpr std::string_view BEFORE_RECORDING = "before the recording";

/// Recordings of the ranks of a job begin at different times, and each has a clock of its own. Of
/// some collectives no rank can have its part of the result before all have called: all-reduces,
/// all-gathers, reductions that are scattered, all-to-alls and barriers. So they end on all ranks
/// at the same time, to within the latency of the network and a step of their algorithm. The first
/// one that all ranks call tells how much later one recording began than another.
struct FirstCollective
{
    int64_t endNanos = 0; ///< from the begin of the recording
    /// What it is, which is the same on all ranks: "ALL_REDUCE of 1024 B in group 0". All-to-alls
    /// may have sizes of their own on each rank, and are named without.
    std::string call;
};

/// Of such collectives of the accelerator, the one with the first recorded start. Absent where
/// there is none.
std::optional<FirstCollective> FindFirstCollective(const TraceDocument& document);

/// Ranks of a job whose recordings begin more than a day apart are taken for a mistake.
constexpr int64_t LATEST_BEGIN_NANOS = 86'400'000'000'000;

/// Lets everything in a recording begin `nanos` later than the job: a CPU node takes that time, and
/// what waited for nothing waits for it. Recorded starts are then times since the begin of the job.
/// The node comes first and has the lowest id, as ids tell the order of the program; where id 0 is
/// taken, all ids grow by one.
///
/// Requires: 0 <= nanos <= LATEST_BEGIN_NANOS.
void BeginLater(TraceDocument& document, int64_t nanos);

} // namespace nadi
