// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"
#include "common/units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// Which flows cross which links, which link limits each flow, and what that leaves to the others.
///
/// A flow is *placed* at a hop when the link of that hop limits it; its rate is then the *share* of
/// that link. FairShares decides where a flow is placed and how large a share is. This class keeps
/// the accounts.
///
/// Holds, for each link: `left` is its capacity without the shares of the flows that cross it and
/// are placed at another of their links; `limited` is the number of flows that are placed at it,
/// which are its first crossings; `mostElsewhere` is no less than the share of any flow that is
/// placed elsewhere.
class ShareTable
{
  public:
    /// A rate with a binary fraction of FRACTION_BITS bits.
    using Share = detail::Wide;

    static constexpr uint32_t FRACTION_BITS = 48;
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /// Whole units that are more, by one at the most. Requires: it is not negative.
    static uint64_t RoundUp(Share share)
    {
        return static_cast<uint64_t>(share >> FRACTION_BITS) + 1;
    }

    /// A started flow on a link. Holds the ids of its other links, as far as they fit: reading them
    /// here, one crossing after the other, is several times as fast as looking them up.
    struct Crossing
    {
        static constexpr uint32_t NEAR = 4;

        uint32_t flow = 0;
        uint16_t hop = 0;    ///< of the flow's path
        uint16_t others = 0; ///< links of the path but this one
        std::array<uint32_t, NEAR> near{};
    };

    /// Small, so that the links of a large network stay in the processor's nearest caches.
    struct Link
    {
        Share left = 0;             ///< below 0: the others have more than there is
        uint64_t mostElsewhere = 0; ///< in whole units
        uint32_t limited = 0;
        bool isWaiting = false; ///< for the user of the table
    };

    /// Capacities by link id, without a fraction. Requires: none is 0.
    explicit ShareTable(const std::vector<uint64_t>& capacities);

    /// A flow over the links of `path`, not started yet. Numbers are small, and used again.
    /// Requires: `path` is not empty and has no link twice.
    uint32_t AddFlow(const std::vector<LinkId>& path);

    /// Forgets a flow. Requires: it is not started.
    void RemoveFlow(uint32_t flow);

    /// The flow crosses its links from now on; it is not placed. Requires: it is not started.
    void Enter(uint32_t flow);

    /// The flow leaves its links, placed or not: calls onShared(id) for each link that others
    /// cross. Requires: it is started.
    template <class Visitor>
    void Leave(uint32_t flow, const Visitor& onShared)
    {
        if (IsPlaced(flow))
        {
            Unplace(flow);
        }
        const Flow& left = m_flows[flow];
        for (uint32_t hop = left.firstHop; hop < left.firstHop + left.hopCount; ++hop)
        {
            RemoveCrossing(m_hops[hop]);
            if (!m_crossings[m_hops[hop].link].empty())
            {
                onShared(m_hops[hop].link);
            }
        }
        m_flows[flow].isStarted = false;
        --m_started;
    }

    /// The link, one of its path, limits the flow from now on. Requires: started, and not placed.
    void Place(uint32_t flow, uint32_t link);

    /// Another link of its path limits the flow from now on. Requires: placed.
    void Move(uint32_t flow, uint32_t link);

    /// The flow is not placed from now on. Does not tell its links: requires that each of them is
    /// cleared too.
    void ClearFlow(uint32_t flow)
    {
        m_flows[flow].limit = NONE;
    }

    /// All of the link is left. Requires: all flows that cross it are cleared too.
    void ClearLink(uint32_t link)
    {
        m_links[link].left = m_capacities[link];
        m_links[link].mostElsewhere = 0;
        m_links[link].limited = 0;
    }

    /// What each flow has that is placed at the link.
    Share ShareAt(uint32_t link) const
    {
        return m_shares[link];
    }

    /// Sets the share of a link at which no flow is placed.
    void SetUnusedShare(uint32_t link, Share share)
    {
        m_shares[link] = share;
    }

    /// Gives another share to the flows that are placed at the link, and tells the other links that
    /// they cross: calls onTouched(id, link) for each that may be overfull thereby or that limits
    /// flows itself, once for each flow.
    template <class Visitor>
    void SetShare(uint32_t link, Share share, const Visitor& onTouched)
    {
        const Share more = share - m_shares[link];
        m_shares[link] = share;
        if (more > 0)
        {
            const uint64_t most = RoundUp(share);
            VisitBeyond(link,
                        [&](uint32_t id, Link& touched)
                        {
                            touched.left -= more;
                            touched.mostElsewhere = std::max(touched.mostElsewhere, most);
                            if (touched.limited > 0 || touched.left < 0)
                            {
                                onTouched(id, touched);
                            }
                        });
            return;
        }
        VisitBeyond(link,
                    [&](uint32_t id, Link& touched)
                    {
                        touched.left -= more;
                        if (touched.limited > 0)
                        {
                            onTouched(id, touched);
                        }
                    });
    }

    /// Calls visit(id) for each other link of the flow, in the order of its path.
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
            visit(OtherLinkAt(crossing, other));
        }
    }

    Link& LinkOf(uint32_t id)
    {
        return m_links[id];
    }

    const Link& LinkOf(uint32_t id) const
    {
        return m_links[id];
    }

    /// What the flows may have together.
    Share CapacityOf(uint32_t id) const
    {
        return m_capacities[id];
    }

    /// The flows that are started, those that are placed at the link in front.
    const std::vector<Crossing>& CrossingsOf(uint32_t id) const
    {
        return m_crossings[id];
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

    bool IsPlaced(uint32_t flow) const
    {
        return m_flows[flow].limit != NONE;
    }

    bool IsStarted(uint32_t flow) const
    {
        return m_flows[flow].isStarted;
    }

    /// The id of the link that limits the flow; NONE: it is not placed.
    uint32_t LimitOf(uint32_t flow) const
    {
        return m_flows[flow].limit;
    }

    /// Started flows.
    uint32_t StartedCount() const
    {
        return m_started;
    }

  private:
    /// A link on the route of a flow. All hops are in one list, those of a flow side by side.
    struct Hop
    {
        uint32_t link = 0;
        uint32_t place = 0; ///< among the crossings of the link, while started
    };

    struct Flow
    {
        uint32_t firstHop = 0; ///< in m_hops
        uint32_t hopCount = 0;
        uint32_t limit = NONE; ///< the id of the link at which it is placed
        bool isStarted = false;
    };

    /// Calls visit(id, link) for the other links of each flow that is placed at the link.
    template <class Visitor>
    void VisitBeyond(uint32_t link, const Visitor& visit)
    {
        const Crossing* const crossings = m_crossings[link].data();
        const uint32_t limited = m_links[link].limited;
        for (uint32_t place = 0; place < limited; ++place)
        {
            VisitOthers(crossings[place], [&](uint32_t id) { visit(id, m_links[id]); });
        }
    }

    void Unplace(uint32_t flow);
    uint32_t TakeHops(uint32_t count);
    Crossing MakeCrossing(uint32_t flow, uint32_t hop) const;
    void RemoveCrossing(const Hop& hop);
    void Swap(uint32_t link, uint32_t a, uint32_t b);

    uint32_t OtherLinkAt(const Crossing& crossing, uint32_t other) const
    {
        return LinkAt(crossing.flow, other < crossing.hop ? other : other + 1);
    }

    std::vector<Link> m_links;
    std::vector<Share> m_shares; // by link
    std::vector<Share> m_capacities;
    std::vector<std::vector<Crossing>> m_crossings; // by link
    SlotPool<Flow> m_flows;
    std::vector<Hop> m_hops;                       // of every flow, one after the other
    std::vector<std::vector<uint32_t>> m_freeHops; // by number of hops: where they begin
    uint32_t m_started = 0;
};

} // namespace nadi
