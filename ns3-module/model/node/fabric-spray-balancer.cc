// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-spray-balancer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSprayBalancer);

TypeId
FabricSprayBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricSprayBalancer")
                            .SetParent<FabricLoadBalancer>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricSprayBalancer>();
    return tid;
}

std::string
FabricSprayBalancer::GetHelp() const
{
    return "Each frame goes its own way, chosen by a hash of the frame.";
}

uint32_t
FabricSprayBalancer::Pick(const Question& question)
{
    const uint64_t hash = HashFrame(FabricPurpose::Spray, question);
    return static_cast<uint32_t>(hash % question.candidates.size());
}

} // namespace ns3
