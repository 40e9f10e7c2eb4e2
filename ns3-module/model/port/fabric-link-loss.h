// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LINK_LOSS_H
#define FABRIC_LINK_LOSS_H

#include "fabric-start-action.h"

#include <string>

namespace ns3
{

/// \ingroup fabric
/// Loses frames as the plan of the link says (FabricLinkPlan): those that a failure cuts off, and
/// a part of the others. Requires: the link has a plan; its port then has this action.
class FabricLinkLoss : public FabricStartAction
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    void OnStart(FabricFrame& frame, const Start& start) override;
    bool CanLose(const FabricPort& port) const override;
};

} // namespace ns3

#endif /* FABRIC_LINK_LOSS_H */
