// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/copy-traffic.h"

#include "workload/what-if/memory/call-roles-of-rank.h"

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

constexpr uint32_t NO_MICRO_BATCH = UINT32_MAX;

uint64_t
CountIterations(const RankStructure& rank)
{
    int64_t last = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        last = std::max(last, pass.iteration);
    }
    return static_cast<uint64_t>(last) + 1;
}

/// Adds up calls among the copies of one kind of parameters.
class CopyTrafficCounter
{
  public:
    void Add(const ExecutionNode& call, uint32_t ranks, uint32_t microBatch)
    {
        // Parameters that are gathered for passes are in shards between them (ZeRO 3). A gather
        // behind the optimizer does not tell that.
        if (call.collective == CollectiveType::AllGather)
        {
            m_traffic.gathersInPasses = m_traffic.gathersInPasses || microBatch != NO_MICRO_BATCH;
        }
        if (call.collective == CollectiveType::AllReduce ||
            call.collective == CollectiveType::ReduceScatter)
        {
            m_ofMicroBatch[microBatch] += call.size;
            m_traffic.copies = std::max(m_traffic.copies, ranks);
            m_traffic.hasScatters =
                m_traffic.hasScatters || call.collective == CollectiveType::ReduceScatter;
        }
    }

    /// Lists outside of passes hold the tasks of all iterations, so their bytes are divided by the
    /// number of iterations. Of passes, only those of the first iteration were added.
    CopyTraffic Finish(uint64_t iterations)
    {
        // Sums behind all passes come on top of those within a micro-batch.
        const uint64_t rest = m_ofMicroBatch[NO_MICRO_BATCH] / iterations;
        m_ofMicroBatch.erase(NO_MICRO_BATCH);
        // Micro-batches sum gradients of the same parameters, so the one that sums most counts, not
        // all.
        uint64_t most = 0;
        for (const auto& [microBatch, bytes] : m_ofMicroBatch)
        {
            most = std::max(most, bytes);
        }
        m_traffic.sumsOften =
            std::ranges::count_if(m_ofMicroBatch,
                                  [](const auto& entry) { return entry.second > 0; }) > 1;
        m_traffic.gradientBytes = most + rest;
        return m_traffic;
    }

  private:
    std::map<uint32_t, uint64_t> m_ofMicroBatch; // bytes of sums
    CopyTraffic m_traffic;
};

class CopyTrafficReader
{
  public:
    CopyTrafficReader(const Workload& job, const JobStructure& structure, const RankStructure& rank)
        : m_rank(rank)
        , m_graph(job.GraphOf(RankId{rank.rank}))
        , m_roles(job, structure, rank.rank)
    {
    }

    CopiesTraffic Read()
    {
        for (const LayerRunPass& pass : m_rank.passes)
        {
            if (pass.iteration == 0)
            {
                ReadPass(pass);
            }
        }
        ReadTasks(m_rank.head, NO_MICRO_BATCH);
        ReadTasks(m_rank.optimizer, NO_MICRO_BATCH);
        const uint64_t iterations = CountIterations(m_rank);
        return {.dense = m_dense.Finish(iterations),
                .experts = m_experts.Finish(iterations),
                .hasExperts = m_roles.HasAny(GroupRole::Expert)};
    }

  private:
    void ReadPass(const LayerRunPass& pass)
    {
        ReadTasks(pass.before, pass.microBatch);
        for (const LayerPass& layer : pass.layers)
        {
            ReadTasks(layer.tasks, pass.microBatch);
            ReadTasks(layer.extra, pass.microBatch);
        }
        ReadTasks(pass.after, pass.microBatch);
    }

    void ReadTasks(const TaskList& tasks, uint32_t microBatch)
    {
        for (const uint32_t task : tasks)
        {
            const ExecutionNode& call = m_graph.Node(task);
            if (call.type != NodeType::Collective)
            {
                continue;
            }
            if (m_roles.Has(call, GroupRole::Data))
            {
                m_dense.Add(call, m_roles.CountRanks(call), microBatch);
            }
            else if (m_roles.Has(call, GroupRole::ExpertData))
            {
                m_experts.Add(call, m_roles.CountRanks(call), microBatch);
            }
        }
    }

    const RankStructure& m_rank;
    const ExecutionGraph& m_graph;
    CallRolesOfRank m_roles;
    CopyTrafficCounter m_dense;
    CopyTrafficCounter m_experts;
};

} // namespace

CopiesTraffic
ReadCopyTraffic(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    return CopyTrafficReader(job, structure, rank).Read();
}

} // namespace nadi
