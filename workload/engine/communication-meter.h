// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/communication-total.h"
#include "workload/engine/activity-meter.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace nadi
{

/// Measures what one rank's communication is made of, while it goes on: totals by kind, and how
/// long the rank waits for members that have not called its collectives yet.
///
/// A clock that stands still while the rank computes (ActivityClock) makes the exposed part of any
/// interval a difference of two readings, so that nothing needs to be kept of what has ended.
///
/// Example of waits, on a rank that does not compute: it calls A at 0 and B at 2. The last member
/// calls B at 5, and A at 8. A was called first, so all of [0, 8) is put down to A: EndWait returns
/// 0 for B and 8 for A. Had A been complete at 5 and B at 8, A would have got 5 and B 3.
///
/// Where several kinds are in progress, the moment counts once for the kind that has been in
/// progress for the longest time without a break; so the totals of the kinds also add up.
///
/// Requires: clocks never go back; every Begin has one End.
class CommunicationMeter
{
  public:
    void Begin(const CommunicationKind& kind, Bytes size, const ActivityClock& at);
    void End(const CommunicationKind& kind, const ActivityClock& at);

    /// The collective that `node` calls, a node's token, waits for its other members from now on.
    void BeginWait(uint64_t node, const ActivityClock& at);

    /// All members have called it. Returns the part of the wait that is put down to it: where the
    /// rank waits in several collectives at once, each moment counts for the one it called first;
    /// time in which the rank computes counts for none.
    /// Holds: what all calls have returned adds up to WaitingAt, while no wait goes on.
    SimTime EndWait(uint64_t node, const ActivityClock& at);

    /// By kind; what is in progress counts up to `at`.
    std::vector<CommunicationTotal> TotalsAt(const ActivityClock& at) const;

    /// The union of all exposed waits; those that have not ended count up to `at`.
    SimTime WaitingAt(const ActivityClock& at) const;

  private:
    struct Entry
    {
        CommunicationTotal total; ///< of what has ended
        uint32_t inProgress = 0;
        ActivityClock since;  ///< while something is in progress
        uint64_t opening = 0; ///< its key in m_inProgress, while something is in progress
    };

    static CommunicationTotal TotalAt(const Entry& entry, const ActivityClock& at);
    void Open(Entry& entry, const ActivityClock& at);
    void Close(Entry& entry, const ActivityClock& at);
    bool IsLongest(const Entry& entry) const;
    void CountOnce(CommunicationTotal& total, const ActivityClock& at) const;

    std::map<CommunicationKind, Entry> m_entries;
    std::set<uint64_t> m_inProgress; // a number for each kind in progress, in order of beginning
    uint64_t m_openings = 0;
    ActivityClock m_longestSince;         // since when the first of m_inProgress is the first
    std::map<uint64_t, uint64_t> m_waits; // by node: the number of the wait, in order of the calls
    std::set<uint64_t> m_open;            // the numbers of these waits
    uint64_t m_waitsBegun = 0;
    SimTime m_firstSince; // since when the first of the open waits is first, outside of compute
    SimTime m_waited;     // what EndWait has returned
};

} // namespace nadi
