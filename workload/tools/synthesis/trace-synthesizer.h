// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/synthesis/rank-roles.h"
#include "workload/tools/synthesis/rank-sequence.h"
#include "workload/tools/synthesis/trace-model.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

struct TraceSynthesisOptions
{
    uint32_t ranks = 1;
    uint64_t seed = 1;
};

/// A synthetic trace.
struct SyntheticRank
{
    ExecutionGraph graph;
    std::vector<uint32_t> classes; ///< by node: an index into TraceModel::classes
};

/// Draws the traces of a job from the statistics of a recorded one.
///
/// * **Calls** are those of the master trace, each rank making those of the recorded rank that it
///   plays (RankRoles). The size of a call is drawn once for all its ranks; where the parts of an
///   all-to-all differ, sizes and parts keep their proportions (MakeExchange). Communicators that
///   call the same sizes side by side in the recording do so here too.
/// * **Gaps** between them have drawn lengths, and are filled with runs of classes by the Markov
///   chain of the model.
/// * **Quantities** of a class are drawn from its distributions and arranged so that successive
///   ones correlate as recorded. The quantities of a node stand at equal places in their
///   distributions: the longest node has the largest size.
/// * **Dependencies**: a node waits for nodes before it in its sequence, told by their lane and how
///   far back in it they are. The distances are those that a node of its class, after one of that
///   class, had in the recording.
///
/// All dependencies lead back in one order of the whole job, that of the master trace, so it runs
/// to its end. Each rank depends on the model, the options and its number alone.
class TraceSynthesizer
{
  public:
    /// Requires: the model outlives this.
    TraceSynthesizer(const TraceModel& model, const TraceSynthesisOptions& options);

    SyntheticRank MakeRank(uint32_t rank) const;

    /// The groups that the traces name; empty where all collectives are of all ranks.
    const ProcessGroups& Groups() const
    {
        return m_groups;
    }

  private:
    void NameGroups();
    void NumberTags();
    void DrawSizes();
    uint64_t SizeOf(const MasterCall& call) const;
    void SetCall(ExecutionNode& node, const SyntheticStep& step) const;

    const TraceModel& m_model;
    TraceSynthesisOptions m_options;
    RankRoles m_roles;
    ProcessGroups m_groups;
    std::vector<std::string> m_groupOfChannel;  ///< "": all ranks, or a channel of messages
    std::map<uint64_t, uint64_t> m_tags;        ///< by recorded tag
    std::vector<std::vector<uint64_t>> m_sizes; ///< by series; channel after channel
};

} // namespace nadi
