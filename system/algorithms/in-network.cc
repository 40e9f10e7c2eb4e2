// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/tree-pipeline.h"
#include "system/algorithms/tree-slices.h"
#include "system/collective-plan.h"

#include <memory>
#include <optional>
#include <vector>

namespace nadi
{
namespace
{

/// Slices go up trees of switches, which reduce them, and down, multicast (TreeSlices). A lane is
/// a slice; a switch has lanes for the slices of its tree.
///
/// All-reduce and barrier: each rank sends its slice up, and the root's result comes down. A
/// switch's steps: receive from each child; send up and receive from above, unless it is the root;
/// send to each child. Reduce-scatter: the same, but the result goes down to the owner of the slice
/// only. All-gather and broadcast: the slice of the owner spreads over the tree from where it
/// enters. Reduce: it gathers towards the owner, reduced by each switch that it comes to.
class InNetworkPlan : public CollectivePlan
{
  public:
    InNetworkPlan(const PlanRequest& request, const TreePipeline& pipeline)
        : m_type(request.type)
        , m_ranks(request.ranks)
        , m_slices(request, pipeline.SliceSize())
        , m_window(pipeline.WindowFor(request.trees, TRIPS))
    {
    }

    uint32_t HelperCount() const override
    {
        return m_slices.HelperCount();
    }

    std::optional<uint32_t> LanesAtOnce() const override
    {
        return m_window;
    }

    uint32_t LaneCount(uint32_t member, uint32_t /*stage*/) const override
    {
        return member < m_ranks ? m_slices.Count()
                                : m_slices.CountOf(m_slices.HelperAt(member).tree);
    }

    uint32_t StepCount(uint32_t member, uint32_t /*stage*/, uint32_t lane) const override
    {
        return member < m_ranks ? 1 : SwitchStepCount(PlaceOf(member, lane));
    }

    PlanStep
    StepAt(uint32_t member, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        return member < m_ranks ? RankStep(member, lane) : SwitchStep(PlaceOf(member, lane), step);
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {m_slices.ShardOf(rank)};
    }

  private:
    // A slice goes up the tree and comes back.
    static constexpr uint32_t TRIPS = 1;

    /// Where a slice is: at a node of its tree.
    struct Place
    {
        const AggregationTree& tree;
        uint32_t number; ///< of the tree
        uint32_t node;
        uint32_t slice;

        uint32_t ChildCount() const
        {
            return static_cast<uint32_t>(tree.ChildrenOf(node).size());
        }

        bool IsRoot() const
        {
            return node == tree.Root();
        }
    };

    Place PlaceOf(uint32_t member, uint32_t lane) const
    {
        const TreeSlices::Helper& helper = m_slices.HelperAt(member);
        return {m_slices.Tree(helper.tree),
                helper.tree,
                helper.node,
                m_slices.SliceAt(helper.tree, lane)};
    }

    /// Everybody's slices are reduced on the way to the root of the tree.
    bool GoesUp() const
    {
        return m_type == CollectiveType::AllReduce || m_type == CollectiveType::Barrier ||
               m_type == CollectiveType::ReduceScatter;
    }

    bool IsAboveOwner(const Place& place) const
    {
        return place.tree.IsAbove(place.node, m_slices.OwnerOf(place.slice));
    }

    /// The neighbour by which the owner of the slice is reached.
    uint32_t TowardsOwner(const Place& place) const
    {
        if (!IsAboveOwner(place))
        {
            return *place.tree.ParentOf(place.node);
        }
        const uint32_t child = place.tree.PlaceTowards(place.node, m_slices.OwnerOf(place.slice));
        return place.tree.ChildrenOf(place.node)[child];
    }

    /// Of the neighbours but the one towards the owner, the one with this number: the parent
    /// first, if it is one of them.
    uint32_t OtherNeighbour(const Place& place, uint32_t number) const
    {
        const std::vector<uint32_t>& children = place.tree.ChildrenOf(place.node);
        if (!IsAboveOwner(place))
        {
            return children[number];
        }
        if (!place.IsRoot() && number == 0)
        {
            return *place.tree.ParentOf(place.node);
        }
        const uint32_t child = number - (place.IsRoot() ? 0 : 1);
        const uint32_t skipped = place.tree.PlaceTowards(place.node, m_slices.OwnerOf(place.slice));
        return children[child + (child >= skipped ? 1 : 0)];
    }

    uint32_t NeighbourCount(const Place& place) const
    {
        return place.ChildCount() + (place.IsRoot() ? 0 : 1);
    }

    uint32_t SwitchStepCount(const Place& place) const
    {
        if (m_type == CollectiveType::ReduceScatter)
        {
            // After it has received from its children, the root sends down and any other switch
            // sends up. A switch between the root and the owner receives the result in the step in
            // which it sends up, and passes the result on in one more step.
            const bool isBetween = !place.IsRoot() && IsAboveOwner(place);
            return place.ChildCount() + 1 + (isBetween ? 1 : 0);
        }
        return GoesUp() ? place.ChildCount() + NeighbourCount(place) : NeighbourCount(place);
    }

    PlanStep SwitchStep(const Place& place, uint32_t step) const
    {
        if (GoesUp())
        {
            return UpAndDownStep(place, step);
        }
        const Transfer owners = TransferWith(place, TowardsOwner(place));
        if (m_type == CollectiveType::Reduce)
        {
            // The owner's direction comes last, since what goes there is the sum of all others.
            const bool isLast = step + 1 == NeighbourCount(place);
            return isLast ? PlanStep{.send = owners}
                          : Reduction(TransferWith(place, OtherNeighbour(place, step)));
        }
        return step == 0 ? PlanStep{.receive = owners}
                         : PlanStep{.send = TransferWith(place, OtherNeighbour(place, step - 1))};
    }

    PlanStep UpAndDownStep(const Place& place, uint32_t step) const
    {
        const std::vector<uint32_t>& children = place.tree.ChildrenOf(place.node);
        if (step < children.size())
        {
            return Reduction(TransferWith(place, children[step]));
        }
        uint32_t down = step - place.ChildCount();
        if (!place.IsRoot())
        {
            if (down == 0)
            {
                return ExchangeWithParent(place);
            }
            --down;
        }
        const bool isScattered = m_type == CollectiveType::ReduceScatter;
        return {.send = TransferWith(place, isScattered ? TowardsOwner(place) : children[down])};
    }

    PlanStep ExchangeWithParent(const Place& place) const
    {
        const Transfer parents = TransferWith(place, *place.tree.ParentOf(place.node));
        const bool comesBack = m_type != CollectiveType::ReduceScatter || IsAboveOwner(place);
        return {.send = parents, .receive = comesBack ? std::optional(parents) : std::nullopt};
    }

    static PlanStep Reduction(const Transfer& from)
    {
        return {.receive = from, .action = PlanStep::Action::Reduce};
    }

    Transfer TransferWith(const Place& place, uint32_t node) const
    {
        return {.peer = m_slices.MemberAt(place.number, node),
                .channel = place.slice,
                .range = m_slices.RangeOf(place.slice)};
    }

    PlanStep RankStep(uint32_t rank, uint32_t slice) const
    {
        const uint32_t number = m_slices.TreeOf(slice);
        const Place place{m_slices.Tree(number), number, rank, slice};
        const Transfer parents = TransferWith(place, *place.tree.ParentOf(rank));
        const bool isOwner = rank == m_slices.OwnerOf(slice);
        // A rank that gets nothing back waits for the delivery of its slice. Else its lanes would
        // end at once, and the window would not bound the slices that it has under way.
        const PlanStep sent{.send = parents, .awaitsDelivery = true};
        switch (m_type)
        {
        case CollectiveType::ReduceScatter:
            return isOwner ? PlanStep{.send = parents, .receive = parents} : sent;
        case CollectiveType::AllGather:
        case CollectiveType::Broadcast:
            return isOwner ? sent : PlanStep{.receive = parents};
        case CollectiveType::Reduce:
            return isOwner ? Reduction(parents) : sent;
        default:
            return {.send = parents, .receive = parents};
        }
    }

    CollectiveType m_type;
    uint32_t m_ranks;
    TreeSlices m_slices;
    std::optional<uint32_t> m_window;
};

/// SHARP in InfiniBand switches, and fabrics such as FRED (docs/collectives.md): an all-reduce
/// takes S out of each member and S into it, where endpoints alone take 2 S (p - 1) / p.
class InNetwork : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help =
        "Switches reduce what members send up a tree, and multicast the result.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return TreePipeline::Specs();
    }

    explicit InNetwork(const Parameters& parameters)
        : m_pipeline(parameters)
    {
    }

    bool Supports(CollectiveType type) const override
    {
        return IsTreeCollective(type);
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(Supports(request.type));
        return std::make_unique<InNetworkPlan>(request, m_pipeline);
    }

    std::optional<TreeDemand> NeedsTrees() const override
    {
        return TreeDemand{.most = m_pipeline.MostTrees(), .slice = m_pipeline.SliceSize()};
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    /// Up and down.
    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks > 1 ? 2 : 0;
    }

    /// A member's buffer goes up once and comes down once.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        const bool isReduced =
            type == CollectiveType::AllReduce || type == CollectiveType::ReduceScatter;
        return isReduced ? held : PhaseTraffic(type, held, ranks);
    }

    uint32_t RoundTrips(CollectiveType /*type*/) const override
    {
        return 1;
    }

    double TimesSent(CollectiveType type, uint32_t ranks) const override
    {
        // The result is what ranks send, divided by what they must send (EstimateTraffic). In an
        // all-reduce of p ranks that is p S / (2 S (p - 1)). What switches send is not counted.
        const double others = ranks - 1;
        switch (type)
        {
        case CollectiveType::AllReduce:
            return ranks / (2 * others);
        case CollectiveType::ReduceScatter:
            return ranks / others;
        case CollectiveType::AllGather:
        case CollectiveType::Broadcast:
            return 1 / others;
        default:
            return 1;
        }
    }

  private:
    TreePipeline m_pipeline;
};

NADI_REGISTER(CollectiveAlgorithm, InNetwork, "in-network");

} // namespace
} // namespace nadi
