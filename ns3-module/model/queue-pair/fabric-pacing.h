// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PACING_H
#define FABRIC_PACING_H

#include "ns3/fabric-congestion-control.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace ns3
{

/// \ingroup fabric
/// When the frames of a queue pair start that has a port for itself: the first of them, and how far
/// they are apart. `count` starts are certain if nothing touches the port.
struct FabricPace
{
    int64_t first = 0;
    int64_t gap = 0;
    uint64_t count = 0;
};

/// \ingroup fabric
/// How fast a queue pair may send: the window, and the distance of a start from the one before it.
/// Both come from a congestion control, or, without one, from the protocol's window alone.
///
/// The congestion control says a rate; here it becomes an instant: a frame may start when its
/// predecessor's bytes are through at the rate of now. At line rate the port alone spaces the
/// frames, to the picosecond.
class FabricPacing
{
  public:
    static constexpr uint64_t NO_WINDOW = FabricRateControl::NO_WINDOW;

    /// Begins on a path whose sending port has `lineRate` bits per second. `window`: bytes, which
    /// the window of `control` never exceeds. `control` may be null.
    void Begin(std::unique_ptr<FabricRateControl> control, uint64_t lineRate, uint64_t window);

    /// Bits per second; 0 before Begin.
    uint64_t GetLineRate() const
    {
        return m_lineRate;
    }

    /// In bytes of payload that may be unacknowledged before a frame starts.
    uint64_t GetWindow() const
    {
        return m_window;
    }

    /// Whether no control makes the window smaller than the one that was given.
    bool IsWindowAtLimit() const
    {
        return m_window == m_windowLimit;
    }

    /// The earliest start that the rate allows, in picoseconds.
    int64_t GetEligible() const
    {
        return m_eligible;
    }

    /// Whether GetEligible() can lie ahead.
    bool IsPaced() const
    {
        return m_isPaced;
    }

    bool HasControl() const
    {
        return m_control != nullptr;
    }

    /// Whether it paces nothing, and nothing but a congestion notification can change that.
    bool IsUntouched() const
    {
        return !m_control || m_control->IsUntouched();
    }

    /// Whether FindPace tells starts to come: nothing but time and notifications changes the rate.
    bool IsForeseeable() const
    {
        return !m_isPaced || m_control->IsForeseeable();
    }

    /// The starts to come of frames of `bytes` on the wire, at a port that is free from `free` on
    /// and needs `time` for each of them. Requires: IsForeseeable().
    FabricPace FindPace(int64_t free, int64_t time, uint32_t bytes) const;

    /// Whether the rate has changed, or will at another time than was known, since the last call.
    bool TakeRepaced()
    {
        return std::exchange(m_isRepaced, false);
    }

    /// A frame of `bytes` on the wire has started.
    void OnStart(int64_t start, uint32_t bytes);

    /// The last frame of a train has started. Those before it changed nothing.
    void OnTrain(int64_t lastStart, uint32_t bytes);

    void OnAcknowledgement(const FabricFeedback& feedback);
    void OnCongestionNotification(int64_t now);
    void OnLoss(int64_t now);

  private:
    void FindWhetherPaced();
    void Repace();
    bool IsAtLineRate() const;
    int64_t ComputeGap(uint32_t bytes) const;
    void NoteRepaced(double before);

    // What each frame reads comes first.
    uint64_t m_window = NO_WINDOW; ///< the smaller of the limit and the control's
    int64_t m_eligible = std::numeric_limits<int64_t>::min();
    std::unique_ptr<FabricRateControl> m_control;
    bool m_isPaced = false;
    bool m_isRepaced = false; ///< see TakeRepaced
    uint32_t m_lastBytes = 0; ///< of the frame that started last
    int64_t m_lastStart = 0;
    uint64_t m_lineRate = 0;
    uint64_t m_windowLimit = NO_WINDOW;
};

} // namespace ns3

#endif /* FABRIC_PACING_H */
