// SPDX-License-Identifier: GPL-2.0-only
// Closed traffic in periods: it enters as a whole, and its ends are what comes out.
#include "common/check.h"
#include "network/packet/memo/period-memo.h"

#include <algorithm>
#include <utility>

namespace nadi
{

/// \return The number by which the owner of the traffic tells of ends (EndPart). None: the traffic
/// is not taken, and the owner sends its messages one by one.
std::optional<uint32_t>
PeriodMemo::Take(ClosedTraffic& traffic)
{
    const uint32_t set = m_ways.FindSet(traffic);
    // The traffic is not to be taken over (ClosedTraffic::FindEnds), or its ways are not all joined
    // (WayTable::MakeSet).
    if (m_ways.Set(set).ways.empty())
    {
        return std::nullopt;
    }
    const uint32_t number = m_traffics.Add(traffic, m_loop.Now());
    m_parts.OpenStream(traffic.Stream());
    PeriodInput input;
    input.message.stream = traffic.Stream();
    input.way = set;
    input.place = number;
    input.program = traffic.Program();
    // Like a message, it enters at the end of this instant.
    m_sent.push_back(input);
    return number;
}

/// The period whose counts the traffic changes now. A member of a union that catches up has a root
/// already, but its own counts still.
uint32_t
PeriodMemo::PeriodOf(const TakenTraffic& taken)
{
    return m_catchingUp == NONE ? m_periods.Find(taken.period) : m_catchingUp;
}

/// The traffic is simulated from its begin on, which is the present instant.
void
PeriodMemo::BeginTraffic(uint32_t index, uint32_t number)
{
    TakenTraffic& taken = m_traffics[number];
    NADI_CHECK(!taken.isSimulated);
    taken.isSimulated = true;
    taken.isNoted = true;
    ++m_periods[index].openTraffics;
    taken.traffic->Begin();
}

/// A message of closed traffic that is simulated. It is part of what its period does.
void
PeriodMemo::PostInside(uint32_t number, const Message& message, uint32_t place)
{
    const TakenTraffic& taken = m_traffics[number];
    NADI_CHECK(taken.isSimulated);
    m_posted[place] = {number, INSIDE};
    const uint32_t index = PeriodOf(taken);
    m_parts.Post(m_periods[index], index, message, place);
}

void
PeriodMemo::OnDelivered(uint32_t place, const Message& message, SimTime sent)
{
    // Other messages are inputs of their own, whose delivery OnArrived or OnEvent has noted.
    if (m_posted[place].input != INSIDE)
    {
        return;
    }
    TakenTraffic& taken = m_traffics[m_posted[place].period];
    // A record has all messages or is of no use, so the first message that is left out ends it.
    taken.isNoted = taken.isNoted && m_periods[PeriodOf(taken)].isRecorded;
    if (taken.isNoted)
    {
        taken.Note(message, sent.Ps(), m_loop.Now().Ps());
    }
}

/// Traffic that is simulated calls this when it has ended on a part.
void
PeriodMemo::EndPart(uint32_t number, uint32_t part)
{
    TakenTraffic& taken = m_traffics[number];
    const TakenTraffic::End end{m_loop.Now().Ps(), static_cast<uint32_t>(m_loop.Round())};
    const TakenTraffic::End& given = taken.ends[part];
    if (given.at != TakenTraffic::NOT_GIVEN)
    {
        // An answer has ended the part before. This simulation has to find the same instant and
        // round.
        NADI_CHECK(given.at == end.at && given.round == end.round);
    }
    else
    {
        // While a period catches up, only ends up to now are simulated, and all of those were given
        // before.
        NADI_CHECK(m_catchingUp == NONE);
        taken.Give(part, end);
        RecordEnd(number, part);
        taken.traffic->OnPartEnded(part);
    }
    if (++taken.simulatedEnds == taken.ends.size())
    {
        FinishSimulated(number);
    }
}

/// What the simulation of the traffic found out is written down.
void
PeriodMemo::RecordEnd(uint32_t number, uint32_t part)
{
    TakenTraffic& taken = m_traffics[number];
    const Period& period = m_periods[m_periods.Find(taken.period)];
    if (!period.isRecorded)
    {
        return;
    }
    const TakenTraffic::End& end = taken.ends[part];
    PeriodOutput output{end.at - period.begin, taken.input, part, end.round};
    if (taken.HasEnded())
    {
        NADI_CHECK(taken.isNoted);
        taken.record = m_trie.AddRecord(std::exchange(taken.noted, {}));
        output.record = taken.record;
    }
    m_recorder.AddOutput(period, output);
}

/// Closed traffic in an answered period ends on a part.
void
PeriodMemo::GiveEnd(uint32_t index, const PeriodOutput& output)
{
    const Period& period = m_periods[index];
    if (m_interruptOneIn > 0)
    {
        Await(index);
    }
    TakenTraffic& taken = m_traffics[period.inputs[output.input].place];
    NADI_CHECK(taken.ends[output.part].at == TakenTraffic::NOT_GIVEN);
    taken.Give(output.part, {period.begin + output.after, output.round});
    if (output.record != PeriodOutput::NO_RECORD)
    {
        taken.record = output.record;
    }
    taken.traffic->OnPartEnded(output.part);
}

/// All parts have ended in the simulation. If its queue pairs are idle too, the period may be at
/// rest.
void
PeriodMemo::FinishSimulated(uint32_t number)
{
    const uint32_t index = PeriodOf(m_traffics[number]);
    Period& period = m_periods[index];
    --period.openTraffics;
    m_traffics[number].noted = {};
    period.idleSince = std::max(period.idleSince, m_loop.Now().Ps());
    if (period.busyPairs == 0)
    {
        m_rested.push_back(index);
    }
    m_through.push_back(number);
}

/// Traffic that is through needs its owner no more.
void
PeriodMemo::ReleaseThrough()
{
    for (const uint32_t number : m_through)
    {
        if (m_traffics[number].IsThrough())
        {
            m_traffics.Release(number);
            DropThrough(number);
        }
    }
    m_through.clear();
}

/// Unless its period is recorded, nobody asks for it any more. A period may go on for as long as
/// the run, so it would fill the memory.
void
PeriodMemo::DropThrough(uint32_t number)
{
    uint32_t index = m_traffics[number].period;
    if (m_periods[index].state == Period::State::United)
    {
        index = m_periods.Find(index);
    }
    Period& period = m_periods[index];
    if (period.state != Period::State::Live || period.isRecorded)
    {
        return;
    }
    std::vector<uint32_t>& traffics = period.traffics;
    traffics.erase(std::remove(traffics.begin(), traffics.end(), number), traffics.end());
    m_traffics.Free(number);
}

/// The messages of answered traffic were delivered like those of the record.
void
PeriodMemo::SkipTraffic(const Period& period)
{
    // Messages are told only when the period ends: until then it could still have been simulated,
    // and its messages would have been counted as they were delivered.
    for (const uint32_t number : period.traffics)
    {
        const TakenTraffic& taken = m_traffics[number];
        NADI_CHECK(taken.HasEnded() && taken.record != PeriodOutput::NO_RECORD);
        const std::vector<TrafficMessage>& messages = m_trie.Record(taken.record);
        for (const TrafficMessage& message : messages)
        {
            taken.traffic->OnMessageSkipped(taken.MakeDelivery(message));
        }
        m_messageCount += messages.size();
        m_answeredCount += messages.size();
        m_skippedCount += messages.size();
    }
}

/// The period ends, and all traffic in it has.
void
PeriodMemo::ForgetTraffic(const Period& period)
{
    for (const uint32_t number : period.traffics)
    {
        m_traffics.Release(number);
        m_traffics.Free(number);
    }
}

} // namespace nadi
