// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/ring-kernel.h"

#include "common/check.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// A lane for each ring. A step sends a shard to the next member and receives one from the member
/// before; shards first gather sums on their way to their owners, then go to all.
class RingKernelPlan : public CollectivePlan
{
  public:
    RingKernelPlan(const std::vector<RingWay>& rings, const PlanRequest& request)
        : m_rings(rings)
        , m_buffer{0, request.elements}
        , m_steps(RingSteps(request.type, request.ranks))
        , m_scatterSteps(request.type == CollectiveType::AllGather ? 0 : request.ranks - 1)
    {
        NADI_CHECK(rings.front().Size() == request.ranks);
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return static_cast<uint32_t>(m_rings.size());
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return m_steps;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        const RingWay& ring = m_rings[lane];
        const bool isScatter = step < m_scatterSteps;
        // What a step receives is what the next step sends.
        const uint32_t behind = isScatter ? step + 1 : step - m_scatterSteps;
        return {.send = Transfer{.peer = ring.Ahead(rank, 1),
                                 .tag = step,
                                 .range = PartOfShard(ring.Behind(rank, behind), lane)},
                .receive = Transfer{.peer = ring.Behind(rank, 1),
                                    .tag = step,
                                    .range = PartOfShard(ring.Behind(rank, behind + 1), lane)},
                .action = isScatter ? PlanStep::Action::Reduce : PlanStep::Action::Copy};
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {PartOf(m_buffer, rank, m_rings.front().Size())};
    }

  protected:
    const std::vector<RingWay>& Rings() const
    {
        return m_rings;
    }

    Interval Buffer() const
    {
        return m_buffer;
    }

    uint32_t Steps() const
    {
        return m_steps;
    }

    uint32_t ScatterSteps() const
    {
        return m_scatterSteps;
    }

  private:
    Interval PartOfShard(uint32_t member, uint32_t lane) const
    {
        const Interval shard = PartOf(m_buffer, member, m_rings.front().Size());
        return PartOf(shard, lane, static_cast<uint32_t>(m_rings.size()));
    }

    const std::vector<RingWay>& m_rings;
    Interval m_buffer;
    uint32_t m_steps;
    uint32_t m_scatterSteps;
};

/// The same with several steps in each message. All messages of a lane have equal parts of its
/// bytes.
class MergedRingPlan : public RingKernelPlan
{
  public:
    MergedRingPlan(const std::vector<RingWay>& rings,
                   const PlanRequest& request,
                   uint32_t stepsPerMessage)
        : RingKernelPlan(rings, request)
        , m_stepsPerMessage(stepsPerMessage)
        , m_messages((Steps() + stepsPerMessage - 1) / stepsPerMessage)
    {
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return m_messages;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        const RingWay& ring = Rings()[lane];
        // The range stands for no data of the buffer. It only has the right length, which is the
        // same at both ends.
        const Interval range = PartOf({0, BytesOfLane(lane)}, step, m_messages);
        // A message that stands for steps of both halves counts to the half in which it begins.
        const bool isScatter = step * m_stepsPerMessage < ScatterSteps();
        return {.send = Transfer{.peer = ring.Ahead(rank, 1), .tag = step, .range = range},
                .receive = Transfer{.peer = ring.Behind(rank, 1), .tag = step, .range = range},
                .action = isScatter ? PlanStep::Action::Reduce : PlanStep::Action::Copy};
    }

  private:
    /// Elements that a member sends over the ring in all steps.
    uint64_t BytesOfLane(uint32_t lane) const
    {
        const auto rings = static_cast<uint32_t>(Rings().size());
        const Interval part = PartOf(Buffer(), lane, rings);
        // This is length x steps / ranks, in two terms, so that the product with a large length
        // cannot pass 64 bits.
        return part.Length() / Rings().front().Size() * Steps() +
               part.Length() % Rings().front().Size() * Steps() / Rings().front().Size();
    }

    uint32_t m_stepsPerMessage;
    uint32_t m_messages;
};

} // namespace

RingKernel::RingKernel(std::vector<RingWay> rings, uint32_t stepsPerMessage)
    : m_rings(std::move(rings))
    , m_stepsPerMessage(stepsPerMessage)
{
    NADI_CHECK(!m_rings.empty() && stepsPerMessage > 0);
}

bool
RingKernel::Supports(CollectiveType type) const
{
    return type == CollectiveType::AllReduce || type == CollectiveType::AllGather ||
           type == CollectiveType::ReduceScatter;
}

std::unique_ptr<CollectivePlan>
RingKernel::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    if (m_stepsPerMessage > 1)
    {
        return std::make_unique<MergedRingPlan>(m_rings, request, m_stepsPerMessage);
    }
    return std::make_unique<RingKernelPlan>(m_rings, request);
}

uint32_t
RingKernel::LatencySteps(CollectiveType type, uint32_t ranks) const
{
    return RingSteps(type, ranks);
}

uint32_t
RingSteps(CollectiveType type, uint32_t ranks)
{
    return type == CollectiveType::AllReduce ? 2 * (ranks - 1) : ranks - 1;
}

} // namespace nadi::nccl
