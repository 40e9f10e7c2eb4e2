// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-headroom.h"

#include "ns3/fabric-link-plan.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric-time.h"
#include "ns3/fabric-transmit-time.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Times at which the longest frame may begin in the direction of pause frames, with the rate that
/// it has then.
struct Busy
{
    int64_t from = 0;
    int64_t until = 0;
    uint64_t rate = 0;
};

/// Worked in 128 bits, rounded up to a byte.
uint64_t
CountBytes(uint64_t rate, int64_t time, uint32_t fullFrame)
{
    __extension__ typedef unsigned __int128 Wide;
    constexpr uint64_t BYTE = 8'000'000'000'000; // bit picoseconds a second
    constexpr Wide MOST = Wide(1) << 62;         // of a size
    const Wide bits = Wide(rate) * static_cast<uint64_t>(time);
    return static_cast<uint64_t>(std::min((bits + BYTE - 1) / BYTE + fullFrame, MOST));
}

/// What may come in by one port.
class FabricIncoming
{
  public:
    FabricIncoming(const FabricPort& ingress, const FabricProtocol& protocol, uint32_t priorities)
        : m_ingress(ingress)
        , m_sender(ingress.GetPeer())
        , m_protocol(protocol)
        , m_priorities(priorities)
        , m_usual(ingress.GetDataRate().GetBitRate())
    {
    }

    uint64_t CountUsual() const
    {
        // At worst the longest frame has just begun in the direction of the pause. Then each
        // priority sends a pause, and this priority is the last.
        int64_t wait = FabricTransmitTime(m_usual)(LongestFrame());
        const int64_t pause = FabricTransmitTime(m_usual)(m_protocol.GetControlFrame());
        wait = FabricAddTime(wait, FabricMultiplyTime(m_priorities, pause));
        return Count(m_sender.GetDataRate().GetBitRate(), wait);
    }

    /// The most over all times.
    uint64_t CountWithFaults() const
    {
        const FabricLinkPlan* const plan = m_ingress.GetTimes().GetPlan();
        // The direction of the pause has no faults. That of the sender may still have some.
        if (plan == nullptr)
        {
            return CountWhile({0, FABRIC_CLOCK_END, m_usual});
        }
        uint64_t most = 0;
        plan->VisitRates(m_usual,
                         [this, &most](int64_t from, int64_t until, uint64_t rate) {
                             most = std::max(most, CountWhile({from, until, rate}));
                         });
        return most;
    }

  private:
    uint32_t LongestFrame() const
    {
        return std::max(m_protocol.GetFullFrame(), m_protocol.GetControlFrame());
    }

    /// Where the sender has a rate until the pause has arrived, and the pause waits so long.
    uint64_t Count(uint64_t rate, int64_t wait) const
    {
        const int64_t there = FabricAddTime(wait, m_ingress.GetTimes().GetDelay());
        return CountBytes(
            rate, FabricAddTime(there, m_sender.GetTimes().GetDelay()), m_protocol.GetFullFrame());
    }

    /// Where a frame is on the wire that began while `busy`.
    uint64_t CountWhile(const Busy& busy) const
    {
        // The frame on the wire keeps the rate that it began with. Each pause behind it may meet
        // the lowest rate of the time in which that pause may start.
        int64_t wait = FabricTransmitTime(busy.rate)(LongestFrame());
        for (uint32_t i = 0; i < m_priorities; ++i)
        {
            const uint64_t rate = LowestRate(busy.from, FabricAddTime(busy.until, wait));
            const int64_t pause = FabricTransmitTime(rate)(m_protocol.GetControlFrame());
            wait = FabricAddTime(wait, pause);
        }
        const int64_t end =
            FabricAddTime(FabricAddTime(busy.until, wait), m_ingress.GetTimes().GetDelay());
        // What comes in after the decision to pause left the sender at the earliest one delay of
        // its link before. The sender goes on until the pause has arrived there.
        const int64_t from = std::max<int64_t>(busy.from - m_sender.GetTimes().GetDelay(), 0);
        return Count(HighestRateOfSender(from, end), wait);
    }

    uint64_t LowestRate(int64_t from, int64_t until) const
    {
        const FabricLinkPlan* const plan = m_ingress.GetTimes().GetPlan();
        return plan == nullptr ? m_usual : plan->FindLowestRate(from, until, m_usual);
    }

    uint64_t HighestRateOfSender(int64_t from, int64_t until) const
    {
        const uint64_t usual = m_sender.GetDataRate().GetBitRate();
        const FabricLinkPlan* const plan = m_sender.GetTimes().GetPlan();
        return plan == nullptr ? usual : plan->FindHighestRate(from, until, usual);
    }

    const FabricPort& m_ingress;
    const FabricPort& m_sender;
    const FabricProtocol& m_protocol;
    uint32_t m_priorities;
    uint64_t m_usual;
};

} // namespace

uint64_t
ComputeFabricHeadroom(const FabricPort& ingress,
                      const FabricProtocol& protocol,
                      uint32_t priorities)
{
    return FabricIncoming(ingress, protocol, priorities).CountUsual();
}

bool
OutgrowsFabricHeadroom(const FabricPort& ingress,
                       const FabricProtocol& protocol,
                       uint32_t priorities)
{
    const FabricIncoming incoming(ingress, protocol, priorities);
    return incoming.CountWithFaults() > incoming.CountUsual();
}

} // namespace ns3
