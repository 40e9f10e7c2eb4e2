// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/load-balancers.h"

#include "network/network-options.h"
#include "network/packet/part-types.h"

#include <ns3/fabric-helper.h>
#include <ns3/fabric-load-balancer.h>
#include <ns3/object-factory.h>

namespace nadi
{

namespace
{

std::vector<ComponentInfo>
FindBalancers()
{
    std::vector<ComponentInfo> balancers{{ECMP,
                                          "Each flow keeps to one way for the whole job, chosen by "
                                          "a hash of its source, destination "
                                          "and communicator.",
                                          {}}};
    const PartKind kind = LoadBalancerKind();
    for (const ns3::TypeId& type : ns3::FabricHelper::FindTypes(kind.base))
    {
        // A TypeId has no help, so an object is made, which tells it.
        ns3::ObjectFactory factory;
        factory.SetTypeId(type);
        const auto balancer = factory.Create<ns3::FabricLoadBalancer>();
        balancers.push_back(DescribePart(kind, type, balancer->GetHelp()));
    }
    return balancers;
}

} // namespace

const std::vector<ComponentInfo>&
DescribeLoadBalancers()
{
    // Made when first asked for, as then all types are registered.
    static const std::vector<ComponentInfo> balancers = FindBalancers();
    return balancers;
}

PartKind
LoadBalancerKind()
{
    return {ns3::FabricLoadBalancer::GetTypeId(), "Balancer", "network.packet.load-balancing"};
}

void
CheckLoadBalancer(const ComponentChoice& choice)
{
    CheckPartParameters(LoadBalancerKind(), choice);
}

} // namespace nadi
