// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nvls-tree-kernel.h"

#include "common/check.h"
#include "system/algorithms/tree-plan.h"
#include "system/library/nccl/node-trees.h"

#include <bit>
#include <optional>
#include <utility>

namespace nadi::nccl
{

namespace
{

constexpr uint32_t TREES_OF_PLACE = 2;

/// Lane k n + t is piece k of tree t of n, at ranks and switches alike, so all open the lanes in
/// one order. The switch of node i is member `ranks + i`.
///
/// Steps of a lane: a head pulls (step 0), takes part in its tree, and pushes (its last step).
/// Another rank gives its data to the pull and gets what is pushed, in one step. A switch receives
/// from all ranks of its node, serves the head, and sends to all of them.
class NvlsTreePlan : public CollectivePlan
{
  public:
    NvlsTreePlan(const Placement& placement, uint64_t elements, uint32_t pieces, uint32_t window)
        : m_placement(placement)
        , m_elements(elements)
        , m_pieces(pieces)
        , m_window(window)
    {
        std::vector<MemberTree> trees = LayHeadTrees(placement);
        const auto count = static_cast<uint32_t>(trees.size());
        for (uint32_t tree = 0; tree < count; ++tree)
        {
            m_trees.push_back(std::make_unique<TreePlan>(
                std::make_unique<MemberTree>(std::move(trees[tree])),
                TreePlan::Task{.type = CollectiveType::AllReduce,
                               .buffer = PartOf({0, elements}, tree, count),
                               .slices = pieces}));
        }
    }

    uint32_t HelperCount() const override
    {
        return m_placement.NodeCount();
    }

    std::optional<uint32_t> LanesAtOnce() const override
    {
        return m_window * TreeCount();
    }

    uint32_t LaneCount(uint32_t /*member*/, uint32_t /*stage*/) const override
    {
        return m_pieces * TreeCount();
    }

    uint32_t StepCount(uint32_t member, uint32_t stage, uint32_t lane) const override
    {
        if (IsSwitch(member))
        {
            return 2 * Local() + 1;
        }
        return IsHead(member, lane)
                   ? 2 + m_trees[TreeOf(lane)]->StepCount(member, stage, PieceOf(lane))
                   : 1;
    }

    PlanStep StepAt(uint32_t member, uint32_t stage, uint32_t lane, uint32_t step) const override
    {
        if (IsSwitch(member))
        {
            return SwitchStep(member - m_placement.Size(), lane, step);
        }
        const uint32_t node = m_placement.NodeOf(member);
        const Transfer pull = Between(m_placement.Size() + node, lane, PULL);
        const Transfer push = Between(m_placement.Size() + node, lane, PUSH);
        if (!IsHead(member, lane))
        {
            return {.send = pull, .receive = push};
        }
        if (step == 0)
        {
            return {.send = pull, .receive = pull};
        }
        if (step + 1 == StepCount(member, stage, lane))
        {
            return {.send = push, .receive = push};
        }
        return m_trees[TreeOf(lane)]->StepAt(member, stage, PieceOf(lane), step - 1);
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {}; // an all-reduce leaves no member with parts of its own
    }

  private:
    static constexpr uint32_t PULL = 0;
    static constexpr uint32_t PUSH = 1;

    bool IsSwitch(uint32_t member) const
    {
        return member >= m_placement.Size();
    }

    /// Members of each node.
    uint32_t Local() const
    {
        return static_cast<uint32_t>(m_placement.MembersOf(0).size());
    }

    uint32_t TreeCount() const
    {
        return static_cast<uint32_t>(m_trees.size());
    }

    uint32_t TreeOf(uint32_t lane) const
    {
        // Consecutive lanes go to the trees in turn, so that a window of lanes serves all trees
        // alike.
        return lane % TreeCount();
    }

    uint32_t PieceOf(uint32_t lane) const
    {
        return lane / TreeCount();
    }

    uint32_t HeadOf(uint32_t node, uint32_t lane) const
    {
        return m_placement.MembersOf(node)[TreeOf(lane) / TREES_OF_PLACE];
    }

    bool IsHead(uint32_t member, uint32_t lane) const
    {
        return HeadOf(m_placement.NodeOf(member), lane) == member;
    }

    /// Of a rank and the switch of its node; `peer` is the other end.
    Transfer Between(uint32_t peer, uint32_t lane, uint32_t tag) const
    {
        // Parts and pieces are those of the tree plans, so that a head sends up what it pulled.
        const Interval part = PartOf({0, m_elements}, TreeOf(lane), TreeCount());
        return {.peer = peer, .tag = tag, .range = PartOf(part, PieceOf(lane), m_pieces)};
    }

    PlanStep SwitchStep(uint32_t node, uint32_t lane, uint32_t step) const
    {
        const std::vector<uint32_t>& members = m_placement.MembersOf(node);
        if (step < Local())
        {
            return {.receive = Between(members[step], lane, PULL),
                    .action = PlanStep::Action::Reduce};
        }
        if (step == Local())
        {
            const uint32_t head = HeadOf(node, lane);
            return {.send = Between(head, lane, PULL), .receive = Between(head, lane, PUSH)};
        }
        return {.send = Between(members[step - Local() - 1], lane, PUSH)};
    }

    Placement m_placement;
    uint64_t m_elements;
    uint32_t m_pieces;
    uint32_t m_window;
    std::vector<std::unique_ptr<TreePlan>> m_trees; // two for each place, one after the other
};

} // namespace

NvlsTreeKernel::NvlsTreeKernel(const Placement& placement, uint32_t pieces, uint32_t window)
    : m_placement(placement)
    , m_pieces(pieces)
    , m_window(window)
{
    NADI_CHECK(placement.IsRegular() && placement.NodeCount() > 1 &&
               placement.MembersOf(0).size() > 1);
}

std::unique_ptr<CollectivePlan>
NvlsTreeKernel::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type) && request.ranks == m_placement.Size());
    return std::make_unique<NvlsTreePlan>(m_placement, request.elements, m_pieces, m_window);
}

std::optional<TreeDemand>
NvlsTreeKernel::NeedsTrees() const
{
    TreeDemand demand{.isFlat = true};
    for (uint32_t node = 0; node < m_placement.NodeCount(); ++node)
    {
        demand.parts.push_back(m_placement.MembersOf(node));
    }
    return demand;
}

uint32_t
NvlsTreeKernel::LatencySteps(CollectiveType /*type*/, uint32_t /*ranks*/) const
{
    const auto levels = static_cast<uint32_t>(std::bit_width(m_placement.NodeCount()));
    return 4 + 2 * levels;
}

/// Of n nodes with m members: each member sends S to the switch, and for each place a head of each
/// node pushes S/m; each of the trees has n - 1 edges, over which its part goes up and down.
double
NvlsTreeKernel::TimesSent(CollectiveType /*type*/, uint32_t ranks) const
{
    const double nodes = m_placement.NodeCount();
    const double inside = ranks + nodes;
    const double between = 2 * (nodes - 1);
    return (inside + between) / (2.0 * (ranks - 1));
}

} // namespace nadi::nccl
