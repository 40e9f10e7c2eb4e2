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
    , m_window(plan.HasWaits() ? UINT32_MAX : schedule.window)
    , m_random(schedule.seed)
    , m_ranks(m_buffers.GetShape().ranks)
    , m_joining(m_buffers.GetShape().ranks)
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
    m_joins.Forget(index);
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
    if (WaitsForLane(lane, step))
    {
        return;
    }
    if (step.send && !lane.hasPosted)
    {
        Post(lane, *step.send);
        lane.hasPosted = true;
        m_ready.push_back(lane);
        return;
    }
    if (step.receive)
    {
        const Key key{step.receive->peer,
                      lane.rank,
                      stage,
                      ChannelOf(lane, *step.receive),
                      step.receive->tag};
        const auto arrived = m_arrived.find(key);
        if (arrived == m_arrived.end())
        {
            m_waiting.emplace(key, lane);
            return;
        }
        Receive(lane, step, arrived->second);
        m_arrived.erase(arrived);
    }
    if (step.local)
    {
        Work(lane, step);
    }
    CompleteStep(lane);
}

/// Whether the step has to come after one that is not complete.
bool
Execution::WaitsForLane(Lane& lane, const PlanStep& step)
{
    if (!step.after)
    {
        return false;
    }
    NADI_CHECK(m_plan.HasWaits());
    const Past* const past = m_joins.Find(lane.rank, *step.after);
    if (past == nullptr)
    {
        m_joins.Block({lane.rank, lane.index}, lane.step, *step.after);
        m_joining[lane.rank].push_back(lane);
        return true;
    }
    lane.past.heard |= past->heard;
    lane.past.chain = std::max(lane.past.chain, past->chain);
    return false;
}

/// All lanes of the rank that wait for lanes look again.
void
Execution::CompleteStep(Lane lane)
{
    if (m_plan.HasWaits())
    {
        m_joins.Complete({lane.rank, lane.index}, lane.past);
        m_joins.Release(lane.rank);
        m_ready.insert(m_ready.end(), m_joining[lane.rank].begin(), m_joining[lane.rank].end());
        m_joining[lane.rank].clear();
    }
    ++lane.step;
    lane.hasPosted = false;
    m_ready.push_back(lane);
}

uint32_t
Execution::ChannelOf(const Lane& lane, const Transfer& transfer)
{
    return transfer.channel == Transfer::OF_LANE ? lane.index : transfer.channel;
}

void
Execution::Post(const Lane& lane, const Transfer& send)
{
    const Key key{lane.rank, send.peer, m_ranks[lane.rank].stage, ChannelOf(lane, send), send.tag};
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
    Message message{.key = key, .transfer = send, .counts = {}, .held = {}, .past = lane.past};
    ++message.past.chain;
    m_longestChain = std::max(m_longestChain, message.past.chain);
    for (uint64_t i = 0; i < send.range.Length(); ++i)
    {
        const uint64_t element = ElementAt(send.range, i);
        const auto counts = m_buffers.At(lane.rank, send.origin, element);
        message.counts.insert(message.counts.end(), counts.begin(), counts.end());
        message.held.push_back(m_buffers.HeldAt(lane.rank, send.origin, element));
    }
    m_flying.push_back(std::move(message));
}

void
Execution::Receive(Lane& lane, const PlanStep& step, const Message& message)
{
    const Transfer& transfer = *step.receive;
    if (transfer.origin != message.transfer.origin ||
        transfer.range.Length() != message.transfer.range.Length())
    {
        return Fail(message.key, "has ends that differ");
    }
    if (!IsInside(transfer))
    {
        return Fail(message.key, "passes the end of the buffer");
    }
    const uint32_t contributors = m_buffers.GetShape().contributors;
    const ConstTokenCounts counts(message.counts);
    for (uint64_t i = 0; i < transfer.range.Length(); ++i)
    {
        if (!Put({lane.rank, transfer.origin, ElementAt(transfer.range, i), step.action},
                 counts.subspan(i * contributors, contributors),
                 message.held[i]))
        {
            return Fail(message.key, "reduces different elements into one");
        }
    }
    lane.past.heard |= message.past.heard;
    lane.past.chain = std::max(lane.past.chain, message.past.chain);
}

/// Copies first what it reads: the two ranges may overlap.
void
Execution::Work(const Lane& lane, const PlanStep& step)
{
    const Interval from = step.local->from;
    const Interval into = step.local->into;
    const bool isInside = IsInside({.range = from}) && IsInside({.range = into});
    if (!isInside || from.Length() != into.Length())
    {
        m_problem = fmt::format("rank {} works on ranges outside the buffer, or of two lengths, in "
                                "step {} of lane {}",
                                lane.rank,
                                lane.step,
                                lane.index);
        return;
    }
    const Buffers before = m_buffers;
    for (uint64_t i = 0; i < from.Length(); ++i)
    {
        if (!Put({lane.rank, 0, into.begin + i, step.action},
                 before.At(lane.rank, 0, from.begin + i),
                 before.HeldAt(lane.rank, 0, from.begin + i)))
        {
            m_problem = fmt::format("rank {} reduces different elements into one in step {} of "
                                    "lane {}",
                                    lane.rank,
                                    lane.step,
                                    lane.index);
            return;
        }
    }
}

/// Whether the tokens are of the element that is there, or replace it.
bool
Execution::Put(const Target& target, ConstTokenCounts counts, uint64_t held)
{
    uint64_t& there = m_buffers.HeldAt(target.rank, target.row, target.element);
    const bool isReduced = target.action == PlanStep::Action::Reduce;
    if (isReduced && there != held)
    {
        return false;
    }
    there = held;
    const TokenCounts into = m_buffers.At(target.rank, target.row, target.element);
    for (size_t i = 0; i < counts.size(); ++i)
    {
        into[i] = static_cast<uint8_t>(isReduced ? into[i] + counts[i] : counts[i]);
    }
    return true;
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
    m_problem = fmt::format("message {} -> {} (stage {}, channel {}, tag {}) {}",
                            key.source,
                            key.destination,
                            key.stage,
                            key.channel,
                            key.tag,
                            problem);
}

std::optional<std::string>
Execution::FindLoose() const
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        if (auto problem = m_joins.FindProblem(m_plan, rank, m_ranks[rank].stage))
        {
            return problem;
        }
    }
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
