// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SPRAY_BALANCER_H
#define FABRIC_SPRAY_BALANCER_H

#include "fabric-load-balancer.h"

#include <string>

namespace ns3
{

/// \ingroup fabric
/// Sends each frame its own way, by hash: uniform over the candidates, independent from frame to
/// frame, and anew for each retransmission.
class FabricSprayBalancer : public FabricLoadBalancer
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;

    uint32_t Pick(const Question& question) override;
};

} // namespace ns3

#endif /* FABRIC_SPRAY_BALANCER_H */
