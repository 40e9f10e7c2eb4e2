// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace-writer.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>

namespace nadi
{

/// What groups and peers in the graph of a rank are called in its trace: a group by the number of
/// its communicator, that of all ranks by "".
TraceNames MakeTraceNames(const Workload& workload, uint32_t rank);

/// The groups file that belongs to such traces, `{"1": [0, 1], ...}`, which leaves out the
/// communicator of all ranks; "{}" where there is no other.
std::string FormatTraceGroups(const Workload& workload);

} // namespace nadi
