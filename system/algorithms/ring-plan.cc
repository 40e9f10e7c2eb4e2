// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/ring-plan.h"

#include "common/check.h"
#include "system/algorithms/ring-all-to-all-plan.h"
#include "system/algorithms/tree-plan.h"
#include "system/phase-traffic.h"

#include <algorithm>
#include <cmath>

namespace nadi
{
namespace
{

/// Reduce-scatter, all-gather, or the one and then the other: shards travel round in one lane.
class RingShardPlan : public CollectivePlan
{
  public:
    explicit RingShardPlan(const RingTask& task)
        : m_order(task.order)
        , m_buffer(task.buffer)
    {
        const uint32_t round = m_order.Size() - 1;
        const bool isAllReduce = task.type == CollectiveType::AllReduce;
        m_scatterSteps = isAllReduce || task.type == CollectiveType::ReduceScatter ? round : 0;
        m_steps = isAllReduce ? 2 * round : round;
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return m_steps;
    }

    PlanStep
    StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const override
    {
        // The next step sends on the shard that a step receives. The last shard that a scatter
        // receives is the member's own, with which the gather begins.
        const bool isScatter = step < m_scatterSteps;
        const uint32_t placesBehind = isScatter ? step + 1 : step - m_scatterSteps;
        return {.send = Transfer{.peer = m_order.Ahead(rank, 1),
                                 .tag = step,
                                 .range = ShardOf(m_order.Behind(rank, placesBehind))},
                .receive = Transfer{.peer = m_order.Behind(rank, 1),
                                    .tag = step,
                                    .range = ShardOf(m_order.Behind(rank, placesBehind + 1))},
                .action = isScatter ? PlanStep::Action::Reduce : PlanStep::Action::Copy};
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {ShardOf(rank)};
    }

  private:
    Interval ShardOf(uint32_t member) const
    {
        return PartOf(m_buffer, member, m_order.Size());
    }

    RingOrder m_order;
    Interval m_buffer;
    uint32_t m_scatterSteps = 0;
    uint32_t m_steps = 0;
};

/// From the root once around the ring, as far as the member before it.
class ChainTree : public Tree
{
  public:
    ChainTree(const RingOrder& order, uint32_t root)
        : m_order(order)
        , m_root(root)
    {
    }

    std::optional<uint32_t> ParentOf(uint32_t member) const override
    {
        if (member == m_root)
        {
            return std::nullopt;
        }
        return m_order.Behind(member, 1);
    }

    uint32_t ChildCount(uint32_t member) const override
    {
        return m_order.Ahead(member, 1) == m_root ? 0 : 1;
    }

    uint32_t ChildOf(uint32_t member, uint32_t /*index*/) const override
    {
        return m_order.Ahead(member, 1);
    }

  private:
    RingOrder m_order;
    uint32_t m_root;
};

std::unique_ptr<CollectivePlan>
MakeChainPlan(const RingTask& task)
{
    // A reduce runs its tree upwards, from the last member to the root. Around the reversed ring
    // that way leads to the next member, as all messages of a ring do.
    const bool isReduce = task.type == CollectiveType::Reduce;
    const RingOrder order = isReduce ? task.order.Reversed() : task.order;
    return std::make_unique<TreePlan>(
        std::make_unique<ChainTree>(order, task.root),
        TreePlan::Task{.type = task.type, .buffer = task.buffer, .slices = task.slices});
}

} // namespace

bool
IsRingCollective(CollectiveType type)
{
    return type != CollectiveType::Gather && type != CollectiveType::Scatter;
}

uint32_t
RingLatencySteps(CollectiveType type, uint32_t ranks)
{
    return type == CollectiveType::AllReduce ? 2 * (ranks - 1) : ranks - 1;
}

uint32_t
RingStepHops(uint32_t ranks, const Shape& shape)
{
    const RingOrder order(ranks, shape.Defaults().line, RingDirection::Forward);
    uint32_t hops = 0;
    for (uint32_t member = 0; member < ranks; ++member)
    {
        hops = std::max(hops, shape.HopCount(ranks, member, order.Ahead(member, 1)));
    }
    return hops;
}

bool
CutsRingSlices(CollectiveType type)
{
    return type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
}

double
RingTimesSent(CollectiveType type, uint32_t ranks)
{
    return type == CollectiveType::AllToAll ? ranks / 2.0 : 1;
}

Bytes
RingTraffic(CollectiveType type, Bytes held, uint32_t ranks)
{
    const auto once = static_cast<double>(PhaseTraffic(type, held, ranks).Count());
    return Bytes(std::llround(once * RingTimesSent(type, ranks)));
}

std::unique_ptr<CollectivePlan>
MakeRingPlan(const RingTask& task)
{
    NADI_CHECK(IsRingCollective(task.type));
    switch (task.type)
    {
    case CollectiveType::AllToAll:
        return std::make_unique<RingAllToAllPlan>(task.order, task.buffer);
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return MakeChainPlan(task);
    default:
        // A barrier is an all-gather of nothing.
        return std::make_unique<RingShardPlan>(task);
    }
}

} // namespace nadi
