// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/flow/crossing-table.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Which link limits each flow, what share of a link its flows have, and what that leaves to the
/// others.
///
/// A flow is *placed* at a hop when the link of that hop limits it; its rate is then the *share* of
/// that link. FairShares decides where a flow is placed and how large a share is. This class keeps
/// the *accounts* of the links, from KeepAccounts to DropAccounts: jobs whose flows all start and
/// end together never need them.
///
/// Holds, for each link that flows cross, while accounts are kept: `left` is its capacity without
/// the shares of the flows that cross it and are placed at another of their links; `limited` is the
/// number of flows that are placed at it, which are its first crossings; `mostElsewhere` is no less
/// than the share of any flow that is placed elsewhere.
class ShareTable
{
  public:
    /// A rate with a binary fraction of FRACTION_BITS bits.
    using Share = detail::Wide;
    using Crossing = CrossingTable::Crossing;

    static constexpr uint32_t FRACTION_BITS = 48;
    static constexpr uint32_t NONE = CrossingTable::NONE;

    /// Whole units that are more, by one at the most. Requires: it is not negative.
    static uint64_t RoundUp(Share share)
    {
        return static_cast<uint64_t>(share >> FRACTION_BITS) + 1;
    }

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

    /// As CrossingTable.
    uint32_t AddFlow(const std::vector<LinkId>& path);

    /// Forgets a flow. Requires: it is not started.
    void RemoveFlow(uint32_t flow)
    {
        m_crossings.RemoveFlow(flow);
    }

    /// The flow crosses its links from now on; it is not placed. Requires: it is not started.
    void Enter(uint32_t flow);

    /// The flow leaves its links, placed or not: calls onShared(id) for each link that others
    /// cross. Requires: it is started.
    template <class Visitor>
    void Leave(uint32_t flow, const Visitor& onShared)
    {
        if (m_hasAccounts && IsPlaced(flow))
        {
            Unplace(flow);
        }
        m_limits[flow] = NONE;
        m_crossings.Leave(flow, onShared);
    }

    /// Works the accounts out, unless they are kept already; false: they are.
    bool KeepAccounts();

    /// Accounts are not kept from now on.
    void DropAccounts()
    {
        m_hasAccounts = false;
    }

    /// The link, one of its path, limits the flow from now on. Requires: started, and not placed;
    /// accounts are kept.
    void Place(uint32_t flow, uint32_t link);

    /// Another link of its path limits the flow from now on. Requires: placed; accounts are kept.
    void Move(uint32_t flow, uint32_t link);

    /// The link limits the flow from now on, placed or not. Requires: accounts are not kept.
    void SetLimit(uint32_t flow, uint32_t link)
    {
        m_limits[flow] = link;
    }

    /// What each flow has that is placed at the link.
    Share ShareAt(uint32_t link) const
    {
        return m_shares[link];
    }

    /// Sets the share of a link, which no account knows. Requires: accounts are not kept.
    void SetShareAlone(uint32_t link, Share share)
    {
        m_shares[link] = share;
    }

    /// Gives another share to the flows that are placed at the link, and tells the other links that
    /// they cross: calls onTouched(id, link) for each that may be overfull thereby or that limits
    /// flows itself, once for each flow. Requires: accounts are kept.
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

    /// The flows that are started; while accounts are kept, those that are placed at the link in
    /// front.
    const std::vector<Crossing>& CrossingsOf(uint32_t id) const
    {
        return m_crossings.CrossingsOf(id);
    }

    const CrossingTable& Crossings() const
    {
        return m_crossings;
    }

    bool IsPlaced(uint32_t flow) const
    {
        return m_limits[flow] != NONE;
    }

    /// The id of the link that limits the flow; NONE: it is not placed.
    uint32_t LimitOf(uint32_t flow) const
    {
        return m_limits[flow];
    }

  private:
    /// Calls visit(id, link) for the other links of each flow that is placed at the link.
    template <class Visitor>
    void VisitBeyond(uint32_t link, const Visitor& visit)
    {
        const Crossing* const crossings = CrossingsOf(link).data();
        const uint32_t limited = m_links[link].limited;
        for (uint32_t place = 0; place < limited; ++place)
        {
            m_crossings.VisitOthers(crossings[place], [&](uint32_t id) { visit(id, m_links[id]); });
        }
    }

    void ClearLink(uint32_t link)
    {
        m_links[link].left = m_capacities[link];
        m_links[link].mostElsewhere = 0;
        m_links[link].limited = 0;
    }

    void Unplace(uint32_t flow);

    CrossingTable m_crossings;
    std::vector<Link> m_links;
    std::vector<Share> m_shares; // by link
    std::vector<Share> m_capacities;
    std::vector<uint32_t> m_limits; // by flow
    bool m_hasAccounts = false;
};

} // namespace nadi
