// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-adaptive-balancer.h"

#include "ns3/fabric-port.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricAdaptiveBalancer);

TypeId
FabricAdaptiveBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricAdaptiveBalancer")
                            .SetParent<FabricLoadBalancer>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricAdaptiveBalancer>();
    return tid;
}

std::string
FabricAdaptiveBalancer::GetHelp() const
{
    return "Each frame takes the way with the fewest waiting bytes.";
}

uint32_t
FabricAdaptiveBalancer::Pick(const Question& question)
{
    // Reading the queue settles the port, so all starts before now are done; arrivals of this
    // instant that were handled before, in the order of their ingress, count.
    m_queueBytes.clear();
    for (FabricPort* candidate : question.candidates)
    {
        m_queueBytes.push_back(candidate->ReadQueueBytes(question.now));
    }
    return PickSmallest(m_queueBytes, HashFrame(FabricPurpose::Adaptive, question));
}

uint32_t
FabricAdaptiveBalancer::PickSmallest(const std::vector<uint64_t>& queueBytes, uint64_t tieHash)
{
    const uint64_t smallest = *std::min_element(queueBytes.begin(), queueBytes.end());
    const auto ties =
        static_cast<uint64_t>(std::count(queueBytes.begin(), queueBytes.end(), smallest));
    auto picked = std::find(queueBytes.begin(), queueBytes.end(), smallest);
    for (uint64_t skip = tieHash % ties; skip > 0; --skip)
    {
        picked = std::find(picked + 1, queueBytes.end(), smallest);
    }
    return static_cast<uint32_t>(picked - queueBytes.begin());
}

} // namespace ns3
