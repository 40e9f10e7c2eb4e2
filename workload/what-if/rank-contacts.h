// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace nadi
{

/// Whether a call has a root that the node names, as its peer.
inline bool
NamesRoot(const ExecutionNode& node)
{
    return node.type == NodeType::Collective && !node.isCpu && HasRoot(node.collective) &&
           node.peer != ExecutionNode::NO_ROOT;
}

/// What a recorded rank has to do with other ranks.
struct RankContacts
{
    std::map<uint32_t, std::vector<uint32_t>> groups; ///< by index, those with calls: their ranks
    std::set<uint32_t> rooted;                        ///< those of them with calls that have a root
    std::set<uint32_t> peers;                         ///< ranks to or from which messages go
};

/// Which ends of the pipeline a rank is at. Ranks of one stage are at the same ones.
struct PipelineEnds
{
    bool isFirst = false; ///< it begins forward passes
    bool isLast = false;  ///< it ends them

    bool operator==(const PipelineEnds& other) const = default;
};

/// `graph` is that of a recorded rank of `whole`.
RankContacts FindContacts(const ExecutionGraph& graph, const Workload& whole, uint32_t rank);

/// `lists` is the structure of the rank of `graph`.
PipelineEnds FindEnds(const ExecutionGraph& graph, const RankStructure& lists);

} // namespace nadi
