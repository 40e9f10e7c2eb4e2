// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-congestion-control.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricCongestionControl);

uint64_t
FabricPathProperties::GetBandwidthDelayProduct() const
{
    __extension__ typedef unsigned __int128 Wide; // no overflow at any rate and round trip
    const Wide bitPs = Wide{lineRate} * static_cast<uint64_t>(baseRoundTrip);
    const Wide bitPsPerByte = 8'000'000'000'000U;
    return static_cast<uint64_t>((bitPs + bitPsPerByte - 1) / bitPsPerByte);
}

void
FabricRateControl::Advance(int64_t /*now*/)
{
}

void
FabricRateControl::OnAcknowledgement(const FabricFeedback& /*feedback*/)
{
}

void
FabricRateControl::OnCongestionNotification(int64_t /*now*/)
{
}

void
FabricRateControl::OnLoss(int64_t /*now*/)
{
}

TypeId
FabricCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricCongestionControl")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddAttribute(
                "MinRate",
                "The least rate of a queue pair, however congested its path is. A port whose line "
                "rate is lower sends at line rate. The published parameter files have 100 Mb/s; "
                "with a higher rate, an incast of many senders cannot drain its queue. Controls by "
                "a window (dctcp, swift) keep it at this rate times the round trip of the empty "
                "path or above, but not above max-window.",
                DataRateValue(DataRate(100'000'000)),
                MakeDataRateAccessor(&FabricCongestionControl::m_minRate),
                MakeDataRateChecker());
    return tid;
}

int64_t
FabricCongestionControl::GetNotificationInterval() const
{
    return 0;
}

double
FabricCongestionControl::GetMinRate(const FabricPathProperties& path) const
{
    // Never 0, because the gap between two frames is computed by a division by the rate.
    const uint64_t atLeast = std::max<uint64_t>(m_minRate.GetBitRate(), 1);
    return static_cast<double>(std::min(atLeast, path.lineRate));
}

double
FabricCongestionControl::ScaleRate(const DataRate& rate,
                                   const TunedRate& tuned,
                                   const FabricPathProperties& path)
{
    if (rate.GetBitRate() > 0)
    {
        return static_cast<double>(rate.GetBitRate());
    }
    return static_cast<double>(path.lineRate) * static_cast<double>(tuned.rate) /
           static_cast<double>(tuned.lineRate);
}

} // namespace ns3
