// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-flowlet-balancer.h"

#include "fabric-hash.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

FabricFlowletBalancer::FabricFlowletBalancer(const FabricBalancerSettings& settings)
    : m_seed(settings.seed)
    , m_node(settings.node)
    , m_gap(settings.flowletGap)
{
}

uint32_t
FabricFlowletBalancer::Pick(const Question& question)
{
    if (m_flowlets.size() >= m_cleanAt)
    {
        ForgetOver(question.now);
    }
    const auto [found, isNew] =
        m_flowlets.try_emplace(question.flow.identity, Flowlet{question.now, 0});
    Flowlet& flowlet = found->second;
    if (isNew || IsOver(flowlet, question.now))
    {
        flowlet.hash = HashFirst(question);
    }
    flowlet.last = question.now;
    return static_cast<uint32_t>(flowlet.hash % question.candidates.size());
}

uint64_t
FabricFlowletBalancer::HashFirst(const Question& question) const
{
    return FabricHash({m_seed,
                       static_cast<uint64_t>(FabricPurpose::Flowlet),
                       m_node,
                       question.flow.identity,
                       question.frame.sequence,
                       question.frame.attempt});
}

void
FabricFlowletBalancer::ForgetOver(int64_t now)
{
    // The order of the walk reaches nothing: each entry stays or goes by itself.
    for (auto flowlet = m_flowlets.begin(); flowlet != m_flowlets.end();)
    {
        flowlet = IsOver(flowlet->second, now) ? m_flowlets.erase(flowlet) : std::next(flowlet);
    }
    m_cleanAt = std::max(MIN_TABLE, 2 * m_flowlets.size());
}

} // namespace ns3
