// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/traffic-table.h"

#include <algorithm>
#include <utility>

namespace nadi
{

void
TakenTraffic::AddGiven(int64_t periodBegin,
                       uint32_t number,
                       std::vector<PeriodOutput>& outputs) const
{
    int64_t last = NOT_GIVEN;
    for (const End& end : ends)
    {
        last = std::max(last, end.at);
    }
    for (uint32_t part = 0; part < ends.size(); ++part)
    {
        const End& end = ends[part];
        if (end.at != NOT_GIVEN)
        {
            // Several parts may end last, at one instant. Each of them names the record, since any
            // of them may be the one that is told last.
            const bool isLast = HasEnded() && end.at == last;
            outputs.push_back({end.at - periodBegin,
                               number,
                               part,
                               end.round,
                               isLast ? record : PeriodOutput::NO_RECORD});
        }
    }
}

void
TakenTraffic::Note(const Message& message, int64_t sent, int64_t delivered)
{
    noted.push_back({.key = message.key,
                     .size = message.size,
                     .sent = sent - begin,
                     .delivered = delivered - begin,
                     .ends = {.source = traffic->PartOf(RankId{message.source.value}),
                              .destination = traffic->PartOf(RankId{message.destination.value})}});
}

Delivery
TakenTraffic::MakeDelivery(const TrafficMessage& message) const
{
    return {.message = {.source = VertexOf(traffic->RankOf(message.ends.source)),
                        .destination = VertexOf(traffic->RankOf(message.ends.destination)),
                        .size = message.size,
                        .stream = stream,
                        .key = message.key},
            .sent = SimTime::FromPs(begin + message.sent),
            .delivered = SimTime::FromPs(begin + message.delivered)};
}

uint32_t
TrafficTable::Add(ClosedTraffic& traffic, SimTime now)
{
    TakenTraffic taken;
    taken.traffic = &traffic;
    taken.stream = traffic.Stream();
    taken.begin = now.Ps();
    taken.ends.resize(traffic.PartCount());
    const uint32_t number = m_traffics.Make(std::move(taken));
    // No other traffic has the stream as long as this one lasts, so the stream of a message finds
    // it.
    m_numbers.emplace(traffic.Stream().value, number);
    return number;
}

uint32_t
TrafficTable::Find(StreamId stream) const
{
    const auto found = m_numbers.find(stream.value);
    return found == m_numbers.end() ? NONE : found->second;
}

void
TrafficTable::Release(uint32_t number)
{
    if (ClosedTraffic* traffic = std::exchange(m_traffics[number].traffic, nullptr))
    {
        traffic->Release();
    }
}

/// From now on the number may be used again, and so may the stream.
void
TrafficTable::Free(uint32_t number)
{
    m_numbers.erase(m_traffics[number].stream.value);
    m_traffics.Take(number);
}

} // namespace nadi
