// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/circulant-plan.h"

#include "common/check.h"

#include <algorithm>
#include <bit>

namespace nadi
{

CirculantPlan::CirculantPlan(const PlanRequest& request)
    : m_type(request.type)
    , m_ranks(request.ranks)
    , m_levels(static_cast<uint32_t>(std::bit_width(request.ranks - 1)))
    , m_elements(request.elements)
{
}

uint32_t
CirculantPlan::LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const
{
    return 1;
}

uint32_t
CirculantPlan::StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/) const
{
    uint32_t steps = 0;
    for (uint32_t index = 0; index < RoundCount(); ++index)
    {
        steps += StepsOf(RoundAt(rank, index));
    }
    return steps;
}

PlanStep
CirculantPlan::StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const
{
    // The plan stores nothing by rank or step, so the round is found from the first one each time.
    for (uint32_t index = 0;; ++index)
    {
        NADI_CHECK(index < RoundCount());
        const Round round = RoundAt(rank, index);
        const uint32_t steps = StepsOf(round);
        if (step < steps)
        {
            return StepOf(round, step);
        }
        step -= steps;
    }
}

std::vector<Interval>
CirculantPlan::OwnedRanges(uint32_t rank) const
{
    return {PartOf({0, m_elements}, rank, m_ranks)};
}

uint32_t
CirculantPlan::RoundCount() const
{
    return m_type == CollectiveType::AllReduce ? 2 * m_levels : m_levels;
}

CirculantPlan::Round
CirculantPlan::RoundAt(uint32_t rank, uint32_t index) const
{
    switch (m_type)
    {
    case CollectiveType::ReduceScatter:
        return ReducingRound(rank, index);
    case CollectiveType::AllReduce:
        return index < m_levels ? ReducingRound(rank, index)
                                : GatheringRound(rank, 2 * m_levels - 1 - index);
    default:
        return GatheringRound(rank, m_levels - 1 - index);
    }
}

CirculantPlan::Round
CirculantPlan::ReducingRound(uint32_t rank, uint32_t level) const
{
    uint32_t held = m_ranks;
    for (uint32_t above = 0; above < level; ++above)
    {
        held -= held / 2;
    }
    const uint32_t sent = held / 2;
    const uint32_t distance = held - sent;
    const uint32_t destination = (rank + distance) % m_ranks;
    return {.action = PlanStep::Action::Reduce,
            .tag = 2 * level,
            .destination = destination,
            .source = (rank + m_ranks - distance) % m_ranks,
            .sent = {.first = destination, .count = sent},
            .received = {.first = rank, .count = sent}};
}

/// The round of the reduce-scatter backwards. In an all-reduce both have one lane, so the tags keep
/// their messages apart.
CirculantPlan::Round
CirculantPlan::GatheringRound(uint32_t rank, uint32_t level) const
{
    const Round reducing = ReducingRound(rank, level);
    return {.action = PlanStep::Action::Copy,
            .tag = 2 * (m_levels + level),
            .destination = reducing.source,
            .source = reducing.destination,
            .sent = reducing.received,
            .received = reducing.sent};
}

uint32_t
CirculantPlan::StepsOf(const Round& round) const
{
    return std::max(MessagesOf(round.sent), MessagesOf(round.received));
}

/// A step waits for what it receives. So the last send of a round goes with the first receive:
/// everything is sent before the round waits.
PlanStep
CirculantPlan::StepOf(const Round& round, uint32_t step) const
{
    const uint32_t sends = MessagesOf(round.sent);
    PlanStep made{.send = MessageOf(round, round.sent, round.destination, step),
                  .action = round.action};
    if (step + 1 >= sends)
    {
        made.receive = MessageOf(round, round.received, round.source, step + 1 - sends);
    }
    return made;
}

uint32_t
CirculantPlan::MessagesOf(const Shards& shards) const
{
    return shards.first + shards.count > m_ranks ? 2 : 1;
}

/// None: there is no such message.
std::optional<Transfer>
CirculantPlan::MessageOf(const Round& round,
                         const Shards& shards,
                         uint32_t peer,
                         uint32_t message) const
{
    if (message >= MessagesOf(shards))
    {
        return std::nullopt;
    }
    const Interval buffer{0, m_elements};
    const uint32_t end = shards.first + shards.count;
    const uint32_t first = message == 0 ? shards.first : 0;
    const uint32_t last = message == 0 ? std::min(end, m_ranks) - 1 : end - m_ranks - 1;
    return Transfer{
        .peer = peer,
        .tag = round.tag + message,
        .range = {PartOf(buffer, first, m_ranks).begin, PartOf(buffer, last, m_ranks).end}};
}

uint64_t
CirculantHops(uint32_t ranks, const Shape& shape)
{
    uint64_t hops = 0;
    for (uint32_t held = ranks; held > 1; held -= held / 2)
    {
        const uint32_t distance = held - held / 2;
        hops += std::max(shape.HopCount(ranks, 0, distance),
                         shape.HopCount(ranks, 0, ranks - distance));
    }
    return hops;
}

} // namespace nadi
