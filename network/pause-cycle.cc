// SPDX-License-Identifier: GPL-2.0-only
#include "network/pause-cycle.h"

#include "common/check.h"

#include <algorithm>
#include <map>
#include <set>

namespace nadi
{

namespace
{

using WaitsByChannel = std::map<Channel, std::set<Channel>>;

/// What is left once all that can move has moved. A channel that waits for nothing moves; one that
/// waits only for channels that move, moves as well. One that waits for at least one channel that
/// is left is left too.
WaitsByChannel
FindStuck(const std::vector<PauseWait>& waits)
{
    WaitsByChannel waitsOf;
    WaitsByChannel waitersOf;
    for (const auto& [waiter, awaited] : waits)
    {
        waitsOf[waiter].insert(awaited);
        waitersOf[awaited].insert(waiter);
    }
    std::vector<Channel> moving;
    for (const auto& [awaited, waiters] : waitersOf)
    {
        if (!waitsOf.contains(awaited))
        {
            moving.push_back(awaited);
        }
    }
    while (!moving.empty())
    {
        const Channel awaited = moving.back();
        moving.pop_back();
        for (const Channel waiter : waitersOf[awaited])
        {
            std::set<Channel>& rest = waitsOf[waiter];
            rest.erase(awaited);
            if (rest.empty())
            {
                waitsOf.erase(waiter);
                moving.push_back(waiter);
            }
        }
    }
    return waitsOf;
}

} // namespace

std::optional<std::vector<Channel>>
FindPauseCycle(const std::vector<PauseWait>& waits)
{
    const WaitsByChannel stuck = FindStuck(waits);
    if (stuck.empty())
    {
        return std::nullopt;
    }
    // Each step leads to another that is stuck, so sooner or later to one that was seen.
    // The maps are sorted, so the first channel and each next one are the lowest: the result does
    // not depend on the order of the waits.
    std::vector<Channel> cycle{stuck.begin()->first};
    while (true)
    {
        const Channel next = *stuck.at(cycle.back()).begin();
        const auto seen = std::find(cycle.begin(), cycle.end(), next);
        if (seen != cycle.end())
        {
            // What leads into the circle is stuck as well, but does not belong to it.
            cycle.erase(cycle.begin(), seen);
            break;
        }
        cycle.push_back(next);
    }
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    return cycle;
}

std::string
DescribePauseCycle(const Topology& topology, const std::vector<Channel>& cycle)
{
    NADI_CHECK(!cycle.empty());
    VertexId at = topology.Link(cycle.back().link).to;
    std::string text = topology.Vertex(at).name;
    for (const Channel& channel : cycle)
    {
        const TopologyLink& link = topology.Link(channel.link);
        NADI_CHECK(link.from == at);
        at = link.to;
        text += " -> " + topology.Vertex(at).name;
    }
    return text;
}

} // namespace nadi
