// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-load-balancer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricLoadBalancer);

TypeId
FabricLoadBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricLoadBalancer").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

} // namespace ns3
