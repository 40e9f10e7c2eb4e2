// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-spray-balancer.h"

#include "fabric-hash.h"

namespace ns3
{

FabricSprayBalancer::FabricSprayBalancer(const FabricBalancerSettings& settings)
    : m_seed(settings.seed)
    , m_node(settings.node)
{
}

uint32_t
FabricSprayBalancer::Pick(const Question& question)
{
    const uint64_t hash = FabricHash({m_seed,
                                      static_cast<uint64_t>(FabricPurpose::Spray),
                                      m_node,
                                      question.flow.identity,
                                      question.frame.sequence,
                                      question.frame.attempt});
    return static_cast<uint32_t>(hash % question.candidates.size());
}

} // namespace ns3
