// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dateline.h"
#include "network/pause-cycle.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

/// The priority on the link of a frame that came over a channel; none: it starts there.
using PriorityRule = std::function<uint8_t(std::optional<Channel>, LinkId)>;

/// What `dateline` says. Requires: it outlives the rule.
inline PriorityRule
WithDateline(const Dateline& dateline)
{
    return [&dateline](std::optional<Channel> previous, LinkId next)
    { return dateline.Next(previous, next); };
}

inline PriorityRule
WithoutDateline()
{
    return [](std::optional<Channel>, LinkId) -> uint8_t { return 1; };
}

/// Walks every way that a routing offers between NPUs, and collects which channel's frames can
/// wait for which: those that follow one another on a way. As long as no set of these waits is a
/// circle, there can be no deadlock (Dally and Seitz, 1987).
class ChannelDependencies
{
  public:
    ChannelDependencies(const Topology& topology, const Routing& routing, PriorityRule rule)
        : m_topology(topology)
        , m_routing(routing)
        , m_rule(std::move(rule))
    {
        for (VertexId destination{0}; destination.value < topology.NpuCount(); ++destination.value)
        {
            m_seen.clear();
            for (VertexId source{0}; source.value < topology.NpuCount(); ++source.value)
            {
                if (source != destination)
                {
                    Walk(std::nullopt, source, destination);
                }
            }
        }
    }

    std::vector<PauseWait> Waits() const
    {
        return {m_waits.begin(), m_waits.end()};
    }

    bool HasCycle() const
    {
        return FindPauseCycle(Waits()).has_value();
    }

  private:
    void Walk(std::optional<Channel> previous, VertexId at, VertexId destination)
    {
        if (at == destination)
        {
            return;
        }
        const std::vector<LinkId> links = m_routing.FindNextLinks(at, destination);
        for (const LinkId link : links)
        {
            const Channel next{link, m_rule(previous, link)};
            if (previous)
            {
                m_waits.emplace(*previous, next);
            }
            if (m_seen.insert(next).second)
            {
                Walk(next, m_topology.Link(link).to, destination);
            }
        }
    }

    const Topology& m_topology;
    const Routing& m_routing;
    PriorityRule m_rule;
    std::set<Channel> m_seen; // on ways to the present destination
    std::set<PauseWait> m_waits;
};

} // namespace nadi
