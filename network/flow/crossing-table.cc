// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/crossing-table.h"

#include "common/check.h"

#include <algorithm>
#include <limits>
#include <span>

// A flow and its links refer to each other by places: a hop holds the place of its crossing in the
// list of the link, and the crossing holds its flow and hop. So a flow leaves in time linear in its
// path, however many others are on its links. Whatever moves a crossing goes through SetCrossing,
// which keeps both sides in step.
namespace nadi
{

uint32_t
CrossingTable::AddFlow(const std::vector<LinkId>& path)
{
    NADI_CHECK(!path.empty() && path.size() <= std::numeric_limits<uint16_t>::max());
    const auto hopCount = static_cast<uint32_t>(path.size());
    Flow added;
    added.firstHop = TakeHops(hopCount);
    added.hopCount = hopCount;
    for (uint32_t hop = 0; hop < hopCount; ++hop)
    {
        m_hops[added.firstHop + hop] = {.link = path[hop].value, .place = 0};
    }
    return m_flows.Make(added);
}

void
CrossingTable::RemoveFlow(uint32_t flow)
{
    NADI_CHECK(!IsStarted(flow));
    m_freeHops[m_flows[flow].hopCount].push_back(m_flows[flow].firstHop);
    m_flows.Free(flow);
}

void
CrossingTable::Enter(uint32_t flow)
{
    Flow& entered = m_flows[flow];
    entered.started = static_cast<uint32_t>(m_started.size());
    m_started.push_back(flow);
    for (uint32_t hop = 0; hop < entered.hopCount; ++hop)
    {
        Hop& record = m_hops[entered.firstHop + hop];
        std::vector<Crossing>& crossings = m_crossings[record.link];
        record.place = static_cast<uint32_t>(crossings.size());
        Crossing& crossing = crossings.emplace_back();
        crossing.flow = flow;
        crossing.hop = static_cast<uint16_t>(hop);
    }
}

void
CrossingTable::FindOthers(uint32_t flow)
{
    const std::span<const Hop> hops = HopsOf(flow);
    for (uint32_t hop = 0; hop < hops.size(); ++hop)
    {
        Crossing& crossing = m_crossings[hops[hop].link][hops[hop].place];
        if (crossing.others > 0)
        {
            return; // found before
        }
        crossing.others = static_cast<uint16_t>(hops.size() - 1);
        const uint32_t near = std::min<uint32_t>(crossing.others, Crossing::NEAR);
        for (uint32_t other = 0; other < near; ++other)
        {
            crossing.near[other] = hops[other < hop ? other : other + 1].link;
        }
    }
}

void
CrossingTable::MoveCrossing(uint32_t flow, uint32_t hop, uint32_t place)
{
    const Hop moved = m_hops[m_flows[flow].firstHop + hop];
    if (moved.place != place)
    {
        // Copies, since SetCrossing overwrites what the references would name.
        const Crossing other = m_crossings[moved.link][place];
        SetCrossing(moved.link, place, Crossing(m_crossings[moved.link][moved.place]));
        SetCrossing(moved.link, moved.place, other);
    }
}

/// Where the hops of a path of that length may lie. What a forgotten flow leaves is used again by
/// paths of the same length only, so nothing has to move to close gaps.
uint32_t
CrossingTable::TakeHops(uint32_t count)
{
    if (m_freeHops.size() <= count)
    {
        m_freeHops.resize(count + 1);
    }
    std::vector<uint32_t>& free = m_freeHops[count];
    if (!free.empty())
    {
        const uint32_t first = free.back();
        free.pop_back();
        return first;
    }
    m_hops.resize(m_hops.size() + count);
    return static_cast<uint32_t>(m_hops.size() - count);
}

/// The last of the list takes its place.
void
CrossingTable::RemoveStarted(uint32_t flow)
{
    const uint32_t last = m_started.back();
    m_started[m_flows[flow].started] = last;
    m_flows[last].started = m_flows[flow].started;
    m_started.pop_back();
    m_flows[flow].started = NONE;
}

} // namespace nadi
