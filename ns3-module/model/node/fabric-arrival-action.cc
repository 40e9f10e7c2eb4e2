// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-arrival-action.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricArrivalAction);

TypeId
FabricArrivalAction::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricArrivalAction").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

} // namespace ns3
