// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/packet-net.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::test
{

/// Flows without end into the last NPU of a switch.
struct CongestionCase
{
    uint32_t senders = 2;
    Bandwidth rate = Bandwidth::FromBitsPerSecond(100'000'000'000);
    SimTime latency = SimTime::FromNs(1000);
    SimTime stagger;                   ///< between the starts of two flows
    SimTime end;                       ///< of the watch, which takes the last half before it
    std::optional<Bandwidth> slowed{}; ///< the rate of the receiver's link by a fault, all the time
    PacketOptions options{};

    /// Rates and marks of the simulators in the wild at 100 Gb/s.
    static CongestionCase Of(const std::string& control, SimTime end)
    {
        CongestionCase one;
        one.options.payload = Bytes(1000);
        one.options.header = Bytes(48);
        one.options.congestionControl.name = control;
        one.end = end;
        return one;
    }

    Bytes FullFrame() const
    {
        return options.payload + options.header;
    }

    /// Of a full frame and its acknowledgement over empty links.
    SimTime BaseRoundTrip() const
    {
        return (FullFrame() / rate + options.controlFrame / rate) * 2 + latency * 4;
    }
};

/// What was seen at the receiver's link and at the senders in the last half of the run.
struct CongestionSight
{
    double meanQueue = 0;    ///< bytes that waited for the receiver's link
    double largestQueue = 0; ///< of all looks
    double smallestQueue = 0;
    double utilization = 0;     ///< of the receiver's link, headers included
    std::vector<double> shares; ///< of each sender, in receivers' links
    NetworkTotals totals;

    /// 1 when all have the same, 1/n when one has all (Jain, Chiu and Hawe, 1984).
    double FairnessIndex() const
    {
        double sum = 0;
        double squares = 0;
        for (const double share : shares)
        {
            sum += share;
            squares += share * share;
        }
        return sum * sum / (static_cast<double>(shares.size()) * squares);
    }
};

/// Runs a CongestionCase and looks at it 2000 times.
class CongestionBench : private EventHandler
{
  public:
    explicit CongestionBench(const CongestionCase& setup)
        : m_setup(setup)
        , m_net(MakeStar(setup.senders + 1, setup.rate, setup.latency), setup.options)
    {
        if (setup.slowed)
        {
            LinkFault fault;
            fault.links = {LinkId{ReceiverLink()}};
            fault.bandwidth = setup.slowed;
            m_net.Backend().AddFaults({fault});
        }
        const Bytes endless(int64_t{1} << 40);
        for (uint32_t sender = 0; sender < setup.senders; ++sender)
        {
            m_net.SendAt(setup.stagger * int64_t{sender},
                         MakeMessage(sender, setup.senders, endless));
        }
    }

    CongestionSight Run()
    {
        for (int64_t look = 0; look <= LOOKS; ++look)
        {
            const SimTime at = Half() + SimTime::FromPs(Half().Ps() / LOOKS * look);
            m_net.Loop().ScheduleAt(
                at, {EventOrder::Kind::Timer, {UINT32_MAX}}, *this, static_cast<uint64_t>(look));
        }
        m_net.Run();
        m_sight.totals = m_net.Backend().ReadTotals();
        return m_sight;
    }

  private:
    static constexpr int64_t LOOKS = 2000;

    SimTime Half() const
    {
        return SimTime::FromPs(m_setup.end.Ps() / 2);
    }

    Bytes Carried(uint32_t link) const
    {
        return m_net.Link(link).bytes;
    }

    void OnEvent(uint64_t look) override
    {
        if (look == 0)
        {
            Begin();
        }
        const auto queue = static_cast<double>(m_net.Link(ReceiverLink()).queue.Count());
        m_sight.meanQueue += queue / static_cast<double>(LOOKS + 1);
        m_sight.largestQueue = std::max(m_sight.largestQueue, queue);
        m_sight.smallestQueue = look == 0 ? queue : std::min(m_sight.smallestQueue, queue);
        if (look == static_cast<uint64_t>(LOOKS))
        {
            End();
        }
    }

    uint32_t ReceiverLink() const
    {
        return 2 * m_setup.senders + 1;
    }

    void Begin()
    {
        m_begin = m_net.Loop().Now();
        m_before = Carried(ReceiverLink());
        for (uint32_t sender = 0; sender < m_setup.senders; ++sender)
        {
            m_sentBefore.push_back(Carried(2 * sender));
        }
    }

    void End()
    {
        const double capacity = static_cast<double>((m_net.Loop().Now() - m_begin).Ps()) *
                                static_cast<double>(m_setup.rate.BitsPerSecond()) / 8e12;
        const auto share = [capacity](Bytes carried)
        { return static_cast<double>(carried.Count()) / capacity; };
        m_sight.utilization = share(Carried(ReceiverLink()) - m_before);
        for (uint32_t sender = 0; sender < m_setup.senders; ++sender)
        {
            m_sight.shares.push_back(share(Carried(2 * sender) - m_sentBefore[sender]));
        }
        m_net.Loop().Stop();
    }

    CongestionCase m_setup;
    PacketNet m_net;
    SimTime m_begin;
    Bytes m_before;
    std::vector<Bytes> m_sentBefore;
    CongestionSight m_sight;
};

inline CongestionSight
Watch(const CongestionCase& setup)
{
    return CongestionBench(setup).Run();
}

} // namespace nadi::test
