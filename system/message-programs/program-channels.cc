// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-channels.h"

#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

// A way is (source, destination, channel). The ends that send and those that receive are two lists,
// sorted by way, which are walked side by side: by FindFault for the first way whose ends do not
// fit, by Join for who meets whom. That costs n log n of n lanes, and a look at each step.

ProgramChannels::ProgramChannels(const MessageProgram& program)
    : m_program(program)
    , m_sending(FindWays(true))
    , m_receiving(FindWays(false))
    , m_senderFor(program.AllLanes())
    , m_receiverFor(program.AllLanes())
{
    CollectSends();
    Join();
}

std::optional<ProgramFault>
ProgramChannels::FindFault() const
{
    if (auto fault = FindShared(m_sending, "send to"))
    {
        return fault;
    }
    if (auto fault = FindShared(m_receiving, "receive from"))
    {
        return fault;
    }
    // Both lists are in order of their ways, and neither has a way twice. So they are walked side
    // by side, and the first difference is a way with one end only.
    auto receiving = m_receiving.begin();
    for (const Way& sending : m_sending)
    {
        if (receiving == m_receiving.end() || sending.Key() < receiving->Key())
        {
            return ProgramFault{.where = {sending.lane.rank, sending.lane.lane, 0},
                                .what = fmt::format("rank {} receives nothing on channel {} from "
                                                    "rank {}, which sends there",
                                                    sending.destination,
                                                    sending.channel,
                                                    sending.source)};
        }
        // On this way somebody receives and nobody sends. The error is made below, with that of
        // ways after the last sender.
        if (receiving->Key() < sending.Key())
        {
            break;
        }
        if (auto fault = FindUnequal(sending, *receiving))
        {
            return fault;
        }
        ++receiving;
    }
    if (receiving != m_receiving.end())
    {
        return ProgramFault{.where = {receiving->lane.rank, receiving->lane.lane, 0},
                            .what = fmt::format("rank {} sends nothing on channel {} to rank {}, "
                                                "which waits for it",
                                                receiving->source,
                                                receiving->channel,
                                                receiving->destination)};
    }
    return std::nullopt;
}

void
ProgramChannels::CollectSends()
{
    m_firstSend.reserve(size_t{m_program.AllLanes()} + 1);
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            m_firstSend.push_back(m_sends.size());
            const auto steps = m_program.StepsOf(rank, lane);
            for (uint32_t step = 0; step < steps.size(); ++step)
            {
                if (steps[step].Sends())
                {
                    m_sends.push_back(step);
                }
            }
        }
    }
    m_firstSend.push_back(m_sends.size());
}

/// The ways of the lanes that send (or receive) anything. A lane may name a peer without sending to
/// it, and is then no end of a way.
std::vector<ProgramChannels::Way>
ProgramChannels::FindWays(bool isSending) const
{
    std::vector<Way> ways;
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            const ProgramLane& of = m_program.LaneAt(rank, lane);
            if (MessagesOf({rank, lane}, isSending) > 0)
            {
                ways.push_back({.source = isSending ? rank : of.receivePeer,
                                .destination = isSending ? of.sendPeer : rank,
                                .channel = of.channel,
                                .lane = {rank, lane}});
            }
        }
    }
    // The sort is stable, so that of two lanes with the same way FindShared names the later one.
    std::stable_sort(
        ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.Key() < b.Key(); });
    return ways;
}

/// The messages of two lanes on one way would have the same numbers, and nobody could tell them
/// apart. `ways` are in order, so such lanes stand side by side.
std::optional<ProgramFault>
ProgramChannels::FindShared(const std::vector<Way>& ways, const char* verb) const
{
    const auto shared = std::adjacent_find(
        ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.Key() == b.Key(); });
    if (shared == ways.end())
    {
        return std::nullopt;
    }
    const Way& second = *(shared + 1);
    const bool isSending = &ways == &m_sending;
    return ProgramFault{.where = {second.lane.rank, second.lane.lane, 0},
                        .what = fmt::format("two lanes of rank {} {} rank {} on channel {}",
                                            second.lane.rank,
                                            verb,
                                            isSending ? second.destination : second.source,
                                            second.channel)};
}

/// Where there is a fault, what is joined before it is found is not asked for.
void
ProgramChannels::Join()
{
    auto receiving = m_receiving.begin();
    for (const Way& sending : m_sending)
    {
        while (receiving != m_receiving.end() && receiving->Key() < sending.Key())
        {
            ++receiving;
        }
        if (receiving != m_receiving.end() && receiving->Key() == sending.Key())
        {
            m_receiverFor[m_program.LaneNumber(sending.lane.rank, sending.lane.lane)] =
                receiving->lane;
            m_senderFor[m_program.LaneNumber(receiving->lane.rank, receiving->lane.lane)] =
                sending.lane;
        }
    }
}

uint32_t
ProgramChannels::MessagesOf(ProgramLaneId lane, bool isSending) const
{
    const auto steps = m_program.StepsOf(lane.rank, lane.lane);
    return static_cast<uint32_t>(std::count_if(
        steps.begin(),
        steps.end(),
        [&](const ProgramStep& step) { return isSending ? step.Sends() : step.Receives(); }));
}

/// Requires: both ends are of one way.
std::optional<ProgramFault>
ProgramChannels::FindUnequal(const Way& sending, const Way& receiving) const
{
    const uint32_t sent = MessagesOf(sending.lane, true);
    const uint32_t received = MessagesOf(receiving.lane, false);
    if (sent != received)
    {
        return ProgramFault{.where = {receiving.lane.rank, receiving.lane.lane, 0},
                            .what = fmt::format("rank {} sends {} on channel {} to rank "
                                                "{}, which receives {}",
                                                sending.source,
                                                CountText(sent, "message"),
                                                sending.channel,
                                                sending.destination,
                                                received)};
    }
    // Messages meet by their numbers, which count the sends or the receives of a lane from 0.
    const auto sends = m_program.StepsOf(sending.lane.rank, sending.lane.lane);
    const auto receives = m_program.StepsOf(receiving.lane.rank, receiving.lane.lane);
    for (uint32_t step = 0; step < receives.size(); ++step)
    {
        if (!receives[step].Receives())
        {
            continue;
        }
        const ProgramStep& send = sends[SendOf(sending.lane, receives[step].operand)];
        if (send.count != receives[step].count)
        {
            return ProgramFault{.where = {receiving.lane.rank, receiving.lane.lane, step},
                                .what = fmt::format("it receives {}, but rank {} sends {}",
                                                    CountText(receives[step].count, "chunk"),
                                                    sending.source,
                                                    uint32_t{send.count})};
        }
    }
    return std::nullopt;
}

} // namespace nadi
