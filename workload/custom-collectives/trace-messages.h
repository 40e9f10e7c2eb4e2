// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Numbers the messages of traces, one for each rank: the k-th send of a rank to another with a tag
/// and that one's k-th receive, in the order of the files. By rank and node: a number that names
/// the message among those of its sender and receiver; of nodes that are neither, nothing that
/// counts.
///
/// Throws ConfigError at the trace for a peer that is none, for sends without receive and the other
/// way round, and for two ends of a message that differ in size.
std::vector<std::vector<uint32_t>> NumberTraceMessages(const Workload& traces);

} // namespace nadi
