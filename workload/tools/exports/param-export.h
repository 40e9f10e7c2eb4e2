// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/exports/uneven-exchanges.h"

#include <string>

namespace nadi
{

/// The communication of a rank as a host execution trace of PyTorch in JSON, which PARAM's
/// `comm_replay` plays on a real cluster: a node that defines the communicators of the job, then a
/// node `record_param_comms` for each call of ListParamCalls, whose parameters and errors these
/// are. A group is called by its CommunicatorId; each rank's text has all groups of the job, so
/// that all ranks make them in the same order.
///
/// `comm_replay` lets the first member of a group be the root of a broadcast, whatever the trace
/// says; the text names the root by its place in the group, where a send names its receiver.
///
/// `exchanges` are of the job, and serve all its ranks.
std::string
FormatParamTrace(const UnevenExchanges& exchanges, RankId rank, const TraceDocument* document);

} // namespace nadi
