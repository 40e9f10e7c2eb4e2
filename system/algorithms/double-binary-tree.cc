// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/level-hops.h"
#include "system/algorithms/side-by-side-plan.h"
#include "system/algorithms/slices.h"
#include "system/algorithms/tree-plan.h"
#include "system/algorithms/twin-tree.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <algorithm>
#include <bit>

namespace nadi
{
namespace
{

/// Two trees at once (P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth
/// broadcast, reduction and scan", 2009), each with half of the buffer, in slices.
///
/// An inner member of one tree is a leaf of the other, so no member sends or receives more than S
/// per broadcast or reduce, 2 S per all-reduce: towards 2 S / b for many slices, with 2 ceil(log2
/// p) steps of latency. All-reduce and barrier are rooted at member 0. A barrier needs one tree
/// only.
class DoubleBinaryTree : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help =
        "Two complementary binary trees carry half of the buffer each, pipelined in slices.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {Slices::Spec()};
    }

    explicit DoubleBinaryTree(const Parameters& parameters)
        : m_slices(parameters)
    {
    }

    bool Supports(CollectiveType type) const override
    {
        switch (type)
        {
        case CollectiveType::AllReduce:
        case CollectiveType::Broadcast:
        case CollectiveType::Reduce:
        case CollectiveType::Barrier:
            return true;
        default:
            return false;
        }
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(Supports(request.type));
        const Interval buffer{0, request.elements};
        if (request.type == CollectiveType::Barrier)
        {
            return MakeTree(request, buffer, TwinTree::Twin::First);
        }
        return std::make_unique<SideBySidePlan>(
            SideBySidePlan::Pair(MakeTree(request, PartOf(buffer, 0, 2), TwinTree::Twin::First),
                                 MakeTree(request, PartOf(buffer, 1, 2), TwinTree::Twin::Second)));
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return std::min(1U, links);
    }

    /// In an all-reduce of four or more, some member has two children in one tree and none in the
    /// other. It sends up in both, and down to its children: four halves. Of three, one member has
    /// one child, so three halves.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        if (type != CollectiveType::AllReduce || ranks < 3)
        {
            return PhaseTraffic(type, held, ranks);
        }
        const Bytes half((held.Count() + 1) / 2);
        return half * (ranks == 3 ? 3 : 4);
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        const auto height = static_cast<uint32_t>(std::bit_width(ranks - 1));
        return HasRoot(type) ? height : 2 * height;
    }

    uint64_t LatencyHops(CollectiveType type, uint32_t ranks, const Shape& shape) const override
    {
        return LevelHops(ranks, shape) * (HasRoot(type) ? 1 : 2);
    }

  private:
    std::unique_ptr<CollectivePlan>
    MakeTree(const PlanRequest& request, Interval buffer, TwinTree::Twin twin) const
    {
        const uint32_t root = HasRoot(request.type) ? request.root : 0;
        return std::make_unique<TreePlan>(
            std::make_unique<TwinTree>(twin, request.ranks, root),
            TreePlan::Task{.type = request.type,
                           .buffer = buffer,
                           .slices = m_slices.CountFor(
                               {.elements = buffer.Length(),
                                .elementBytes = request.elementBytes,
                                .stages = LatencySteps(request.type, request.ranks)})});
    }

    Slices m_slices;
};

NADI_REGISTER(CollectiveAlgorithm, DoubleBinaryTree, "double-binary-tree");

} // namespace
} // namespace nadi
