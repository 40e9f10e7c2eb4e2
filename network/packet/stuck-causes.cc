// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/stuck-causes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ns3/fabric-link-plan.h>

#include <algorithm>
#include <set>

namespace nadi
{

namespace
{

// How many links a sentence names: a switch that fails may take dozens of links with it.
constexpr size_t LINKS_NAMED = 6;

/// What the waiting queue pairs of a fabric have in common.
class WaitingPairs
{
  public:
    WaitingPairs(const BuiltFabric& built, const FabricRoutingAdapter& routing, SimTime now)
        : m_built(built)
        , m_routing(routing)
        , m_now(now.Ps())
    {
        built.fabric->VisitQueuePairs(
            [this](const ns3::FabricQueuePair& queuePair)
            {
                if (!queuePair.IsIdle())
                {
                    Add(queuePair);
                }
            });
    }

    /// The lower direction of each link that is down and waited for.
    std::set<LinkId> FindDown(const Topology& topology) const
    {
        std::set<LinkId> down;
        for (uint32_t link = 0; link < topology.LinkCount(); ++link)
        {
            const LinkId id{link};
            // A queue pair without a way names no links. It may wait for any link that is down.
            const bool isWaitedFor = m_isSomeWithoutWay || m_links.count(id) > 0;
            if (isWaitedFor && IsDown(*m_built.portOfLink[link]))
            {
                down.insert(std::min(id, topology.Link(id).reverse));
            }
        }
        return down;
    }

    /// Queue pairs that will never send again by themselves, though they wait for an answer.
    uint64_t OutOfTimeCount() const
    {
        return m_outOfTime;
    }

  private:
    void Add(const ns3::FabricQueuePair& queuePair)
    {
        const ns3::FabricFlow& flow = m_built.fabric->GetFlow(queuePair.GetFlow());
        m_isSomeWithoutWay = m_isSomeWithoutWay || flow.forward.IsEmpty();
        // Data may have arrived while the answers wait, so the way back counts as well.
        for (const auto kind : {ns3::FabricFrameKind::Data, ns3::FabricFrameKind::Acknowledgement})
        {
            for (const auto& hop : m_built.fabric->GetPaths().ListHops(flow, kind))
            {
                m_links.insert(m_routing.LinkOf(*hop.egress));
            }
        }
        const ns3::FabricRetryTimer* timer = queuePair.GetRetryTimer();
        // If something is unanswered and the timer is not set, nor has let its deadline pass, that
        // lies after the end of the clock (FabricRetryTimer::Schedule).
        m_outOfTime += timer != nullptr && !timer->IsPending() && !timer->IsAtRest() &&
                       queuePair.IsWaitingForAnswer();
    }

    bool IsDown(const ns3::FabricPort& port) const
    {
        const ns3::FabricLinkPlan* plan = port.GetTimes().GetPlan();
        return plan != nullptr && plan->IsDown(m_now);
    }

    const BuiltFabric& m_built;
    const FabricRoutingAdapter& m_routing;
    int64_t m_now;
    std::set<LinkId> m_links;
    bool m_isSomeWithoutWay = false;
    uint64_t m_outOfTime = 0;
};

std::string
DescribeDown(const Topology& topology, const std::set<LinkId>& down)
{
    std::vector<std::string> names;
    for (const LinkId id : down)
    {
        if (names.size() == LINKS_NAMED)
        {
            names.push_back(fmt::format("{} more", down.size() - LINKS_NAMED));
            break;
        }
        const TopologyLink& link = topology.Link(id);
        names.push_back(topology.Vertex(link.from).name + " - " + topology.Vertex(link.to).name);
    }
    return fmt::format("messages wait for {}: {}",
                       down.size() == 1 ? "a link that is down" : "links that are down",
                       fmt::join(names, ", "));
}

} // namespace

std::vector<std::string>
FindStuckCauses(const Topology& topology,
                const BuiltFabric& built,
                const FabricRoutingAdapter& routing,
                SimTime now)
{
    const WaitingPairs waiting(built, routing, now);
    std::vector<std::string> causes;
    const std::set<LinkId> down = waiting.FindDown(topology);
    if (!down.empty())
    {
        causes.push_back(DescribeDown(topology, down));
    }
    if (waiting.OutOfTimeCount() > 0)
    {
        causes.push_back(
            fmt::format("queue pairs that would send again after the simulated clock ends, at "
                        "106 days: {}; write a shorter retransmit-timeout",
                        waiting.OutOfTimeCount()));
    }
    return causes;
}

} // namespace nadi
