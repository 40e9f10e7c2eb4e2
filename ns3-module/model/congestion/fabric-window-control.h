// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_WINDOW_CONTROL_H
#define FABRIC_WINDOW_CONTROL_H

#include "fabric-congestion-control.h"

namespace ns3
{

/// \ingroup fabric
/// A rate control whose state is a window, counted in full frames; the window need not be whole.
///
/// A window of at least one frame is sent as acknowledgements allow, at line rate. Below one frame,
/// one frame at a time is sent, paced at a window per round trip (so does Swift in large incasts).
/// So as many queue pairs can share a link as the least rate lets.
///
/// Holds: the window is between its limits, of which the lower one sends at the least rate over an
/// empty path, and is at most the upper one.
class FabricWindowControl : public FabricRateControl
{
  public:
    struct Limits
    {
        double minRate;     ///< bits per second, at most the line rate
        uint64_t maxWindow; ///< payload bytes; less than a frame counts as one
    };

    /// The window.
    double GetFrames() const
    {
        return m_frames;
    }

  protected:
    /// Begins with one bandwidth-delay product, within the limits.
    FabricWindowControl(const FabricPathProperties& path, const Limits& limits);

    void SetFrames(double frames);

    /// Grows the window by `perRoundTrip` frames for each window acknowledged.
    void Grow(double perRoundTrip, uint64_t acknowledgedBytes);

    /// Learns the round trip, if `feedback` knows it.
    void Measure(const FabricFeedback& feedback);

    /// The round trip that was measured last, before the first one that of the empty path; in
    /// picoseconds.
    int64_t GetRoundTrip() const
    {
        return m_roundTrip;
    }

    /// Multiplies the window by `factor`, unless it was shrunk less than a round trip ago.
    /// \return Whether it did.
    bool ShrinkOncePerRoundTrip(double factor, int64_t now);

  private:
    double m_minRate;
    double m_minFrames;
    double m_maxFrames;
    double m_frames = 1;
    int64_t m_roundTrip;
    bool m_hasShrunk = false;
    int64_t m_lastShrink = 0; ///< meaningful once m_hasShrunk
};

} // namespace ns3

#endif /* FABRIC_WINDOW_CONTROL_H */
