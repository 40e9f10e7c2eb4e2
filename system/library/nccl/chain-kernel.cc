// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/chain-kernel.h"

#include "common/check.h"
#include "system/library/nccl/node-trees.h"
#include "system/library/nccl/tree-kernel.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// A chain in the midst of many calls: a lane for each ring, in which a member sends its part to
/// the next one without waiting for it.
class ChainInARowPlan : public CollectivePlan
{
  public:
    ChainInARowPlan(const std::vector<RingWay>& rings, const PlanRequest& request)
        : m_rings(rings)
        , m_request(request)
    {
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return static_cast<uint32_t>(m_rings.size());
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1;
    }

    PlanStep
    StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t /*step*/) const override
    {
        const RingWay& ring = m_rings[lane];
        // A reduce uses the chain of a broadcast backwards: it goes against the ring, from the
        // member before the root to the root.
        const bool isReduce = m_request.type == CollectiveType::Reduce;
        const uint32_t next = isReduce ? ring.Behind(rank, 1) : ring.Ahead(rank, 1);
        const uint32_t previous = isReduce ? ring.Ahead(rank, 1) : ring.Behind(rank, 1);
        const Interval range = PartOf({0, m_request.elements}, lane, LaneCount(rank, 0));
        // The chain has two ends: the root, and the member before it on the ring. A broadcast
        // begins at the root and a reduce ends there.
        const bool isFirst = rank == m_request.root;
        const bool isBroadcastEnd = !isReduce && next == m_request.root;
        const bool isReduceEnd = isReduce && rank == m_request.root;
        const bool isReduceStart = isReduce && previous == m_request.root;
        PlanStep step{.action = isReduce ? PlanStep::Action::Reduce : PlanStep::Action::Copy};
        if (!isBroadcastEnd && !isReduceEnd)
        {
            step.send = Transfer{.peer = next, .range = range};
        }
        if (isReduce ? !isReduceStart : !isFirst)
        {
            step.receive = Transfer{.peer = previous, .range = range};
        }
        return step;
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {};
    }

  private:
    const std::vector<RingWay>& m_rings;
    PlanRequest m_request;
};

} // namespace

ChainKernel::ChainKernel(std::vector<RingWay> rings, uint32_t pieces)
    : m_rings(std::move(rings))
    , m_pieces(pieces)
{
}

std::unique_ptr<CollectivePlan>
ChainKernel::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    if (m_pieces == IN_A_ROW)
    {
        return std::make_unique<ChainInARowPlan>(m_rings, request);
    }
    std::vector<MemberTree> chains;
    for (const RingWay& ring : m_rings)
    {
        chains.push_back(ChainAlong(ring, request.root));
    }
    return PlanTreesSideBySide(std::move(chains), request, m_pieces);
}

} // namespace nadi::nccl
