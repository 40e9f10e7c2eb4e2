// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-load-balancer.h"

#include "fabric-adaptive-balancer.h"
#include "fabric-flowlet-balancer.h"
#include "fabric-spray-balancer.h"

#include "ns3/abort.h"

namespace ns3
{

std::unique_ptr<FabricLoadBalancer>
MakeFabricLoadBalancer(const FabricBalancerSettings& settings)
{
    switch (settings.balancing)
    {
    case FabricBalancing::Ecmp:
        break;
    case FabricBalancing::Spray:
        return std::make_unique<FabricSprayBalancer>(settings);
    case FabricBalancing::Flowlet:
        return std::make_unique<FabricFlowletBalancer>(settings);
    case FabricBalancing::Adaptive:
        return std::make_unique<FabricAdaptiveBalancer>(settings);
    }
    NS_ABORT_MSG("ECMP picks once for a flow: it has no balancer of frames");
}

} // namespace ns3
