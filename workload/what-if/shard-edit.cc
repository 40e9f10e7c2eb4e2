// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shard-edit.h"

#include "common/error.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/last-micro-batch.h"

#include <fmt/format.h>

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

    /// `lists`: of its tasks. Throws ConfigError where a kernel updates both shards and
    /// whole parameters.
    ExecutionGraph Scaled(const ParameterShare& share, const RankStructure& lists) const
    {
        const std::vector<bool> isOptimizer = FindShardedKernels(lists);
        const bool areGradientsCut = KeepsShardsOfGradients(lists);
        return ChangeNodes(m_graph,
                           [&](uint32_t node, NodeCopy& copy)
                           {
                               const bool isOfShard = areGradientsCut && IsOfTiedMatrix(copy.node);
                               if (IsGather(copy.node) || isOfShard)
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
    /// What an optimizer's kernel updates: of which sums of gradients it knows.
    struct Updated
    {
        bool areShards = false;
        bool areWhole = false;

        bool IsKnown() const
        {
            return areShards || areWhole;
        }
    };

    /// By node: kernels that update shards. Those that wait for no sum, as where gradients have
    /// none of their own, do so if they stand behind the last sum.
    std::vector<bool> FindShardedKernels(const RankStructure& lists) const
    {
        std::vector<bool> isSharded = FindOptimizerKernels(m_graph, lists);
        const std::vector<std::vector<uint32_t>> parents = FindParents(m_graph);
        std::vector<Updated> updated(m_graph.NodeCount());
        for (const uint32_t node : lists.optimizer) // what waits comes later
        {
            for (const uint32_t parent : parents[node])
            {
                const Updated before = Add(parent, updated[parent]);
                updated[node].areShards |= before.areShards;
                updated[node].areWhole |= before.areWhole;
            }
            if (m_graph.Node(node).type == NodeType::Compute && updated[node].IsKnown())
            {
                CheckIsOneOfBoth(node, updated[node]);
                // A kernel that waits for sums updates what these are of. Any other kernel stays as
                // its place says (FindOptimizerKernels).
                isSharded[node] = updated[node].areShards;
            }
        }
        return isSharded;
    }

    /// What those that wait for a task update, as far as it tells: a sum of gradients tells what it
    /// sums, any other task hands on `known`.
    Updated Add(uint32_t node, Updated known) const
    {
        const ExecutionNode& call = m_graph.Node(node);
        const bool isOfCopies = call.type == NodeType::Collective &&
                                (Has(GroupRole::Data, call) || Has(GroupRole::ExpertData, call));
        // A sum of few numbers is that of a norm: it waits for sums of gradients, and hands on what
        // these are of.
        if (isOfCopies && call.collective != CollectiveType::AllGather && !IsOfFewNumbers(call))
        {
            const bool isShard = call.collective == CollectiveType::ReduceScatter;
            return {.areShards = isShard, .areWhole = !isShard};
        }
        return known;
    }

    void CheckIsOneOfBoth(uint32_t node, const Updated& updated) const
    {
        if (updated.areShards && updated.areWhole)
        {
            throw ConfigError(
                m_graph.Source(),
                fmt::format("node {} (\"{}\") updates parameters of which each copy has a shard, "
                            "and others that all copies have; how much of it is of shards is "
                            "unknown",
                            m_graph.Node(node).id,
                            m_graph.Name(node)));
        }
    }

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
        // A gather of shards is among ranks of different copies, and not within a copy, as that of
        // a tensor group.
        return m_numbering.PlaceOf(ranks.front().value) !=
                   m_numbering.PlaceOf(ranks.back().value) ||
               Has(GroupRole::ExpertData, node);
    }

    /// Whether copies keep shards of gradients, too, of which both ends of the pipeline sum the one
    /// that they have (ZeRO 2 and 3): gradients are scattered in other micro-batches than the last,
    /// or parameters are gathered for passes. With a single micro-batch ZeRO 2 is taken for ZeRO 1,
    /// which scatters alike.
    bool KeepsShardsOfGradients(const RankStructure& lists) const
    {
        const std::vector<bool> isBefore = FindBeforeLastMicroBatch(m_graph, lists);
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            if (isBefore[node] && IsScatter(m_graph.Node(node)))
            {
                return true;
            }
        }
        return std::ranges::any_of(lists.passes,
                                   [this](const LayerRunPass& pass) { return HasGather(pass); });
    }

    bool HasGather(const LayerRunPass& pass) const
    {
        const auto gathers = [this](const TaskList& tasks)
        {
            return std::ranges::any_of(
                tasks, [this](uint32_t task) { return IsGather(m_graph.Node(task)); });
        };
        return gathers(pass.before) || gathers(pass.after) ||
               std::ranges::any_of(pass.layers,
                                   [&](const LayerPass& layer)
                                   { return gathers(layer.tasks) || gathers(layer.extra); });
    }

    /// Of gradients.
    bool IsScatter(const ExecutionNode& node) const
    {
        return node.type == NodeType::Collective &&
               node.collective == CollectiveType::ReduceScatter && Has(GroupRole::Data, node);
    }

    bool IsOfTiedMatrix(const ExecutionNode& node) const
    {
        return node.type == NodeType::Collective && !IsOfFewNumbers(node) &&
               Has(GroupRole::Embedding, node);
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
            scaled.emplace_back(graph, editor.Scaled(share, tasks));
        }
    }
    for (auto& [graph, made] : scaled)
    {
        job.graphs[graph] = std::move(made);
    }
}

} // namespace nadi
