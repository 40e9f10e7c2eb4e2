// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::test
{

/// Runs a program on symbols, in a random order that its lanes, waits and messages allow. It shares
/// no code with the proof: a place holds how often the chunk of each rank went into it.
///
/// Every other seed runs lanes by priorities that are drawn once, so that some starve: what lacks
/// an order shows in few runs then.
class ProgramRun
{
  public:
    ProgramRun(const MessageProgram& program, uint32_t seed)
        : m_program(program)
        , m_buffers(program.Buffers())
        , m_random(seed)
        , m_next(program.AllLanes())
        , m_hasPriorities(seed % 2 == 1)
    {
        for (uint32_t lane = 0; lane < program.AllLanes(); ++lane)
        {
            m_priorities.push_back(m_random());
        }
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            const ChunkRange input = InputChunks(m_buffers, rank);
            for (uint32_t chunk = input.begin; chunk < input.end; ++chunk)
            {
                m_places[{rank, m_buffers.InputBegin() + chunk}] = {{{rank, chunk}, 1}};
            }
        }
    }

    /// What is wrong: steps that never run, a message that nobody takes, or a result that is not
    /// what the collective promises; or nothing.
    std::string Run()
    {
        std::vector<Lane> ready = FindReady();
        while (!ready.empty())
        {
            StepOf(ready[Choose(ready)]);
            ready = FindReady();
        }
        for (const auto& [way, messages] : m_flying)
        {
            if (!messages.empty())
            {
                return "a message is never received";
            }
        }
        return HasEnded() ? FindWrongPlace() : "steps wait for ever";
    }

  private:
    /// (rank, chunk of its input) -> how often it is there.
    using Symbols = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
    using Way = std::tuple<uint32_t, uint32_t, uint32_t>; // sender, receiver, channel

    struct Lane
    {
        uint32_t rank;
        uint32_t lane;
    };

    uint32_t& NextOf(const Lane& lane)
    {
        return m_next[m_program.LaneNumber(lane.rank, lane.lane)];
    }

    size_t Choose(const std::vector<Lane>& ready)
    {
        size_t chosen = m_random() % ready.size();
        for (size_t index = 0; m_hasPriorities && index < ready.size(); ++index)
        {
            const auto priorityOf = [&](size_t of)
            { return m_priorities[m_program.LaneNumber(ready[of].rank, ready[of].lane)]; };
            chosen = priorityOf(index) > priorityOf(chosen) ? index : chosen;
        }
        return chosen;
    }

    std::vector<Lane> FindReady()
    {
        std::vector<Lane> ready;
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
            {
                if (IsReady({rank, lane}))
                {
                    ready.push_back({rank, lane});
                }
            }
        }
        return ready;
    }

    bool IsReady(const Lane& lane)
    {
        const auto steps = m_program.StepsOf(lane.rank, lane.lane);
        const uint32_t next = NextOf(lane);
        if (next == steps.size())
        {
            return false;
        }
        if (steps[next].after != ProgramStep::NONE)
        {
            const ProgramStepId after = m_program.StepNumbered(lane.rank, steps[next].after);
            if (NextOf({after.rank, after.lane}) <= after.step)
            {
                return false;
            }
        }
        return !steps[next].Receives() || !m_flying[WayTo(lane)].empty();
    }

    Way WayTo(const Lane& lane) const
    {
        const ProgramLane& of = m_program.LaneAt(lane.rank, lane.lane);
        return {of.receivePeer, lane.rank, of.channel};
    }

    void StepOf(const Lane& lane)
    {
        const ProgramStep step = m_program.StepsOf(lane.rank, lane.lane)[NextOf(lane)++];
        const ProgramLane& of = m_program.LaneAt(lane.rank, lane.lane);
        if (step.Sends())
        {
            m_flying[{lane.rank, of.sendPeer, of.channel}].push_back(
                Read(lane.rank, step.place, step.count));
        }
        if (step.Receives())
        {
            auto& queue = m_flying[WayTo(lane)];
            const std::vector<Symbols> message = queue.front();
            queue.pop_front();
            Put(lane.rank, step, message, step.action == ProgramStep::Action::ReceiveReduce);
        }
        if (step.IsLocal())
        {
            Put(lane.rank,
                step,
                Read(lane.rank, step.operand, step.count),
                step.action == ProgramStep::Action::Reduce);
        }
    }

    std::vector<Symbols> Read(uint32_t rank, uint32_t place, uint32_t count)
    {
        std::vector<Symbols> data;
        for (uint32_t offset = 0; offset < count; ++offset)
        {
            data.push_back(m_places[{rank, place + offset}]);
        }
        return data;
    }

    /// What a message does not bring stays as it is.
    void
    Put(uint32_t rank, const ProgramStep& step, const std::vector<Symbols>& data, bool isReduced)
    {
        for (uint32_t offset = 0; offset < std::min<size_t>(step.count, data.size()); ++offset)
        {
            Symbols& place = m_places[{rank, step.place + offset}];
            if (!isReduced)
            {
                place.clear();
            }
            for (const auto& [symbol, count] : data[offset])
            {
                place[symbol] += count;
            }
        }
    }

    bool HasEnded()
    {
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
            {
                if (NextOf({rank, lane}) < m_program.StepsOf(rank, lane).size())
                {
                    return false;
                }
            }
        }
        return true;
    }

    /// What a place of the result holds if the collective keeps its promise.
    Symbols Promised(uint32_t rank, uint32_t place) const
    {
        if (IsReduction(m_buffers.type))
        {
            Symbols all;
            for (uint32_t from = 0; from < m_buffers.ranks; ++from)
            {
                all[{from, place}] = 1;
            }
            return all;
        }
        const uint32_t shard = IsCutByRank(m_buffers.type) ? m_buffers.ChunksOfShard() : 1;
        switch (m_buffers.type)
        {
        case CollectiveType::AllToAll:
            return {{{place / shard, rank * shard + place % shard}, 1}};
        case CollectiveType::AllGather:
        case CollectiveType::Gather:
            return {{{place / shard, place}, 1}};
        default:
            return {{{m_buffers.root, place}, 1}};
        }
    }

    std::string FindWrongPlace()
    {
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            const ChunkRange output = OutputChunks(m_buffers, rank);
            for (uint32_t place = output.begin; place < output.end; ++place)
            {
                if (m_places[{rank, place}] != Promised(rank, place))
                {
                    return "rank " + std::to_string(rank) + " holds the wrong data at place " +
                           std::to_string(place);
                }
            }
        }
        return "";
    }

    const MessageProgram& m_program;
    const ProgramBuffers& m_buffers;
    std::minstd_rand m_random;
    std::vector<uint32_t> m_next; // step of each lane
    bool m_hasPriorities;
    std::vector<uint64_t> m_priorities; // by lane
    std::map<std::pair<uint32_t, uint32_t>, Symbols> m_places;
    std::map<Way, std::deque<std::vector<Symbols>>> m_flying;
};

/// What one of so many random orders shows to be wrong; or nothing.
inline std::string
FindWrongRun(const MessageProgram& program, uint32_t orders)
{
    for (uint32_t seed = 0; seed < orders; ++seed)
    {
        const std::string problem = ProgramRun(program, seed).Run();
        if (!problem.empty())
        {
            return problem;
        }
    }
    return "";
}

} // namespace nadi::test
