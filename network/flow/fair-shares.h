// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

/// Max-min fair rates of flows over links, kept up to date as flows start and stop. Knows no time.
///
/// A rate is max-min fair when no flow could have more without another that has no more getting
/// less: every flow crosses a *bottleneck*, a link that is full and on which no flow is faster.
/// Found by filling: of all links, the one with the least to give to each of its flows is the
/// bottleneck of these; they are fixed at that rate and taken out, and so on (Bertsekas, Gallager,
/// "Data Networks", 1992, section 6.5.2).
///
/// Example: link A has capacity 10, link B has 4. Flow 1 crosses A, flow 2 A and B, flow 3 B. A
/// could give 10 / 2 = 5 to each of its flows, B 4 / 2 = 2. So B is the first bottleneck: flows 2
/// and 3 are fixed at 2. A has 10 - 2 = 8 left for its one open flow, so flow 1 gets 8. If flow 3
/// stops, B gives 4 to flow 2, and A the rest, 6, to flow 1.
///
/// Rates and capacities are integers, in a unit of the caller's choice. A share is rounded down,
/// and links whose shares differ by such rounding only (at most one unit for each flow of the link)
/// give the same. So a bottleneck of n flows may leave up to n * n units unused.
///
/// Only flows that share links with what started or stopped, directly or through other flows, are
/// looked at. Holds: the rates are a function of the flows that are started and their paths alone,
/// whatever started and stopped before, and in whatever order.
class FairShares
{
  public:
    /// A flow whose rate is no longer what it was: 0 for one that has just started.
    struct Change
    {
        uint32_t flow = 0;
        uint64_t before = 0;
    };

    /// Capacities by link id. Requires: none is 0.
    explicit FairShares(std::vector<uint64_t> capacities);

    /// A flow over the links of `path`, not started yet. Numbers are small, and used again.
    /// Requires: `path` is not empty and has no link twice.
    uint32_t AddFlow(const std::vector<LinkId>& path);

    /// Forgets a flow. Requires: it is stopped.
    void RemoveFlow(uint32_t flow);

    /// From now on the flow wants as much as it can have. Requires: it is stopped.
    void Start(uint32_t flow);

    /// The flow leaves its links; its rate is 0 at once. Requires: it is started.
    void Stop(uint32_t flow);

    /// Makes the rates fair again. What has changed since the last call, each flow once, except
    /// those that stopped; valid until the next call. A rate is never 0.
    const std::vector<Change>& Update();

    /// As of the last Update.
    uint64_t Rate(uint32_t flow) const
    {
        return m_flows[flow].rate;
    }

    uint32_t HopCount(uint32_t flow) const
    {
        return m_flows[flow].hopCount;
    }

    /// The link of a hop of the flow's path.
    LinkId LinkAt(uint32_t flow, uint32_t hop) const
    {
        return LinkId{m_hops[m_flows[flow].firstHop + hop].link};
    }

    /// A started flow on a link.
    struct Crossing
    {
        uint32_t flow = 0;
        uint32_t hop = 0; ///< of the flow's path
    };

    const std::vector<Crossing>& FlowsOn(LinkId link) const
    {
        return m_links[link.value].crossings;
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
        uint64_t rate = 0;
        uint32_t firstHop = 0; ///< in m_hops
        uint32_t hopCount = 0;
        uint64_t seen = 0;  ///< the update that looked at it last
        uint64_t fixed = 0; ///< the update that fixed its rate last
    };

    struct Link
    {
        uint64_t capacity = 0;
        uint64_t left = 0; ///< while filling: capacity without the flows that are fixed
        uint32_t open = 0; ///< while filling: flows that are not fixed
        uint64_t seen = 0; ///< the update that looked at it last
        std::vector<Crossing> crossings; ///< the flows that are started
    };

    using Share = std::pair<uint64_t, uint32_t>; // what each open flow could have, link

    uint32_t TakeHops(uint32_t count);
    void CollectFrom(uint32_t firstLink);
    void Visit(uint32_t link);
    void Fill();
    void FillAlone();
    void FixFlowsOf(uint32_t link, uint64_t rate);
    void SetRate(uint32_t flow, uint64_t rate);

    std::vector<Link> m_links;
    SlotPool<Flow> m_flows;
    std::vector<Hop> m_hops;                       // of every flow, one after the other
    std::vector<std::vector<uint32_t>> m_freeHops; // by number of hops: where they begin
    std::vector<uint32_t> m_touched;               // links since the last update
    uint64_t m_update = 0;
    std::vector<uint32_t> m_someLinks; // of the flows that are being filled
    std::vector<uint32_t> m_someFlows;
    std::vector<Share> m_shares; // a heap, the smallest in front
    std::vector<Change> m_changes;
};

} // namespace nadi
