// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/algorithms/binomial-tree.h"
#include "system/algorithms/halving-block.h"
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
/// the other half is responsible for. See HalvingDoubling for groups that are no power of two.
class HalvingDoublingPlan : public CollectivePlan
{
  public:
    explicit HalvingDoublingPlan(const PlanRequest& request)
        : m_type(request.type)
        , m_ranks(request.ranks)
        , m_elements(request.elements)
    {
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 1;
    }

    uint32_t StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return HalvingSteps(rank) * (m_type == CollectiveType::AllReduce ? 2 : 1);
    }

    PlanStep
    StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const override
    {
        const uint32_t count = HalvingSteps(rank);
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
        return {RangeOf({rank, 1})};
    }

  private:
    enum Tag : uint32_t
    {
        HALVING,
        DOUBLING,
    };

    uint32_t HalvingSteps(uint32_t rank) const
    {
        uint32_t steps = 0;
        for (HalvingBlock block{0, m_ranks}; block.size > 1; block = block.HalfOf(rank))
        {
            steps += block.TakesTwo(rank) ? 2 : 1;
        }
        return steps;
    }

    PlanStep HalvingStep(uint32_t rank, uint32_t step) const
    {
        // The plan stores nothing by rank or step, so the block is found from the top each time.
        // There are only about log2 p levels.
        HalvingBlock block{0, m_ranks};
        while (step >= (block.TakesTwo(rank) ? 2U : 1U))
        {
            step -= block.TakesTwo(rank) ? 2 : 1;
            block = block.HalfOf(rank);
        }
        return step == 0 ? ExchangeIn(block, rank) : SecondReceiveIn(block, rank);
    }

    PlanStep DoublingStep(uint32_t rank, uint32_t step) const
    {
        const PlanStep halving = HalvingStep(rank, HalvingSteps(rank) - 1 - step);
        PlanStep doubling = ReversedStep(halving, PlanStep::Action::Copy);
        // In an all-reduce both directions use one lane, so the tag keeps their names apart.
        for (auto* transfer : {&doubling.send, &doubling.receive})
        {
            if (*transfer)
            {
                (*transfer)->tag = DOUBLING;
            }
        }
        return doubling;
    }

    PlanStep ExchangeIn(const HalvingBlock& block, uint32_t rank) const
    {
        const HalvingBlock own = block.HalfOf(rank);
        const HalvingBlock other = block.OtherHalfOf(rank);
        const uint32_t index = rank - own.first;
        PlanStep step{
            .send = std::nullopt, .receive = std::nullopt, .action = PlanStep::Action::Reduce};
        // The halves differ by one rank at most. A rank without a partner sends to the first rank
        // of the other half, and gets nothing.
        const bool hasPartner = index < other.size;
        const uint32_t peer = hasPartner ? other.first + index : other.first;
        step.send = Transfer{.peer = peer, .tag = HALVING, .range = RangeOf(other)};
        if (hasPartner)
        {
            step.receive = Transfer{.peer = peer, .tag = HALVING, .range = RangeOf(own)};
        }
        return step;
    }

    PlanStep SecondReceiveIn(const HalvingBlock& block, uint32_t rank) const
    {
        const uint32_t withoutPartner = block.Upper().first - 1;
        return {.send = std::nullopt,
                .receive = Transfer{.peer = withoutPartner,
                                    .tag = HALVING,
                                    .range = RangeOf(block.HalfOf(rank))},
                .action = PlanStep::Action::Reduce};
    }

    Interval RangeOf(const HalvingBlock& block) const
    {
        const Interval buffer{0, m_elements};
        return {PartOf(buffer, block.first, m_ranks).begin,
                PartOf(buffer, block.first + block.size - 1, m_ranks).end};
    }

    CollectiveType m_type;
    uint32_t m_ranks;
    uint64_t m_elements;
};

/// Recursive halving and doubling (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
/// collective communication operations in MPICH", 2005); broadcast and reduce on a binomial tree.
///
/// For p a power of two an all-reduce takes 2 S (p - 1) / (p b) + 2 a log2 p. For other p blocks
/// are split unevenly, ceil(m / 2) and floor(m / 2) ranks, with ceil(log2 p) levels: in an odd
/// block one rank of the larger half has no partner; what it holds for the other half goes to that
/// half's first rank, and nobody sends to it, since the sum over a block's ranks stays whole.
/// So every rank of a reduce-scatter still sends exactly the buffer without its own shard, and no
/// rank takes two messages in more than one level. A level of m ranks takes at most S m / (p b)
/// where it would take half that: an all-reduce takes less than about 2 S / b longer, which is
/// what folding p - 2^k ranks onto partners first would cost.
/// Example with p = 5: the first level splits {0, 1, 2} and {3, 4}. 0 and 3 exchange, 1 and 4
/// exchange, and 2 has no partner: it sends to 3, which takes two messages. The second level splits
/// {0, 1}, {2} and {3}, {4}: 0 and 2 exchange, 1 sends to 2, and 3 and 4 exchange. In the third, 0
/// and 1 exchange.
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
        return std::make_unique<HalvingDoublingPlan>(request);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return std::min(1U, links);
    }

    /// Every member of a reduce-scatter sends all but its own shard, but if p is no power of two
    /// some receive more. An all-gather is its reversal. The root of a broadcast or reduce has
    /// ceil(log2 p) children.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        if (HasRoot(type))
        {
            return held * std::bit_width(ranks - 1);
        }
        const auto most = static_cast<int64_t>(MostHalvingReceipts(ranks));
        switch (type)
        {
        case CollectiveType::ReduceScatter:
            return PartsOf(held, most, ranks);
        case CollectiveType::AllReduce:
            return PartsOf(held, most + ranks - 1, ranks);
        case CollectiveType::AllGather:
            return held * most;
        default:
            return PhaseTraffic(type, held, ranks);
        }
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        const auto levels = static_cast<uint32_t>(std::bit_width(ranks - 1));
        return type == CollectiveType::AllReduce ? 2 * levels : levels;
    }

  private:
    /// So many of p equal parts of a buffer. A fraction of a byte counts as one.
    static Bytes PartsOf(Bytes buffer, int64_t parts, uint32_t ranks)
    {
        const auto whole = buffer.Count() / ranks;
        const auto rest = buffer.Count() % ranks;
        return Bytes(whole * parts + (rest * parts + ranks - 1) / ranks);
    }
};

NADI_REGISTER(CollectiveAlgorithm, HalvingDoubling, "halving-doubling");

} // namespace
} // namespace nadi
