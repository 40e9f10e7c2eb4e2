// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shard-edit.h"

#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// The graph of one rank.
class ShardEditor
{
  public:
    ShardEditor(const Workload& job,
                const JobStructure& structure,
                const AxisNumbering& numbering,
                const RankStructure& rank)
        : m_job(job)
        , m_structure(structure)
        , m_numbering(numbering)
        , m_rank(rank)
        , m_graph(job.GraphOf(RankId{rank.rank}))
    {
    }

    bool HasShards() const
    {
        return std::ranges::any_of(m_graph.Nodes(),
                                   [&](const ExecutionNode& node) { return IsGather(node); });
    }

    ExecutionGraph Scaled(const ParameterShare& share, const std::vector<bool>& isOptimizer) const
    {
        return ChangeNodes(m_graph,
                           [&](uint32_t node, NodeCopy& copy)
                           {
                               if (IsGather(copy.node) || IsOfTiedShards(copy.node))
                               {
                                   copy.node.size = share.Of(copy.node.size);
                               }
                               if (isOptimizer[node])
                               {
                                   copy.ScaleWith(share);
                               }
                           });
    }

  private:
    const std::vector<RankId>& RanksOf(const ExecutionNode& node) const
    {
        const CommunicatorId group = m_job.communicatorOfGroup[m_rank.rank][node.group];
        return m_job.communicators[group.value].ranks;
    }

    /// Of the shards that copies have. Those of experts of a single copy are of a rank alone so
    /// far.
    bool IsGather(const ExecutionNode& node) const
    {
        if (node.type != NodeType::Collective || node.collective != CollectiveType::AllGather)
        {
            return false;
        }
        const std::vector<RankId>& ranks = RanksOf(node);
        return m_numbering.PlaceOf(ranks.front().value) !=
                   m_numbering.PlaceOf(ranks.back().value) ||
               Has(GroupRole::ExpertData, node);
    }

    bool IsOfTiedShards(const ExecutionNode& node) const
    {
        return node.type == NodeType::Collective && Has(GroupRole::Embedding, node);
    }

    /// Whether the group of a collective has that role.
    bool Has(GroupRole role, const ExecutionNode& node) const
    {
        const std::vector<RankId>& ranks = RanksOf(node);
        const auto isIt = [&](const GroupUse& use)
        {
            return use.role == role &&
                   std::ranges::equal(
                       use.ranks, ranks, {}, {}, [](RankId rank) { return rank.value; });
        };
        return std::ranges::any_of(m_structure.groups, isIt);
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    const AxisNumbering& m_numbering;
    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
};

} // namespace

void
ScaleShards(Workload& job,
            const JobStructure& structure,
            const AxisNumbering& numbering,
            uint32_t copies)
{
    const ParameterShare share{numbering.count, copies};
    std::set<uint32_t> done;
    std::vector<std::pair<uint32_t, ExecutionGraph>> scaled;
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        const ShardEditor editor(job, structure, numbering, rank);
        if (done.insert(graph).second && editor.HasShards())
        {
            const RankStructure& tasks =
                *std::ranges::find(structure.ranks, rank.sameAs, &RankStructure::rank);
            scaled.emplace_back(
                graph, editor.Scaled(share, FindOptimizerKernels(job.graphs[graph], tasks)));
        }
    }
    for (auto& [graph, made] : scaled)
    {
        job.graphs[graph] = std::move(made);
    }
}

} // namespace nadi
