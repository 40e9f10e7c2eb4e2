// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/binomial-tree.h"
#include "system/algorithms/circulant-plan.h"
#include "system/algorithms/level-hops.h"
#include "system/algorithms/reversed-step.h"
#include "system/algorithms/tree-plan.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <algorithm>
#include <bit>

namespace nadi
{
namespace
{

/// Reduce-scatter by recursive halving, all-gather as its reversal, all-reduce as both in turn.
///
/// Level by level a block of ranks is split in two, and the i-th ranks of the halves exchange what
/// the other half is responsible for. Requires: the number of ranks is a power of two.
class HalvingDoublingPlan : public CollectivePlan
{
  public:
    explicit HalvingDoublingPlan(const PlanRequest& request)
        : m_type(request.type)
        , m_ranks(request.ranks)
        , m_elements(request.elements)
    {
        NADI_CHECK(std::has_single_bit(m_ranks));
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return LevelCount() * (m_type == CollectiveType::AllReduce ? 2 : 1);
    }

    PlanStep
    StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const override
    {
        const uint32_t count = LevelCount();
        switch (m_type)
        {
        case CollectiveType::ReduceScatter:
            return HalvingStep(rank, step);
        case CollectiveType::AllReduce:
            return step < count ? HalvingStep(rank, step) : DoublingStep(rank, step - count);
        default:
            return DoublingStep(rank, step);
        }
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {PartOf({0, m_elements}, rank, m_ranks)};
    }

  private:
    enum Tag : uint32_t
    {
        HALVING,
        DOUBLING,
    };

    uint32_t LevelCount() const
    {
        return static_cast<uint32_t>(std::countr_zero(m_ranks));
    }

    PlanStep HalvingStep(uint32_t rank, uint32_t level) const
    {
        const uint32_t half = m_ranks >> (level + 1);
        const uint32_t peer = rank ^ half;
        return {.send = Transfer{.peer = peer, .tag = HALVING, .range = HalfWith(peer, half)},
                .receive = Transfer{.peer = peer, .tag = HALVING, .range = HalfWith(rank, half)},
                .action = PlanStep::Action::Reduce};
    }

    PlanStep DoublingStep(uint32_t rank, uint32_t step) const
    {
        PlanStep doubling =
            ReversedStep(HalvingStep(rank, LevelCount() - 1 - step), PlanStep::Action::Copy);
        // In an all-reduce both directions use one lane, so the tag keeps their names apart.
        doubling.send->tag = DOUBLING;
        doubling.receive->tag = DOUBLING;
        return doubling;
    }

    /// What the block of `size` ranks that has `rank` is responsible for.
    Interval HalfWith(uint32_t rank, uint32_t size) const
    {
        const Interval buffer{0, m_elements};
        const uint32_t first = rank / size * size;
        return {PartOf(buffer, first, m_ranks).begin,
                PartOf(buffer, first + size - 1, m_ranks).end};
    }

    CollectiveType m_type;
    uint32_t m_ranks;
    uint64_t m_elements;
};

/// Recursive halving and doubling (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
/// collective communication operations in MPICH", 2005); broadcast and reduce on a binomial tree.
///
/// An all-reduce over p ranks takes 2 S (p - 1) / (p b) + 2 a ceil(log2 p) on a switch. Where p is
/// no power of two, pairs of blocks would leave somebody without a partner; there a rank sends to
/// one rank and receives from another, and shards are halved around the circle (CirculantPlan).
///
/// Broadcast and reduce: ceil(log2 p) (S / b + a). In a broadcast a member serves its children one
/// after the other, the largest subtree first: served at once, they would share its port, the one
/// with the most descendants would have its data no sooner than a leaf, and the time would be about
/// k (k + 1) / 2 instead of k = ceil(log2 p) times S / b.
class HalvingDoubling : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help =
        "Data is reduced by recursive halving and gathered by recursive doubling, each in log2 p "
        "steps, rounded up, for any number p of members. Broadcast and reduce use a binomial tree.";

    bool Supports(CollectiveType type) const override
    {
        switch (type)
        {
        case CollectiveType::AllToAll:
        case CollectiveType::Gather:
        case CollectiveType::Scatter:
            return false;
        default:
            return true;
        }
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        NADI_CHECK(Supports(request.type));
        if (HasRoot(request.type))
        {
            return std::make_unique<TreePlan>(
                std::make_unique<BinomialTree>(request.ranks, request.root),
                TreePlan::Task{.type = request.type,
                               .buffer = {0, request.elements},
                               .service = TreePlan::Service::InOrder});
        }
        if (std::has_single_bit(request.ranks))
        {
            return std::make_unique<HalvingDoublingPlan>(request);
        }
        return std::make_unique<CirculantPlan>(request);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return std::min(1U, links);
    }

    /// The root of a broadcast or reduce has ceil(log2 p) children.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        return HasRoot(type) ? held * std::bit_width(ranks - 1) : PhaseTraffic(type, held, ranks);
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        const auto levels = static_cast<uint32_t>(std::bit_width(ranks - 1));
        return type == CollectiveType::AllReduce ? 2 * levels : levels;
    }

    uint64_t LatencyHops(CollectiveType type, uint32_t ranks, const Shape& shape) const override
    {
        const bool isInPairs = HasRoot(type) || std::has_single_bit(ranks);
        const uint64_t hops = isInPairs ? LevelHops(ranks, shape) : CirculantHops(ranks, shape);
        return type == CollectiveType::AllReduce ? 2 * hops : hops;
    }

    /// Pairs that exchange wait for each other. Around a circle nobody waits for the rank that it
    /// sends to.
    bool KeepsChunksInStep(CollectiveType type, uint32_t ranks) const override
    {
        return HasRoot(type) || std::has_single_bit(ranks);
    }

    /// Each step moves half of what the one before moved. Three was measured
    /// (tests/component/automatic-chunks-test.cc): with less, 16 chunks are taken where they need
    /// a fifth more time than 8.
    int64_t IdleLatencies(CollectiveType type) const override
    {
        return HasRoot(type) ? 1 : 3;
    }
};

NADI_REGISTER(CollectiveAlgorithm, HalvingDoubling, "halving-doubling");

} // namespace
} // namespace nadi
