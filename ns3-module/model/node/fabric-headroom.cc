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

uint64_t
LowestRate(const FabricPort& port, int64_t from, int64_t until)
{
    const uint64_t usual = port.GetDataRate().GetBitRate();
    const FabricLinkPlan* const plan = port.GetPlan();
    return plan == nullptr ? usual : plan->FindLowestRate(from, until, usual);
}

uint64_t
HighestRate(const FabricPort& port, int64_t from, int64_t until)
{
    const uint64_t usual = port.GetDataRate().GetBitRate();
    const FabricLinkPlan* const plan = port.GetPlan();
    return plan == nullptr ? usual : plan->FindHighestRate(from, until, usual);
}

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

/// Where a frame is on the wire that began while `busy`.
uint64_t
ComputeWhile(const Busy& busy,
             const FabricPort& ingress,
             const FabricProtocol& protocol,
             uint32_t priorities)
{
    const FabricPort& sender = ingress.GetPeer();
    const uint32_t longest = std::max(protocol.GetFullFrame(), protocol.GetControlFrame());
    int64_t wait = FabricTransmitTime(busy.rate)(longest);
    for (uint32_t i = 0; i < priorities; ++i)
    {
        const uint64_t rate = LowestRate(ingress, busy.from, FabricAddTime(busy.until, wait));
        const int64_t pause = FabricTransmitTime(rate)(protocol.GetControlFrame());
        wait = FabricAddTime(wait, pause);
    }
    const int64_t there = FabricAddTime(wait, ingress.GetDelay());
    const uint64_t rate = HighestRate(sender,
                                      std::max<int64_t>(busy.from - sender.GetDelay(), 0),
                                      FabricAddTime(busy.until, there));
    return CountBytes(rate, FabricAddTime(there, sender.GetDelay()), protocol.GetFullFrame());
}

} // namespace

uint64_t
ComputeFabricHeadroom(const FabricPort& ingress,
                      const FabricProtocol& protocol,
                      uint32_t priorities)
{
    const uint64_t usual = ingress.GetDataRate().GetBitRate();
    const FabricLinkPlan* const plan = ingress.GetPlan();
    if (plan == nullptr)
    {
        return ComputeWhile({0, FABRIC_CLOCK_END, usual}, ingress, protocol, priorities);
    }
    uint64_t headroom = 0;
    plan->VisitRates(usual,
                     [&](int64_t from, int64_t until, uint64_t rate)
                     {
                         headroom = std::max(
                             headroom,
                             ComputeWhile({from, until, rate}, ingress, protocol, priorities));
                     });
    return headroom;
}

} // namespace ns3
