// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LINK_PLAN_H
#define FABRIC_LINK_PLAN_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// Something that is wrong with one direction of a link for a while.
struct FabricLinkFault
{
    static constexpr int64_t FOREVER = std::numeric_limits<int64_t>::max();

    int64_t from = 0;        ///< picoseconds, included
    int64_t until = FOREVER; ///< picoseconds, not included; > from
    bool isDown = false;     ///< nothing starts, and whatever is on the link at `from` is lost
    double loss = 0;         ///< probability with which a frame that starts is lost
    uint64_t rate = 0;       ///< bits per second of frames that start; 0: as usual
};

/// \ingroup fabric
/// The state of one direction of a link as a function of time, known beforehand: so a port needs no
/// event to learn of it. Where several faults overlap, the link is down if one says so, the loss
/// rates combine as independent, and the lowest rate applies.
///
/// Example: a loss of 1 % in [10, 30) and a fault "down" in [20, 40) make five segments, which
/// begin at the start of time (healthy), 10 (1 %), 20 (down, 1 %), 30 (down) and 40 (healthy).
class FabricLinkPlan
{
  public:
    /// Requires: fault.from < fault.until, and a loss of [0, 1].
    void Add(const FabricLinkFault& fault);

    /// The first time >= `from` at which the link is up, or FOREVER.
    int64_t FindUp(int64_t from) const;

    bool IsDown(int64_t at) const;

    /// Whether the link goes down after `start` and no later than `arrival`: what started at
    /// `start` is lost.
    bool IsCut(int64_t start, int64_t arrival) const;

    /// The probability that a frame which starts at `start` is lost.
    double GetLoss(int64_t start) const;

    /// The rate of a frame that starts at `start`; `usual` without a fault.
    uint64_t GetRate(int64_t start, uint64_t usual) const;

    /// The lowest and the highest rate of frames that start in [from, until].
    uint64_t FindLowestRate(int64_t from, int64_t until, uint64_t usual) const;
    uint64_t FindHighestRate(int64_t from, int64_t until, uint64_t usual) const;

    /// Calls `visit(from, until, rate)` for each stretch of one state that begins at 0 or later, or
    /// holds 0; `until` is not included.
    template <class Visitor>
    void VisitRates(uint64_t usual, Visitor visit) const
    {
        for (std::size_t i = FindSegment(0); i < m_segments.size(); ++i)
        {
            const int64_t until =
                i + 1 < m_segments.size() ? m_segments[i + 1].from : FabricLinkFault::FOREVER;
            const uint64_t rate = m_segments[i].rate;
            visit(std::max<int64_t>(m_segments[i].from, 0), until, rate == 0 ? usual : rate);
        }
    }

    /// Whether frames are ever lost here: the link goes down, or loses some at a rate.
    bool CanLose() const;

    /// Whether the link is ever down.
    bool GoesDown() const;

  private:
    /// The state from a time to that of the next segment.
    struct Segment
    {
        int64_t from = std::numeric_limits<int64_t>::min();
        bool isDown = false;
        double loss = 0;
        uint64_t rate = 0; ///< 0: as usual
    };

    /// Index of the segment that holds `at`.
    std::size_t FindSegment(int64_t at) const;

    /// Makes a segment begin at `at`, without a change of state. \return Its index.
    std::size_t Split(int64_t at);

    static void Overlay(Segment& segment, const FabricLinkFault& fault);

    std::vector<Segment> m_segments{Segment{}}; ///< by time; the first begins before all times
};

} // namespace ns3

#endif /* FABRIC_LINK_PLAN_H */
