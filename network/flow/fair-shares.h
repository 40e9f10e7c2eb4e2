// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/flow/share-table.h"

#include <cstddef>
#include <cstdint>
#include <span>
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
/// All flows of one bottleneck have one rate. So they form a *group*, named by the link, and what
/// Update tells is the rates of groups and which flows changed their group.
///
/// Two ways lead to the rates. Where many flows have started or stopped, whole components (flows
/// that share links, directly or through others) are filled anew. Where few have, there is a search
/// for what they change: the shares of their links are worked out again, then those of the links
/// whose flows thereby changed, and so on until all links fit, slow links first. A link fits when
/// the flows that it limits have what the others leave, and none of the others has more; a link
/// that limits no flow fits when it is not overfull. When all links fit, each flow has a full link
/// on which no flow is faster, so the rates are max-min fair, in whichever order links had turns.
///
/// Every search ends, by a bound: after `stepsPerLink` turns for each link it is given up for a
/// filling. One turn of a link looks at each of its flows once, and then only at those that are
/// faster; each further look at these leaves at least one of them out. So a turn takes at most
/// n^2 / 2 looks for n flows, and one look at each other link of the flows that it limits. A
/// filling fixes each flow once. It puts a link back into the heap only when the share of the link
/// has grown because a flow on it was fixed; so it ends too.
///
/// The bound is hardly ever used. The share that a link works out depends on the shares of slower
/// links alone, and is never below its capacity divided by the number of its flows. So the slowest
/// bottlenecks are final after one turn of each of their links, those of the next level after one
/// turn more, and so on; slow links first, most links have one turn.
///
/// Rates and capacities are integers, in a unit of the caller's choice. Shares are worked out with
/// a binary fraction of 48 bits, and a rate is the share rounded down, where a share that is at
/// most 2^-16 below an integer counts as that integer. So equal flows have equal rates, though the
/// last bits of their shares depend on which links were worked out first. Where these bits would
/// decide, exact fractions do (ExactShares).
///
/// Holds: the rates are a function of the flows that are started and their paths alone, whatever
/// started and stopped before, and in whatever order.
class FairShares
{
  public:
    using Crossing = ShareTable::Crossing;

    static constexpr uint32_t NONE = ShareTable::NONE;

    /// A group whose rate is no longer `before`.
    struct NewRate
    {
        uint32_t group = 0;
        uint64_t before = 0;
    };

    /// A flow that is in another group than before.
    struct NewGroup
    {
        uint32_t flow = 0;
        uint32_t before = 0;
    };

    /// What the last Update changed, each group and each flow once. A group may have a new rate
    /// though it has no flows. Flows that have just started or stopped are not named.
    struct Changes
    {
        std::vector<NewRate> rates;
        std::vector<NewGroup> groups;
    };

    /// What was done so far, for tests and for those who measure.
    struct Effort
    {
        uint64_t fillings = 0;     ///< components that were filled anew
        uint64_t flowsFilled = 0;  ///< flows in them
        uint64_t linksSettled = 0; ///< times that the share of one link was worked out again
        uint64_t accounts = 0;     ///< times that a search needed the accounts of the links anew
    };

    /// Capacities by link id. Requires: none is 0. A search for what a few starts and stops change
    /// works out `stepsPerLink` shares for each link at the most; a longer one is given up, and
    /// components are filled anew.
    explicit FairShares(const std::vector<uint64_t>& capacities, uint32_t stepsPerLink = 16);

    /// A flow over the links of `path`, not started yet. Numbers are small, and used again.
    /// Requires: `path` is not empty and has no link twice.
    uint32_t AddFlow(const std::vector<LinkId>& path);

    /// Forgets a flow. Requires: it is stopped.
    void RemoveFlow(uint32_t flow)
    {
        m_table.RemoveFlow(flow);
    }

    /// From now on the flow wants as much as it can have. Requires: it is stopped.
    void Start(uint32_t flow);

    /// The flow leaves its links and its group at once. Requires: it is started.
    void Stop(uint32_t flow);

    /// Makes the rates fair again. What has changed since the last call; valid until the next one.
    const Changes& Update();

    /// As of the last Update; 0: the flow is stopped. The rate of a started flow is never 0.
    uint64_t Rate(uint32_t flow) const
    {
        return m_table.IsPlaced(flow) ? RateOfGroup(GroupOf(flow)) : 0;
    }

    /// As of the last Update; NONE: the flow is stopped.
    uint32_t GroupOf(uint32_t flow) const
    {
        return m_table.LimitOf(flow);
    }

    uint64_t RateOfGroup(uint32_t group) const
    {
        return m_groups[group].rate;
    }

    /// The flow's path. Valid until another flow is added.
    std::span<const CrossingTable::Hop> HopsOf(uint32_t flow) const
    {
        return m_table.Crossings().HopsOf(flow);
    }

    const std::vector<Crossing>& FlowsOn(LinkId link) const
    {
        return m_table.CrossingsOf(link.value);
    }

    const Effort& EffortSoFar() const
    {
        return m_effort;
    }

  private:
    using Share = ShareTable::Share;

    /// Shares that differ by no more than this are taken as equal: far more than the rounding of a
    /// division, far less than what rounds to another rate.
    static constexpr Share NOISE = Share{1} << 8;

    struct Group
    {
        uint64_t rate = 0;
        uint64_t recorded = 0; ///< the update that has it in its changes
        uint64_t seen = 0;     ///< the filling that looked at it last
        uint32_t open = 0;     ///< while filling: flows that are not fixed
        Share left = 0;        ///< while filling: what is left to these
    };

    struct FlowState
    {
        uint64_t recorded = 0; ///< the update that has it in its changes
        uint64_t seen = 0;     ///< the filling that looked at it last
        uint64_t fixed = 0;    ///< the filling that fixed its rate last
    };

    using Turn = std::pair<uint64_t, uint32_t>;   // how slow, link
    using Candidate = std::pair<Share, uint32_t>; // what a link could give to each flow, link

    static bool IsSlower(const Candidate& a, const Candidate& b)
    {
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    }

    static bool IsFaster(const Candidate& a, const Candidate& b)
    {
        return IsSlower(b, a);
    }

    // Filling.
    void FillTouched();
    void FillComponentOf(uint32_t flow);
    uint32_t FindSlowestLinkIfAlone(uint32_t flow) const;
    void CollectFrom(uint32_t firstFlow);
    void VisitFlow(uint32_t flow);
    void Fill();
    Candidate TakeSlowest();
    void FixFlowsOf(uint32_t link, Share share);
    void FixFlow(uint32_t flow, uint32_t link);
    void FixShare(uint32_t link, Share share);
    Share OpenShare(uint32_t link) const;

    // Balance.
    bool Balance();
    void PlaceStarted(uint32_t flow);
    void AddTurn(uint32_t link);
    void AddTurnIfUnfit(uint32_t link);
    void AddTurnsOf(uint32_t flow);

    /// A link that limits nobody fits as long as it is not overfull.
    static bool MayBeUnfit(const ShareTable::Link& link)
    {
        return link.limited > 0 || link.left < 0;
    }

    void Settle(uint32_t link);
    void GiveShare(uint32_t link, Share share);
    Share FindShare(uint32_t link);
    void FindFaster(uint32_t link, Share share);
    void TakeFaster(uint32_t link);
    void MoveFlow(uint32_t flow, uint32_t link);

    void RecordRate(uint32_t group);
    void RecordGroup(uint32_t flow);
    uint64_t FindRate(uint32_t group) const;
    void CloseChanges();

    ShareTable m_table;
    uint64_t m_mostSteps;           // of one search
    std::vector<Group> m_groups;    // by link
    std::vector<FlowState> m_flows; // by flow
    std::vector<uint32_t> m_starting;
    std::vector<uint32_t> m_touched; // links of flows that stopped since the last update
    uint64_t m_events = 0;           // starts and stops since then
    uint64_t m_update = 0;
    uint64_t m_filling = 0;
    std::vector<uint32_t> m_someLinks;   // of the component that is being filled
    uint64_t m_openFlows = 0;            // of it that are not fixed
    std::vector<Candidate> m_candidates; // while filling: in order, the slowest first
    size_t m_nextCandidate = 0;
    std::vector<Candidate> m_grown;  // of those that were taken: a heap, the slowest in front
    std::vector<Turn> m_turns;       // a heap, the slowest link in front
    std::vector<Candidate> m_faster; // scratch: share, place of the crossing
    Changes m_changes;
    Effort m_effort;
};

} // namespace nadi
