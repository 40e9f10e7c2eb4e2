// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-lossy-exchange.h"

#include <algorithm>

namespace ns3
{

FabricLossyExchange::FabricLossyExchange(FabricLossRecovery recovery,
                                         const FabricLossyWays& ways,
                                         uint64_t seed)
    : m_random(seed)
    , m_ways(ways)
    , m_reordering(recovery == FabricLossRecovery::Selective ? FabricReordering::Keep
                                                             : FabricReordering::Discard)
    , m_sender(recovery)
    , m_receiver(m_reordering)
{
}

void
FabricLossyExchange::Run(uint64_t frames)
{
    m_unposted = frames;
    m_taken.assign(frames, 0);
    const uint64_t tooLong = 10000 * frames;
    while (m_fault.empty() && !IsFinished())
    {
        Step();
        Check();
        Expect(++m_now < tooLong, "never ends");
    }
    const bool isOnce =
        std::all_of(m_taken.begin(), m_taken.end(), [](uint32_t times) { return times == 1; });
    Expect(isOnce, "not exactly once");
    Expect(m_receiver.GetExpected() == frames, "the receiver waits for more");
    Expect(m_receiver.GetNKept() == 0, "something is kept");
}

bool
FabricLossyExchange::IsFinished() const
{
    return m_unposted == 0 && m_sender.GetAcknowledged() == m_sender.GetPosted() &&
           m_data.empty() && m_answers.empty();
}

void
FabricLossyExchange::Step()
{
    PostSome();
    while (!m_answers.empty() && m_answers.front().arrival <= m_now)
    {
        const UnderWay answer = m_answers.front();
        m_answers.pop_front();
        Answer(answer);
    }
    while (!m_data.empty() && m_data.front().arrival <= m_now)
    {
        const uint64_t sequence = m_data.front().sequence;
        m_data.pop_front();
        Receive(sequence);
    }
    if (CanSend())
    {
        Send();
        return;
    }
    const bool isSilent = m_data.empty() && m_answers.empty();
    if (!m_sender.IsAllAcknowledged() && (isSilent || m_random.Happens(m_ways.hastyTimeoutPercent)))
    {
        m_sender.ReportTimeout();
        Expect(m_sender.IsNextRetransmission(), "a timeout sends again");
    }
}

void
FabricLossyExchange::PostSome()
{
    if (m_random.Happens(5))
    {
        const uint64_t frames = std::min(m_unposted, 1 + m_random.Below(50));
        m_sender.Post(frames);
        m_unposted -= frames;
    }
}

bool
FabricLossyExchange::CanSend() const
{
    return m_sender.HasNext() && m_sender.GetNext() < m_sender.GetAcknowledged() + WINDOW;
}

void
FabricLossyExchange::Send()
{
    const uint64_t sequence = m_sender.GetNext();
    Expect(sequence >= m_sender.GetAcknowledged(), "an acknowledged frame is sent again");
    Expect(m_sender.IsNextRetransmission() == (sequence < m_sender.GetStarted()), "sent before");
    m_sender.Start();
    ++m_sent;
    if (m_random.Happens(m_ways.dataLossPercent))
    {
        ++m_lost;
        return;
    }
    Put(m_data, sequence, NONE);
}

void
FabricLossyExchange::Put(Way& way, uint64_t sequence, uint64_t arrived)
{
    const uint64_t last = way.empty() ? 0 : way.back().arrival;
    way.push_back({std::max(last, m_now + 1 + m_random.Below(10)), sequence, arrived});
}

void
FabricLossyExchange::Receive(uint64_t sequence)
{
    const FabricReceiveWindow::Outcome outcome = m_receiver.Accept(sequence);
    const bool isEarly = outcome == FabricReceiveWindow::Outcome::OutOfOrder;
    const bool isTaken = isEarly ? m_reordering == FabricReordering::Keep
                                 : outcome == FabricReceiveWindow::Outcome::InOrder;
    m_taken[sequence] += isTaken;
    if (!m_random.Happens(m_ways.answerLossPercent))
    {
        Put(m_answers, m_receiver.GetExpected(), isEarly ? sequence : NONE);
    }
}

void
FabricLossyExchange::Answer(const UnderWay& answer)
{
    const uint64_t before = m_sender.GetAcknowledged();
    if (answer.arrived == NONE)
    {
        const bool isNews = m_sender.Acknowledge(answer.sequence);
        Expect(isNews == (answer.sequence > before), "news");
        return;
    }
    if (m_sender.ReportGap(answer.sequence, answer.arrived))
    {
        Expect(m_sender.IsNextRetransmission(), "a gap sends again");
    }
}

void
FabricLossyExchange::Check()
{
    Expect(m_sender.GetAcknowledged() <= m_receiver.GetExpected(), "acknowledged too much");
    Expect(m_receiver.GetExpected() <= m_sender.GetStarted(), "received too much");
    Expect(m_sender.GetStarted() <= m_sender.GetPosted(), "started too much");
}

void
FabricLossyExchange::Expect(bool holds, const char* what)
{
    if (!holds && m_fault.empty())
    {
        m_fault = what;
    }
}

} // namespace ns3
