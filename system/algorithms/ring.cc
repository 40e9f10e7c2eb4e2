// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/ring-plan.h"
#include "system/algorithms/slices.h"

#include <algorithm>

namespace nadi
{
namespace
{

/// Every message goes to the next member of a ring, one way around.
///
/// Cost per rank, with S the buffer (all shards together): reduce-scatter and all-gather send
/// S (p - 1) / p in p - 1 steps, all-reduce twice that: 2 (p - 1) (S / (p b) + a).
class Ring : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help =
        "Data goes around a ring in one direction: every member sends to the next one only. "
        "Broadcast and reduce are pipelined along the ring.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {Slices::Spec()};
    }

    explicit Ring(const Parameters& parameters)
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
        return MakeRingPlan(
            {.type = request.type,
             .order = RingOrder(request.ranks, request.line, RingDirection::Forward),
             .buffer = {0, request.elements},
             .root = request.root,
             .slices = m_slices.CountFor({.elements = request.elements,
                                          .elementBytes = request.elementBytes,
                                          .stages = request.ranks - 1})});
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return std::min(1U, links);
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
    Slices m_slices;
};

NADI_REGISTER(CollectiveAlgorithm, Ring, "ring");

} // namespace
} // namespace nadi
