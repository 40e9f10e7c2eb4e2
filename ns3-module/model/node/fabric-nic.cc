// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-nic.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricNic);

TypeId
FabricNic::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricNic")
                            .SetParent<FabricNode>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricNic>();
    return tid;
}

} // namespace ns3
