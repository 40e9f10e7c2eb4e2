// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/request-ledger.h"

#include <algorithm>
#include <utility>

namespace nadi
{

LiveRequest&
RequestLedger::Open(const Request& request, const ReplicaPlace& place)
{
    m_queue.Arrive();
    // By pointer: batchers and passes refer to the sequences of a request, which must not move.
    return *m_live.emplace(request.id, std::make_unique<LiveRequest>(request, place)).first->second;
}

void
RequestLedger::Begin(LiveRequest& live, SimTime now)
{
    if (!std::exchange(live.hasStarted, true))
    {
        live.record.start = now;
        m_queue.Begin();
    }
}

void
RequestLedger::CountToken(LiveRequest& live, SimTime now)
{
    if (live.tokens++ == 0)
    {
        live.record.firstToken = now;
    }
    else
    {
        m_totals.itl.Add(now - live.lastToken);
    }
    live.lastToken = now;
}

void
RequestLedger::Close(LiveRequest& live, SimTime now)
{
    RequestRecord& record = live.record;
    record.end = now;
    record.preemptions = live.sequence.preemptions + live.decoded.preemptions;
    m_totals.firstArrival =
        m_totals.requests == 0 ? record.arrival : std::min(m_totals.firstArrival, record.arrival);
    m_totals.longest = std::max(m_totals.longest, record.input + record.output);
    m_totals.requests += 1;
    m_totals.tokensIn += record.input;
    m_totals.tokensOut += record.output;
    m_totals.namedPrefixes += live.sequence.request.NamesItsPrefix() ? 1 : 0;
    m_totals.kept += record.Keeps(m_level) ? 1 : 0;
    // Requests are closed in the order of time, so the last one is the latest.
    m_totals.end = record.end;
    m_totals.ttft.Add(record.Ttft());
    if (record.output > 1)
    {
        m_totals.tpot.Add(record.Tpot());
    }
    // Told before the request is forgotten: the record is a part of it.
    for (RequestObserver* const observer : m_observers)
    {
        observer->OnRequestEnded(record);
    }
    m_live.erase(record.id);
}

ServingTotals
RequestLedger::Totals() const
{
    ServingTotals totals = m_totals;
    totals.isOverloaded = m_queue.HasGrownToTheEnd();
    totals.isDecodeOverloaded = m_decodeQueue.HasGrownToTheEnd();
    return totals;
}

} // namespace nadi
