// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-dctcp.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricDctcp);

FabricDctcpRateControl::FabricDctcpRateControl(const FabricPathProperties& path,
                                               const Limits& limits,
                                               const FabricDctcpParameters& parameters)
    : FabricWindowControl(path, limits)
    , m_parameters(parameters)
    , m_alpha(parameters.initialAlpha)
{
}

void
FabricDctcpRateControl::OnAcknowledgement(const FabricFeedback& feedback)
{
    Measure(feedback);
    m_sent = feedback.sent;
    m_acknowledgedBytes += feedback.newlyAcknowledged;
    m_markedBytes += feedback.isMarked ? feedback.newlyAcknowledged : 0;
    // Alpha comes first: if a round trip ends here, the window shrinks by an alpha that includes
    // this round trip.
    if (m_roundTrips.Begins(feedback))
    {
        UpdateAlpha();
    }
    // These bytes were sent before the window shrank, so their marks are about the window as it
    // was.
    if (feedback.acknowledged <= m_reducedUntil)
    {
        return;
    }
    if (!feedback.isMarked)
    {
        Grow(m_parameters.additiveIncrease, feedback.newlyAcknowledged);
    }
    else if (ShrinkOncePerRoundTrip(1 - m_alpha / 2, feedback.now))
    {
        m_reducedUntil = m_sent;
    }
}

void
FabricDctcpRateControl::OnLoss(int64_t now)
{
    if (ShrinkOncePerRoundTrip(0.5, now))
    {
        m_reducedUntil = m_sent;
    }
}

void
FabricDctcpRateControl::UpdateAlpha()
{
    // Repeated acknowledgements alone acknowledge no bytes, so they tell no marked share.
    if (m_acknowledgedBytes == 0)
    {
        return;
    }
    const double marked =
        static_cast<double>(m_markedBytes) / static_cast<double>(m_acknowledgedBytes);
    m_alpha = (1 - m_parameters.gain) * m_alpha + m_parameters.gain * marked;
    m_acknowledgedBytes = 0;
    m_markedBytes = 0;
}

TypeId
FabricDctcp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricDctcp")
            .SetParent<FabricCongestionControl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricDctcp>()
            .AddAttribute("Gain",
                          "The weight g of the newest round trip in alpha, the estimated share of "
                          "marked bytes; from 0 to 1.",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&FabricDctcp::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "InitialAlpha",
                "The value of alpha, the estimated share of marked bytes, in a new queue pair; "
                "from 0 to 1. With 1 a mark in the first round trip halves the window.",
                DoubleValue(1),
                MakeDoubleAccessor(&FabricDctcp::m_initialAlpha),
                MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "The growth of the window in a round trip without marks, in frames.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&FabricDctcp::m_additiveIncrease),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("MaxWindow",
                          "The largest window, in bytes of payload. 0 stands for one "
                          "bandwidth-delay product of the empty path.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricDctcp::m_maxWindow),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

std::string
FabricDctcp::GetHelp() const
{
    return "DCTCP (Alizadeh et al., SIGCOMM 2010) shrinks the window of a sender in proportion to "
           "the "
           "share of its bytes that carried ECN marks, and otherwise grows it.";
}

FabricCongestionSignals
FabricDctcp::GetSignals() const
{
    FabricCongestionSignals signals;
    signals.everyAcknowledgement = true;
    signals.marks = true;
    return signals;
}

std::unique_ptr<FabricRateControl>
FabricDctcp::Open(const FabricPathProperties& path, int64_t /*now*/) const
{
    const uint64_t maxWindow = m_maxWindow > 0 ? m_maxWindow : path.GetBandwidthDelayProduct();
    const FabricDctcpParameters parameters{m_gain, m_initialAlpha, m_additiveIncrease};
    return std::make_unique<FabricDctcpRateControl>(
        path, FabricWindowControl::Limits{GetMinRate(path), maxWindow}, parameters);
}

} // namespace ns3
