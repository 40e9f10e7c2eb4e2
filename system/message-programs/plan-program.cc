// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/plan-program.h"

#include "common/check.h"
#include "system/message-programs/program-builder.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using Action = ProgramStep::Action;

// A plan's lane may send to and receive from several ranks; a program's lane has one peer for each
// direction. So each lane of the plan becomes a thread that changes from lane to lane of the
// program, and waits for its own last step where it changes. A barrier closes a stage: a lane of
// steps that only wait. The next stage waits for the last of these steps.

/// A lane of the program before its steps are numbered.
struct DraftLane
{
    ProgramLane lane;
    std::vector<ProgramStep> steps; ///< `after` names a step by its name
    std::vector<uint32_t> names;
};

/// The lanes of one rank. Steps have names, which count up as they are added. The numbers of steps
/// count through whole lanes, so they are known only when all lanes are complete (Write).
class RankLanes
{
  public:
    RankLanes(const CollectivePlan& plan,
              uint32_t rank,
              uint32_t channels,
              const std::vector<uint32_t>& chunkOf,
              const StageOrder& order)
        : m_plan(plan)
        , m_rank(rank)
        , m_channels(channels)
        , m_chunkOf(chunkOf)
        , m_order(order)
    {
        for (uint32_t stage = 0; stage < plan.StageCount(); ++stage)
        {
            AddStage(stage);
        }
    }

    void Write(ProgramBuilder& builder) const
    {
        std::vector<uint32_t> numbers(m_next);
        uint32_t number = 0;
        for (const DraftLane& lane : m_lanes)
        {
            for (const uint32_t name : lane.names)
            {
                numbers[name] = number++;
            }
        }
        builder.BeginRank();
        for (const DraftLane& lane : m_lanes)
        {
            builder.BeginLane(lane.lane);
            for (ProgramStep step : lane.steps)
            {
                step.after = step.after == ProgramStep::NONE ? step.after : numbers[step.after];
                builder.Add(step);
            }
        }
    }

  private:
    /// Where a lane of the plan has come to.
    struct Thread
    {
        std::optional<uint32_t> last; ///< the step that the next one comes after
        size_t lane = SIZE_MAX;       ///< that `last` is in
    };

    void AddStage(uint32_t stage)
    {
        const std::optional<uint32_t> begin = FindBegin(stage);
        std::vector<uint32_t> ends;
        m_lastOfStep.clear();
        for (uint32_t lane = 0; lane < m_plan.LaneCount(m_rank, stage); ++lane)
        {
            if (const auto last = AddLane(stage, lane, begin))
            {
                ends.push_back(*last);
            }
        }
        ConnectWaits();
        // Nothing waits for the last stage, so it needs no barrier.
        m_stageEnds.push_back(stage + 1 < m_plan.StageCount() ? AddBarrier(ends, begin)
                                                              : std::nullopt);
    }

    /// The step after which the stage begins, if any.
    std::optional<uint32_t> FindBegin(uint32_t stage)
    {
        std::vector<uint32_t> ends;
        for (const uint32_t before : m_order(stage))
        {
            if (const std::optional<uint32_t> end = m_stageEnds[before])
            {
                ends.push_back(*end);
            }
        }
        // A single end can be waited for itself. Several need a barrier, as a step waits for one
        // step only.
        return ends.size() == 1 ? std::optional(ends.front()) : AddBarrier(ends, std::nullopt);
    }

    std::optional<uint32_t>
    AddLane(uint32_t stage, uint32_t lane, const std::optional<uint32_t>& begin)
    {
        Thread thread{.last = begin};
        for (uint32_t number = 0; number < m_plan.StepCount(m_rank, stage, lane); ++number)
        {
            const PlanStep step = m_plan.StepAt(m_rank, stage, lane, number);
            if (step.after)
            {
                // A step has room for one wait, and the message's step may need its own for the
                // last step of the thread. So this wait is a step of its own. What it waits for may
                // be in a lane that comes later, so ConnectWaits fills it in.
                const uint32_t name = Add(thread, {}, ProgramLane{});
                m_waits.push_back({name, *step.after});
            }
            // A step of a plan posts its send before it waits for its receive, so the send comes
            // first.
            if (step.send)
            {
                AddMessage(thread, stage, lane, *step.send, Action::Send);
            }
            if (step.receive)
            {
                AddMessage(thread,
                           stage,
                           lane,
                           *step.receive,
                           step.action == PlanStep::Action::Reduce ? Action::ReceiveReduce
                                                                   : Action::Receive);
            }
            NADI_CHECK(!step.local);
            m_lastOfStep[{lane, number}] = thread.last;
        }
        return thread.last;
    }

    void AddMessage(
        Thread& thread, uint32_t stage, uint32_t lane, const Transfer& transfer, Action action)
    {
        const uint32_t channel = transfer.channel == Transfer::OF_LANE ? lane : transfer.channel;
        // Each stage has channels of its own, so messages of different stages never share a lane.
        ProgramLane of{.channel = stage * m_channels + channel};
        (action == Action::Send ? of.sendPeer : of.receivePeer) = transfer.peer;
        for (Interval rest = transfer.range; rest.Length() > 0;)
        {
            const uint64_t end = FindRunEnd(rest);
            ProgramStep step;
            step.place = m_chunkOf[rest.begin];
            // The field has 24 bits, and a stored program has far fewer chunks than 2^24.
            step.count = static_cast<uint32_t>(end - rest.begin) & 0xffffffU;
            step.action = action;
            Add(thread, step, of);
            rest.begin = end;
        }
    }

    /// Where the elements from the begin of the range are no longer chunks in a row.
    uint64_t FindRunEnd(const Interval& range) const
    {
        uint64_t end = range.begin + 1;
        while (end < range.end && m_chunkOf[end] == m_chunkOf[end - 1] + 1)
        {
            ++end;
        }
        return end;
    }

    /// The name of the step.
    uint32_t Add(Thread& thread, ProgramStep step, const ProgramLane& of)
    {
        const size_t lane = FindLane(thread, of);
        step.after = thread.lane == lane || !thread.last ? ProgramStep::NONE : *thread.last;
        m_lanes[lane].steps.push_back(step);
        m_lanes[lane].names.push_back(m_next);
        thread = {.last = m_next, .lane = lane};
        return m_next++;
    }

    /// The lane in which the thread is, if it is for those peers too, else the one of the way.
    size_t FindLane(const Thread& thread, const ProgramLane& of)
    {
        const std::tuple key{of.sendPeer, of.receivePeer, of.channel};
        const bool isNothing =
            of.sendPeer == ProgramLane::NOBODY && of.receivePeer == ProgramLane::NOBODY;
        if (isNothing && thread.lane != SIZE_MAX)
        {
            return thread.lane;
        }
        // A thread that comes back to a way takes up the way's lane again: only one lane may send
        // on a way, and only one may receive.
        const auto known = isNothing ? m_ways.end() : m_ways.find(key);
        if (known != m_ways.end())
        {
            return known->second;
        }
        m_lanes.push_back({.lane = of, .steps = {}, .names = {}});
        if (!isNothing)
        {
            m_ways[key] = m_lanes.size() - 1;
        }
        return m_lanes.size() - 1;
    }

    /// A wait for a step of the plan is one for the last that it became.
    /// Costs a look at all steps of the rank for each wait.
    void ConnectWaits()
    {
        for (const auto& [name, waited] : m_waits)
        {
            const std::optional<uint32_t> last = m_lastOfStep.at({waited.lane, waited.step});
            for (DraftLane& lane : m_lanes)
            {
                const auto at = std::find(lane.names.begin(), lane.names.end(), name);
                if (at != lane.names.end())
                {
                    lane.steps[static_cast<size_t>(at - lane.names.begin())].after =
                        last.value_or(ProgramStep::NONE);
                }
            }
        }
        m_waits.clear();
    }

    /// The step that is complete when all of `ends` are; where there are none, `begin`.
    std::optional<uint32_t> AddBarrier(const std::vector<uint32_t>& ends,
                                       const std::optional<uint32_t>& begin)
    {
        if (ends.empty())
        {
            return begin;
        }
        DraftLane& lane = m_lanes.emplace_back();
        for (const uint32_t end : ends)
        {
            lane.steps.push_back({.after = end});
            lane.names.push_back(m_next++);
        }
        return m_next - 1;
    }

    const CollectivePlan& m_plan;
    uint32_t m_rank;
    uint32_t m_channels;                    // of a stage
    const std::vector<uint32_t>& m_chunkOf; // by element
    std::vector<DraftLane> m_lanes;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> m_ways;
    std::map<std::pair<uint32_t, uint32_t>, std::optional<uint32_t>> m_lastOfStep;
    std::vector<std::pair<uint32_t, LaneStep>>
        m_waits; // of the stage: the name of a step of nothing
    const StageOrder& m_order;
    std::vector<std::optional<uint32_t>> m_stageEnds;
    uint32_t m_next = 0; // name
};

/// The chunk of each element. Where ranks own parts of the buffer that do not lie side by side,
/// chunks are numbered by their owner, so that each rank's are.
std::vector<uint32_t>
NumberChunks(const CollectivePlan& plan, const PlanRequest& request)
{
    std::vector<uint32_t> chunkOf(request.elements);
    std::iota(chunkOf.begin(), chunkOf.end(), 0);
    if (request.type != CollectiveType::AllGather && request.type != CollectiveType::ReduceScatter)
    {
        return chunkOf;
    }
    uint32_t next = 0;
    for (uint32_t rank = 0; rank < request.ranks; ++rank)
    {
        for (const Interval& range : plan.OwnedRanges(rank))
        {
            for (uint64_t element = range.begin; element < range.end; ++element)
            {
                chunkOf[element] = next++;
            }
        }
        // A program gives each rank an equal shard of the chunks, so the ranks of the plan must own
        // equal parts.
        NADI_CHECK(next == (rank + 1) * request.elements / request.ranks);
    }
    return chunkOf;
}

/// More than any channel of a stage.
/// A message that names none takes the index of its lane, so lanes count as channels.
uint32_t
CountChannels(const CollectivePlan& plan, uint32_t ranks)
{
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (uint32_t stage = 0; stage < plan.StageCount(); ++stage)
        {
            const uint32_t lanes = plan.LaneCount(rank, stage);
            for (uint32_t lane = 0; lane < lanes; ++lane)
            {
                most = std::max(most, lane);
                for (uint32_t step = 0; step < plan.StepCount(rank, stage, lane); ++step)
                {
                    const PlanStep at = plan.StepAt(rank, stage, lane, step);
                    for (const auto& transfer : {at.send, at.receive})
                    {
                        const bool isOwn = transfer && transfer->channel != Transfer::OF_LANE;
                        most = std::max(most, isOwn ? transfer->channel : 0);
                    }
                }
            }
        }
    }
    return most + 1;
}

} // namespace

std::vector<uint32_t>
FollowStageBefore(uint32_t stage)
{
    return stage > 0 ? std::vector<uint32_t>{stage - 1} : std::vector<uint32_t>();
}

MessageProgram
MakePlanProgram(const CollectivePlan& plan, const PlanRequest& request, const StageOrder& order)
{
    NADI_CHECK(plan.HelperCount() == 0 && plan.ScratchElements() == 0 && request.elements > 0 &&
               request.type != CollectiveType::AllToAll);
    ProgramBuilder builder({.type = request.type,
                            .ranks = request.ranks,
                            .root = request.root,
                            .chunks = static_cast<uint32_t>(request.elements)});
    const uint32_t channels = CountChannels(plan, request.ranks);
    const std::vector<uint32_t> chunkOf = NumberChunks(plan, request);
    for (uint32_t rank = 0; rank < request.ranks; ++rank)
    {
        RankLanes(plan, rank, channels, chunkOf, order).Write(builder);
    }
    return std::move(builder).Finish();
}

PlanRequest
InStoredChunks(PlanRequest request)
{
    const uint64_t bytes = request.elements * request.elementBytes;
    request.elements = uint64_t{request.ranks} * STORED_CHUNKS_OF_SHARD;
    // Some algorithms cut messages into slices of a given number of bytes. So an element of the
    // plan is as long as the chunk that it stands for, as nearly as whole bytes allow.
    request.elementBytes = static_cast<uint32_t>(
        std::clamp<uint64_t>(bytes / request.elements, 1, std::numeric_limits<uint32_t>::max()));
    return request;
}

} // namespace nadi
