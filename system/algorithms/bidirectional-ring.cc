// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/ring-plan.h"
#include "system/algorithms/side-by-side-plan.h"
#include "system/algorithms/slices.h"

#include <algorithm>

namespace nadi
{
namespace
{

/// Two rings at once: the buffer is halved, each half runs the one-way ring in its own direction.
///
/// An all-reduce takes 2 (p - 1) (S / (2 p b) + a). A member owns two ranges, a shard of each
/// half. A group of two has one neighbour and one link to it, so two ways around would only double
/// the messages: it runs the one-way ring on the whole buffer. So does a barrier, which has
/// nothing to halve.
class BidirectionalRing : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help = "Data goes around a ring in both directions: the buffer is "
                                        "halved, and each half takes one of them.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {Slices::Spec()};
    }

    explicit BidirectionalRing(const Parameters& parameters)
        : m_slices(parameters)
    {
    }

    bool Supports(CollectiveType type) const override
    {
        return IsRingCollective(type);
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(Supports(request.type));
        const Interval buffer{0, request.elements};
        if (request.ranks <= 2 || request.type == CollectiveType::Barrier)
        {
            return MakeOneWay(request, buffer, RingDirection::Forward);
        }
        return std::make_unique<SideBySidePlan>(SideBySidePlan::Pair(
            MakeOneWay(request, PartOf(buffer, 0, 2), RingDirection::Forward),
            MakeOneWay(request, PartOf(buffer, 1, 2), RingDirection::Backward)));
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return std::min(2U, links);
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        return RingLatencySteps(type, ranks);
    }

    uint64_t LatencyHops(CollectiveType type, uint32_t ranks, const Shape& shape) const override
    {
        return uint64_t{RingLatencySteps(type, ranks)} * RingStepHops(ranks, shape);
    }

    /// All members send and receive as much as each other.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        return RingTraffic(type, held, ranks);
    }

    bool CutsSlices(CollectiveType type) const override
    {
        return CutsRingSlices(type);
    }

    double TimesSent(CollectiveType type, uint32_t ranks) const override
    {
        return RingTimesSent(type, ranks);
    }

  private:
    std::unique_ptr<CollectivePlan>
    MakeOneWay(const PlanRequest& request, Interval buffer, RingDirection direction) const
    {
        return MakeRingPlan({.type = request.type,
                             .order = RingOrder(request.ranks, request.line, direction),
                             .buffer = buffer,
                             .root = request.root,
                             .slices = m_slices.CountFor({.elements = buffer.Length(),
                                                          .elementBytes = request.elementBytes,
                                                          .stages = request.ranks - 1})});
    }

    Slices m_slices;
};

NADI_REGISTER(CollectiveAlgorithm, BidirectionalRing, "bidirectional-ring");

} // namespace
} // namespace nadi
