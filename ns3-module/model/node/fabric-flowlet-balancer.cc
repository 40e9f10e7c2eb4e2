// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-flowlet-balancer.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricFlowletBalancer);

TypeId
FabricFlowletBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricFlowletBalancer")
            .SetParent<FabricLoadBalancer>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricFlowletBalancer>()
            .AddAttribute("Gap",
                          "A pause of a flow longer than this begins a new flowlet.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&FabricFlowletBalancer::m_gap),
                          MakeTimeChecker(Time(0)));
    return tid;
}

std::string
FabricFlowletBalancer::GetHelp() const
{
    return "A flow may change its way after each pause that is longer than a bound.";
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
        flowlet.hash = HashFrame(FabricPurpose::Flowlet, question);
    }
    flowlet.last = question.now;
    return static_cast<uint32_t>(flowlet.hash % question.candidates.size());
}

void
FabricFlowletBalancer::ForgetOver(int64_t now)
{
    // The order of the walk reaches nothing: each entry stays or goes by itself.
    for (auto flowlet = m_flowlets.begin(); flowlet != m_flowlets.end();)
    {
        flowlet = IsOver(flowlet->second, now) ? m_flowlets.erase(flowlet) : std::next(flowlet);
    }
    // The table may double before the next walk, so that walks cost a constant for each flow that
    // was added.
    m_cleanAt = std::max(MIN_TABLE, 2 * m_flowlets.size());
}

} // namespace ns3
