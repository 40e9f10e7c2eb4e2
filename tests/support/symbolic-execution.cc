// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/symbolic-execution.h"

#include "common/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi::symbolic
{
namespace
{

std::vector<Interval>
FindRegions(const CollectivePlan& plan, uint32_t ranks)
{
    std::vector<Interval> regions = plan.OwnedRanges(0);
    for (uint32_t rank = 1; rank < ranks; ++rank)
    {
        const std::vector<Interval> owned = plan.OwnedRanges(rank);
        NADI_CHECK(owned.size() == regions.size());
        for (size_t i = 0; i < owned.size(); ++i)
        {
            regions[i].begin = std::min(regions[i].begin, owned[i].begin);
            regions[i].end = std::max(regions[i].end, owned[i].end);
        }
    }
    return regions;
}

} // namespace

Execution::Execution(const CollectivePlan& plan, Buffers buffers, const Schedule& schedule)
    : m_plan(plan)
    , m_buffers(std::move(buffers))
    , m_window(schedule.window)
    , m_random(schedule.seed)
    , m_ranks(m_buffers.GetShape().ranks)
{
    NADI_CHECK(m_ranks.size() <= MAX_RANKS && m_window > 0);
    if (m_buffers.GetShape().rows > 1)
    {
        m_regions = FindRegions(plan, m_buffers.GetShape().ranks);
    }
}

std::optional<std::string>
Execution::Run()
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        m_ranks[rank].heard.set(rank);
        EnterStage(rank);
    }
    while (!m_problem && (!m_ready.empty() || !m_flying.empty()))
    {
        const uint32_t choice = Draw(m_ready.size() + m_flying.size());
        if (choice >= m_ready.size())
        {
            DeliverAny();
            continue;
        }
        std::swap(m_ready[choice], m_ready.back());
        const Lane lane = m_ready.back();
        m_ready.pop_back();
        Advance(lane);
    }
    return m_problem ? m_problem : FindLoose();
}

void
Execution::EnterStage(uint32_t index)
{
    Rank& rank = m_ranks[index];
    rank.nextLane = 0;
    rank.next = {.heard = rank.heard, .chain = rank.chain};
    StartLanes(index);
}

void
Execution::StartLanes(uint32_t index)
{
    Rank& rank = m_ranks[index];
    if (rank.stage == m_plan.StageCount())
    {
        return;
    }
    const uint32_t lanes = m_plan.LaneCount(index, rank.stage);
    while (rank.running < m_window && rank.nextLane < lanes)
    {
        m_ready.push_back({.rank = index,
                           .index = rank.nextLane++,
                           .past = {.heard = rank.heard, .chain = rank.chain}});
        ++rank.running;
    }
    if (rank.running == 0)
    {
        rank.heard = rank.next.heard;
        rank.chain = rank.next.chain;
        ++rank.stage;
        EnterStage(index);
    }
}

void
Execution::FinishLane(const Lane& lane)
{
    Rank& rank = m_ranks[lane.rank];
    rank.next.heard |= lane.past.heard;
    rank.next.chain = std::max(rank.next.chain, lane.past.chain);
    --rank.running;
    StartLanes(lane.rank);
}

/// Posts the lane's next send, or uses its next receive: one of them, so that others may come
/// between.
void
Execution::Advance(Lane lane)
{
    const uint32_t stage = m_ranks[lane.rank].stage;
    if (lane.step == m_plan.StepCount(lane.rank, stage, lane.index))
    {
        FinishLane(lane);
        return;
    }
    const PlanStep step = m_plan.StepAt(lane.rank, stage, lane.index, lane.step);
    if (step.send && !lane.hasPosted)
    {
        Post(lane, *step.send);
        lane.hasPosted = true;
        m_ready.push_back(lane);
        return;
    }
    if (step.receive)
    {
        const Key key{step.receive->peer, lane.rank, stage, lane.index, step.receive->tag};
        const auto arrived = m_arrived.find(key);
        if (arrived == m_arrived.end())
        {
            m_waiting.emplace(key, lane);
            return;
        }
        Receive(lane, step, arrived->second);
        m_arrived.erase(arrived);
    }
    ++lane.step;
    lane.hasPosted = false;
    m_ready.push_back(lane);
}

void
Execution::Post(const Lane& lane, const Transfer& send)
{
    const Key key{lane.rank, send.peer, m_ranks[lane.rank].stage, lane.index, send.tag};
    if (send.peer >= m_ranks.size() || send.peer == lane.rank)
    {
        return Fail(key, "goes to no other member");
    }
    if (!m_posted.insert(key).second)
    {
        return Fail(key, "is sent twice");
    }
    if (!IsInside(send))
    {
        return Fail(key, "passes the end of the buffer");
    }
    Message message{.key = key, .transfer = send, .counts = {}, .past = lane.past};
    ++message.past.chain;
    m_longestChain = std::max(m_longestChain, message.past.chain);
    for (uint64_t i = 0; i < send.range.Length(); ++i)
    {
        const auto counts = m_buffers.At(lane.rank, send.origin, ElementAt(send.range, i));
        message.counts.insert(message.counts.end(), counts.begin(), counts.end());
    }
    m_flying.push_back(std::move(message));
}

void
Execution::Receive(Lane& lane, const PlanStep& step, const Message& message)
{
    const Transfer& transfer = *step.receive;
    if (transfer.origin != message.transfer.origin || transfer.range != message.transfer.range)
    {
        return Fail(message.key, "has ends that differ");
    }
    size_t next = 0;
    for (uint64_t i = 0; i < transfer.range.Length(); ++i)
    {
        const auto element = ElementAt(transfer.range, i);
        for (uint8_t& count : m_buffers.At(lane.rank, transfer.origin, element))
        {
            const uint8_t received = message.counts[next++];
            const bool isReduced = step.action == PlanStep::Action::Reduce;
            count = static_cast<uint8_t>(isReduced ? count + received : received);
        }
    }
    lane.past.heard |= message.past.heard;
    lane.past.chain = std::max(lane.past.chain, message.past.chain);
}

void
Execution::DeliverAny()
{
    std::swap(m_flying[Draw(m_flying.size())], m_flying.back());
    Message message = std::move(m_flying.back());
    m_flying.pop_back();
    const auto waiting = m_waiting.find(message.key);
    if (waiting != m_waiting.end())
    {
        m_ready.push_back(waiting->second);
        m_waiting.erase(waiting);
    }
    const Key key = message.key;
    m_arrived.emplace(key, std::move(message));
}

uint32_t
Execution::Draw(size_t choices)
{
    return static_cast<uint32_t>(m_random() % choices);
}

uint64_t
Execution::ElementAt(const Interval& range, uint64_t offset) const
{
    const uint64_t element = range.begin + offset;
    for (const Interval& region : m_regions)
    {
        if (range.begin >= region.begin && range.begin < region.end)
        {
            return element < region.end ? element : element - region.Length();
        }
    }
    return element;
}

bool
Execution::IsInside(const Transfer& transfer) const
{
    const auto& shape = m_buffers.GetShape();
    const Interval& range = transfer.range;
    if (transfer.origin >= shape.rows || range.begin > range.end)
    {
        return false;
    }
    for (const Interval& region : m_regions)
    {
        if (range.begin >= region.begin && range.begin < region.end)
        {
            return range.Length() <= region.Length();
        }
    }
    return range.end <= shape.elements;
}

void
Execution::Fail(const Key& key, const std::string& problem)
{
    m_problem = fmt::format("message {} -> {} (stage {}, lane {}, tag {}) {}",
                            key.source,
                            key.destination,
                            key.stage,
                            key.lane,
                            key.tag,
                            problem);
}

std::optional<std::string>
Execution::FindLoose() const
{
    if (!m_waiting.empty())
    {
        const auto& [key, lane] = *m_waiting.begin();
        return fmt::format("rank {} waits for ever in step {} of lane {} for rank {}",
                           lane.rank,
                           lane.step,
                           lane.index,
                           key.source);
    }
    if (!m_arrived.empty())
    {
        const Key& key = m_arrived.begin()->first;
        return fmt::format(
            "message {} -> {} (tag {}) is never received", key.source, key.destination, key.tag);
    }
    return std::nullopt;
}

} // namespace nadi::symbolic
