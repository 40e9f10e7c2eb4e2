// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/tree-pipeline.h"
#include "system/algorithms/tree-slices.h"
#include "system/collective-plan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{
namespace
{

/// A switch under all members reduces and multicasts for the owner of each slice, as the loads that
/// reduce and the stores that multicast of NVLink SHARP do. A lane is a slice.
///
/// The owner pulls the slice: all members, itself included, send theirs to the switch, and it gets
/// them reduced. The owner pushes the slice: it sends it to the switch, and all members, itself
/// included, get it. A reduce-scatter and a reduce pull, an all-gather and a broadcast push, an
/// all-reduce and a barrier pull and then push.
class NvlsPlan : public CollectivePlan
{
  public:
    NvlsPlan(const PlanRequest& request, const TreePipeline& pipeline)
        : m_ranks(request.ranks)
        , m_pulls(request.type != CollectiveType::AllGather &&
                  request.type != CollectiveType::Broadcast)
        , m_pushes(request.type != CollectiveType::ReduceScatter &&
                   request.type != CollectiveType::Reduce)
        , m_slices(request, pipeline.SliceSize())
        , m_window(pipeline.WindowFor(request.trees, TripsUnderWay()))
    {
        // The plan has a single switch between all members. TreeDemand::isFlat asks for such trees.
        for (uint32_t tree = 0; tree < m_slices.TreeCount(); ++tree)
        {
            NADI_CHECK(m_slices.Tree(tree).Depth() == 1);
        }
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
        if (member >= m_ranks)
        {
            return (m_pulls ? m_ranks : 0) + 1 + (m_pushes ? m_ranks : 0);
        }
        return m_pulls && m_pushes && m_slices.OwnerOf(lane) == member ? 2 : 1;
    }

    PlanStep
    StepAt(uint32_t member, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        if (member < m_ranks)
        {
            return RankStep(member, lane, step);
        }
        return SwitchStep(m_slices.SliceAt(m_slices.HelperAt(member).tree, lane), step);
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {m_slices.ShardOf(rank)};
    }

  private:
    /// How many ways to the switch and back the slices under way must last. A slice takes two, one
    /// to pull it and one to push it. But a push leaves its owner behind all pulls that were sent
    /// before: of W slices, all are pulled, then 1/p of them is pushed, and only when the first of
    /// these are back there are others to pull. So that this 1/p lasts for a way there and back,
    /// the W slices last for p of them.
    uint32_t TripsUnderWay() const
    {
        return m_pulls && m_pushes ? std::max(2U, m_ranks) : 2U;
    }

    // The owner has two messages each way in a lane that pulls and pushes.
    static constexpr uint32_t PULL = 0;
    static constexpr uint32_t PUSH = 1;

    Transfer TransferWith(uint32_t peer, uint32_t slice, uint32_t tag) const
    {
        return {.peer = peer, .tag = tag, .channel = slice, .range = m_slices.RangeOf(slice)};
    }

    Transfer TransferWithSwitch(uint32_t slice, uint32_t tag) const
    {
        const uint32_t tree = m_slices.TreeOf(slice);
        return TransferWith(m_slices.MemberAt(tree, m_slices.Tree(tree).Root()), slice, tag);
    }

    PlanStep SwitchStep(uint32_t slice, uint32_t step) const
    {
        const uint32_t owner = m_slices.OwnerOf(slice);
        const uint32_t pulls = m_pulls ? m_ranks : 0;
        if (step < pulls)
        {
            return {.receive = TransferWith(step, slice, PULL), .action = PlanStep::Action::Reduce};
        }
        if (step > pulls)
        {
            return {.send = TransferWith(step - pulls - 1, slice, PUSH)};
        }
        // Between the pulls and the pushes the switch serves the owner: the switch sends the sum to
        // the owner, and waits for what the owner pushes.
        PlanStep served;
        if (m_pulls)
        {
            served.send = TransferWith(owner, slice, PULL);
        }
        if (m_pushes)
        {
            served.receive = TransferWith(owner, slice, PUSH);
        }
        return served;
    }

    PlanStep RankStep(uint32_t rank, uint32_t slice, uint32_t step) const
    {
        const bool isOwner = rank == m_slices.OwnerOf(slice);
        const Transfer pull = TransferWithSwitch(slice, PULL);
        const Transfer push = TransferWithSwitch(slice, PUSH);
        if (isOwner)
        {
            const bool isPull = m_pulls && step == 0;
            return {.send = isPull ? pull : push, .receive = isPull ? pull : push};
        }
        if (m_pulls && m_pushes)
        {
            return {.send = pull, .receive = push};
        }
        // A rank that only sends waits for the delivery, so that the window bounds what is under
        // way.
        return m_pulls ? PlanStep{.send = pull, .awaitsDelivery = true} : PlanStep{.receive = push};
    }

    uint32_t m_ranks;
    bool m_pulls;
    bool m_pushes;
    TreeSlices m_slices;
    std::optional<uint32_t> m_window;
};

/// NVLink SHARP (docs/collectives.md): an all-reduce takes S + S/p out of each member and into it,
/// and two round trips of latency.
class Nvls : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help = "A switch under all members reduces for the owner of each "
                                        "shard, and multicasts what the owner sends.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return TreePipeline::Specs();
    }

    explicit Nvls(const Parameters& parameters)
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
        return std::make_unique<NvlsPlan>(request, m_pipeline);
    }

    std::optional<TreeDemand> NeedsTrees() const override
    {
        return TreeDemand{
            .most = m_pipeline.MostTrees(), .isFlat = true, .slice = m_pipeline.SliceSize()};
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    /// Up and down for the pull, and for the push.
    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        const bool isTwice = type == CollectiveType::AllReduce || type == CollectiveType::Barrier;
        return ranks > 1 ? (isTwice ? 4 : 2) : 0;
    }

    /// All-reduce: a member sends all it has to be pulled, and pushes what it owns. All-gather: it
    /// gets its own shard back with the others.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        switch (type)
        {
        case CollectiveType::AllReduce:
            return held + Bytes((held.Count() + ranks - 1) / ranks);
        case CollectiveType::AllGather:
            return held * ranks;
        case CollectiveType::Barrier:
            return Bytes(0);
        default:
            return held;
        }
    }

    uint32_t RoundTrips(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce || type == CollectiveType::Barrier ? 2 : 1;
    }

    double TimesSent(CollectiveType type, uint32_t ranks) const override
    {
        // The result is what ranks send, divided by what they must send (EstimateTraffic). In an
        // all-reduce p ranks send S each to be pulled, and push S together.
        const double others = ranks - 1;
        switch (type)
        {
        case CollectiveType::AllReduce:
            return (ranks + 1) / (2 * others);
        case CollectiveType::ReduceScatter:
        case CollectiveType::Reduce:
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

NADI_REGISTER(CollectiveAlgorithm, Nvls, "nvls");

} // namespace
} // namespace nadi
