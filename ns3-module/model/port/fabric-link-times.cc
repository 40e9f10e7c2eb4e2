// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-link-times.h"

#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric.h"

namespace ns3
{

bool
FabricLinkTimes::AddFault(const FabricLinkFault& fault)
{
    const bool isFirst = !m_plan;
    if (isFirst)
    {
        m_plan = std::make_unique<FabricLinkPlan>();
    }
    m_plan->Add(fault);
    return isFirst;
}

uint64_t
FabricLinkTimes::FindHighestRate() const
{
    return m_plan ? m_plan->FindHighestRate(0, FabricLinkFault::FOREVER, m_usualRate) : m_usualRate;
}

void
FabricLinkTimes::ReportClockEnd() const
{
    m_port.GetFabricNode().GetFabric().ReportClockEnd(m_port);
}

int64_t
FabricLinkTimes::ComputePlannedTime(uint32_t bytes, int64_t start) const
{
    const uint64_t rate = GetRateAt(start);
    return rate == m_usualRate ? m_transmitTime(bytes) : FabricTransmitTime(rate)(bytes);
}

} // namespace ns3
