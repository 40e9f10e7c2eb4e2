// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-start-action.h"

#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricStartAction);

TypeId
FabricStartAction::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricStartAction").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

std::optional<uint64_t>
FabricStartAction::GetIdleQueue() const
{
    return {};
}

bool
FabricStartAction::CanLose(const FabricPort&) const
{
    return false;
}

double
FabricStartAction::Draw(FabricPurpose purpose, const FabricFrame& frame, const FabricPort& port)
{
    const FabricNode& node = port.GetFabricNode();
    Fabric& fabric = node.GetFabric();
    // A random number is a function of identities, never of the order of calls (T5), so that
    // trains, another order of events or a further fault elsewhere do not change it. The layout of
    // the words is part of every recorded result: the low half of the port's number, then the
    // node's, then the high half.
    const uint64_t index = port.GetIndex();
    const uint64_t place =
        (index >> 16) << 48 | uint64_t{node.GetIndex()} << 16 | (index & 0xffffU);
    // Several answers may acknowledge the same number. Their attempts tell apart which data frames
    // they answer.
    const uint64_t kind = uint64_t{frame.attempt} << 8 | static_cast<uint64_t>(frame.kind);
    return FabricUniform(FabricHash({fabric.GetProtocol().GetSeed(),
                                     static_cast<uint64_t>(purpose),
                                     place,
                                     fabric.GetFlow(frame.flow).identity,
                                     frame.sequence,
                                     kind}));
}

} // namespace ns3
