// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// The collective of a rank's recording that starts first.
struct FirstCollective
{
    int64_t endNanos = 0; ///< from the begin of the recording
    std::string call;     ///< its type and its group: "ALL_REDUCE of group 0"
};

/// Recordings of the ranks of a job begin at different times, and each has a clock of its own. A
/// collective ends on all of its ranks at the same time, to within the latency of the network. So a
/// collective that all ranks call tells how much later one recording began than another.
///
/// Absent where the recording has no collective.
std::optional<FirstCollective> FindFirstCollective(const TraceDocument& document);

/// Ranks of a job whose recordings begin more than a day apart are taken for a mistake.
constexpr int64_t LATEST_BEGIN_NANOS = 86'400'000'000'000;

/// Lets everything in a recording begin `nanos` later than the job: a CPU node "before the
/// recording" takes that time, and what waited for nothing waits for it. Recorded starts are then
/// times since the begin of the job.
///
/// Requires: 0 <= nanos <= LATEST_BEGIN_NANOS.
void BeginLater(TraceDocument& document, int64_t nanos);

} // namespace nadi
