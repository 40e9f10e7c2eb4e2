// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/exports/param-element.h"
#include "workload/tools/exports/uneven-exchanges.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A line of the program that PARAM's `comm_replay` plays: a call of a collective, a send or
/// receive, or a wait for one of them.
struct ParamCall
{
    std::string name;        ///< "allreduce", "send", "wait", ...
    uint64_t request = 0;    ///< counts the calls from 0; of a wait: that of the call it ends
    CommunicatorId group;    ///< the communicator of all ranks for sends and receives
    uint32_t place = 0;      ///< in the group: of a message's other end, of a collective's root
    ParamElement element;    ///< of a wait and a barrier: none is meant
    uint64_t inElements = 0; ///< what the rank puts in
    uint64_t outElements =
        0; ///< what it gets; of gather and scatter: what the root puts in or gets
    std::vector<uint64_t> inSplits; ///< of an all_to_allv, for each member; else empty
    std::vector<uint64_t> outSplits;
};

/// The communication of a rank's trace as calls, in the static topological order of the trace
/// (ExecutionGraph::TopologicalOrder). Nodes of the CPU are none.
///
/// A call does not block: its wait comes before the first node that depends on it, in that order,
/// and at the end of the trace where none does. Barriers block and have no wait.
///
/// `document` is the same trace with all its attributes, or null: it may say what a simulation does
/// not need, the type of the elements (`dtype`) and the parts of an all-to-all (`in_split_size` and
/// `out_split_size`, in elements). Where it does not say both, what a rank gets follows from the
/// calls of the others (`exchanges`, of the job), and likewise in gathers and scatters whose sizes
/// differ from rank to rank.
///
/// Sizes are in elements of that type, or else float. Where that cuts an element, or a part of a
/// reduce-scatter or an all-to-all, they are in bytes, and such parts are rounded up to whole bytes
/// and alike. Parts that a trace says are of as many bytes as the size tells, whatever the type;
/// where no type has so many, they are in bytes.
///
/// Throws ConfigError for a collective of a group that does not have the rank, for parts that do
/// not fit the group, and where the calls of the others do not tell what a rank gets. Requires:
/// `document` has the nodes of the rank's graph.
std::vector<ParamCall>
ListParamCalls(const UnevenExchanges& exchanges, RankId rank, const TraceDocument* document);

} // namespace nadi
