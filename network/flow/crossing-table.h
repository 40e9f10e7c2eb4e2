// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nadi
{

/// Which flows cross which links.
class CrossingTable
{
  public:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /// A started flow on a link. After FindOthers it holds the ids of its other links, as far as
    /// they fit: reading them here, one crossing after the other, is several times as fast as
    /// looking them up.
    struct Crossing
    {
        static constexpr uint32_t NEAR = 4;

        uint32_t flow = 0;
        uint16_t hop = 0;    ///< of the flow's path
        uint16_t others = 0; ///< links of the path but this one
        std::array<uint32_t, NEAR> near{};
    };

    /// A link on the path of a flow.
    struct Hop
    {
        uint32_t link = 0;
        uint32_t place = 0; ///< among the crossings of the link, while started
    };

    explicit CrossingTable(size_t links)
        : m_crossings(links)
    {
    }

    /// A flow over the links of `path`, not started yet. Numbers are small, and used again.
    /// Requires: `path` is not empty and has no link twice.
    uint32_t AddFlow(const std::vector<LinkId>& path);

    /// Forgets a flow. Requires: it is not started.
    void RemoveFlow(uint32_t flow);

    /// The flow crosses its links from now on. Requires: it is not started.
    void Enter(uint32_t flow);

    /// The flow leaves its links: calls onShared(id) for each link that others cross. The last
    /// crossing of a link takes the place of the one that leaves. Requires: it is started.
    template <class Visitor>
    void Leave(uint32_t flow, const Visitor& onShared)
    {
        for (const Hop& hop : HopsOf(flow))
        {
            RemoveCrossing(hop);
            if (!m_crossings[hop.link].empty())
            {
                onShared(hop.link);
            }
        }
        RemoveStarted(flow);
    }

    /// The crossings of the flow know its other links from now on, until it leaves. Requires: it is
    /// started.
    void FindOthers(uint32_t flow);

    /// Calls visit(id) for each other link of the flow, in the order of its path. Requires: its
    /// others were found.
    template <class Visitor>
    void VisitOthers(const Crossing& crossing, const Visitor& visit) const
    {
        const uint32_t near = std::min<uint32_t>(crossing.others, Crossing::NEAR);
        for (uint32_t other = 0; other < near; ++other)
        {
            visit(crossing.near[other]);
        }
        for (uint32_t other = near; other < crossing.others; ++other)
        {
            visit(LinkAt(crossing.flow, other < crossing.hop ? other : other + 1));
        }
    }

    /// In the order of the flow's path. Valid until another flow is added.
    std::span<const Hop> HopsOf(uint32_t flow) const
    {
        const Flow& record = m_flows[flow];
        return {m_hops.data() + record.firstHop, record.hopCount};
    }

    /// The crossing of the flow at the hop changes places with the one at `place` of that link. The
    /// order of crossings reaches no result.
    void MoveCrossing(uint32_t flow, uint32_t hop, uint32_t place);

    /// The flows that are started.
    const std::vector<Crossing>& CrossingsOf(uint32_t link) const
    {
        return m_crossings[link];
    }

    uint32_t HopCount(uint32_t flow) const
    {
        return m_flows[flow].hopCount;
    }

    /// The id of the link of a hop of the flow's path.
    uint32_t LinkAt(uint32_t flow, uint32_t hop) const
    {
        return m_hops[m_flows[flow].firstHop + hop].link;
    }

    bool IsStarted(uint32_t flow) const
    {
        return m_flows[flow].started != NONE;
    }

    const std::vector<uint32_t>& StartedFlows() const
    {
        return m_started;
    }

  private:
    struct Flow
    {
        uint32_t firstHop = 0; ///< in m_hops
        uint32_t hopCount = 0;
        uint32_t started = NONE; ///< its place in m_started; NONE: it is not started
    };

    uint32_t TakeHops(uint32_t count);
    void RemoveStarted(uint32_t flow);

    void RemoveCrossing(const Hop& hop)
    {
        std::vector<Crossing>& crossings = m_crossings[hop.link];
        SetCrossing(hop.link, hop.place, Crossing(crossings.back()));
        crossings.pop_back();
    }

    void SetCrossing(uint32_t link, uint32_t place, const Crossing& crossing)
    {
        m_crossings[link][place] = crossing;
        m_hops[m_flows[crossing.flow].firstHop + crossing.hop].place = place;
    }

    std::vector<std::vector<Crossing>> m_crossings; // by link
    SlotPool<Flow> m_flows;
    std::vector<uint32_t> m_started;
    std::vector<Hop> m_hops;                       // of every flow, those of a flow side by side
    std::vector<std::vector<uint32_t>> m_freeHops; // by number of hops: where they begin
};

} // namespace nadi
