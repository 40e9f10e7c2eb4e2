// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/collective-plan.h"
#include "system/phase-traffic.h"

#include <algorithm>

namespace nadi
{
namespace
{

/// Every member sends one message to every other in each stage: to r + 1, r + 2, ... (mod p), a
/// lane each. In a scatter (reduce-scatter, all-to-all) it is the destination's part of the
/// buffer, in a gather (all-gather, barrier) the sender's own; an all-reduce has both stages.
class DirectExchangePlan : public CollectivePlan
{
  public:
    explicit DirectExchangePlan(const PlanRequest& request)
        : m_type(request.type)
        , m_ranks(request.ranks)
        , m_elements(request.elements)
    {
    }

    uint32_t StageCount() const override
    {
        return m_type == CollectiveType::AllReduce ? 2 : 1;
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return m_ranks - 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t /*step*/) const override
    {
        // In each lane every member sends one message and receives one, so that members do not all
        // send to the same one first. Both ends of a message are in lanes of the same index.
        const uint32_t to = (rank + 1 + lane) % m_ranks;
        const uint32_t from = (rank + m_ranks - 1 - lane) % m_ranks;
        const bool isTransposed = m_type == CollectiveType::AllToAll;
        const bool isScatter = IsScatter(stage);
        const bool isReduced = isScatter && !isTransposed;
        return {.send = Transfer{.origin = isTransposed ? rank : 0,
                                 .peer = to,
                                 .range = ShardOf(isScatter ? to : rank)},
                .receive = Transfer{.origin = isTransposed ? from : 0,
                                    .peer = from,
                                    .range = ShardOf(isScatter ? rank : from)},
                .action = isReduced ? PlanStep::Action::Reduce : PlanStep::Action::Copy};
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {ShardOf(rank)};
    }

  private:
    bool IsScatter(uint32_t stage) const
    {
        switch (m_type)
        {
        case CollectiveType::AllReduce:
            return stage == 0;
        case CollectiveType::ReduceScatter:
        case CollectiveType::AllToAll:
            return true;
        default:
            return false;
        }
    }

    Interval ShardOf(uint32_t rank) const
    {
        return PartOf({0, m_elements}, rank, m_ranks);
    }

    CollectiveType m_type;
    uint32_t m_ranks;
    uint64_t m_elements;
};

/// The root sends to (broadcast, scatter) or receives from (reduce, gather) every other member:
/// root + 1, root + 2, ... (mod p), a lane each.
///
/// A send without a receive ends its lane at once, so lanes alone would not bound what a root has
/// under way. Where its peers are more than the messages that it may have under way, the root
/// serves them in so many queues: lane j sends to peers j, j + queues, ..., each message once the
/// one before was delivered. The other lanes stay empty.
class DirectRootedPlan : public CollectivePlan
{
  public:
    explicit DirectRootedPlan(const PlanRequest& request)
        : m_request(request)
        , m_rootSends(request.type == CollectiveType::Broadcast ||
                      request.type == CollectiveType::Scatter)
        , m_queues(std::max(
              1U, m_rootSends ? std::min(request.sendsAtOnce.value_or(Peers()), Peers()) : Peers()))
    {
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return Peers();
    }

    uint32_t StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t lane) const override
    {
        // All members have all lanes, so that both ends of a message are in lanes of the same
        // index. A leaf has a step in the lane of its queue only.
        if (rank == m_request.root)
        {
            return lane < m_queues ? (Peers() - 1 - lane) / m_queues + 1 : 0;
        }
        return lane == PeerOf(rank) % m_queues ? 1 : 0;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        const bool isRoot = rank == m_request.root;
        const uint32_t peer = isRoot ? lane + step * m_queues : PeerOf(rank);
        const uint32_t leaf = LeafOf(peer);
        const Transfer message{.peer = isRoot ? leaf : m_request.root, .range = RangeOf(leaf)};
        PlanStep planned;
        (isRoot == m_rootSends ? planned.send : planned.receive) = message;
        // No other message of the queue waits for the delivery of its last one.
        planned.awaitsDelivery = isRoot && m_rootSends && peer + m_queues < Peers();
        if (m_request.type == CollectiveType::Reduce)
        {
            planned.action = PlanStep::Action::Reduce;
        }
        return planned;
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {RangeOf(rank)};
    }

  private:
    uint32_t Peers() const
    {
        return m_request.ranks - 1;
    }

    /// The member that the root serves as its `peer`-th, from 0.
    uint32_t LeafOf(uint32_t peer) const
    {
        return (m_request.root + 1 + peer) % m_request.ranks;
    }

    /// As which the root serves the member.
    uint32_t PeerOf(uint32_t leaf) const
    {
        return (leaf + m_request.ranks - m_request.root - 1) % m_request.ranks;
    }

    Interval RangeOf(uint32_t leaf) const
    {
        const Interval buffer{0, m_request.elements};
        const bool isInShards =
            m_request.type == CollectiveType::Gather || m_request.type == CollectiveType::Scatter;
        return isInShards ? PartOf(buffer, leaf, m_request.ranks) : buffer;
    }

    PlanRequest m_request;
    bool m_rootSends;
    uint32_t m_queues; // in which the root serves its peers
};

/// No message has an intermediate stop.
///
/// An all-reduce takes 2 (S / (p b) + a) on p - 1 links, 2 (S (p - 1) / (p b) + a) through one
/// port. Broadcast and reduce move p - 1 buffers through the root: right where it has p - 1 links.
class Direct : public CollectiveAlgorithm
{
  public:
    static constexpr const char* Help = "Every member sends directly to each member that needs its "
                                        "data; no message passes through a third member.";

    bool Supports(CollectiveType /*type*/) const override
    {
        return true;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        if (HasRoot(request.type))
        {
            return std::make_unique<DirectRootedPlan>(request);
        }
        return std::make_unique<DirectExchangePlan>(request);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    /// The root of a broadcast or reduce moves a buffer for each other member.
    Bytes BusiestPort(CollectiveType type, Bytes held, uint32_t ranks) const override
    {
        const bool isWholeForEach =
            type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
        return isWholeForEach ? held * (ranks - 1) : PhaseTraffic(type, held, ranks);
    }

    uint32_t LatencySteps(CollectiveType type, uint32_t ranks) const override
    {
        if (ranks <= 1)
        {
            return 0;
        }
        return type == CollectiveType::AllReduce ? 2 : 1;
    }

    uint64_t LatencyHops(CollectiveType type, uint32_t ranks, const Shape& shape) const override
    {
        uint32_t farthest = 0;
        for (uint32_t to = 1; to < ranks; ++to)
        {
            farthest = std::max(farthest, shape.HopCount(ranks, 0, to));
        }
        return uint64_t{LatencySteps(type, ranks)} * farthest;
    }
};

NADI_REGISTER(CollectiveAlgorithm, Direct, "direct");

} // namespace
} // namespace nadi
