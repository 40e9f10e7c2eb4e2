// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-link-loss.h"

#include "fabric-link-plan.h"
#include "fabric-port.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricLinkLoss);

TypeId
FabricLinkLoss::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricLinkLoss")
                            .SetParent<FabricStartAction>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricLinkLoss>();
    return tid;
}

std::string
FabricLinkLoss::GetHelp() const
{
    return "Loses frames as the faults of the link say.";
}

/// Requires: the port has a plan of faults. FabricPort::AddFault makes the plan and adds this
/// action.
void
FabricLinkLoss::OnStart(FabricFrame& frame, const Start& start)
{
    const FabricLinkPlan* plan = start.port.GetTimes().GetPlan();
    // A link that goes down while the frame is on it loses the frame, whatever its kind. The random
    // loss spares pauses: a lost pause would break the promise that a lossless network drops
    // nothing.
    if (plan->IsCut(start.time, start.arrival))
    {
        frame.isLost = true;
        return;
    }
    const double loss = frame.IsLinkLocal() ? 0 : plan->GetLoss(start.time);
    if (loss > 0 && Draw(FabricPurpose::Loss, frame, start.port) < loss)
    {
        frame.isLost = true;
    }
}

bool
FabricLinkLoss::CanLose(const FabricPort& port) const
{
    return port.GetTimes().GetPlan()->CanLose();
}

} // namespace ns3
