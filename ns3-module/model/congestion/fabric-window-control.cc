// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-window-control.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

FabricWindowControl::FabricWindowControl(const FabricPathProperties& path, const Limits& limits)
    : FabricRateControl(path)
    , m_minRate(limits.minRate)
    , m_roundTrip(std::max<int64_t>(path.baseRoundTrip, 1))
{
    const double payload = path.payload;
    m_maxFrames = std::max(1.0, static_cast<double>(limits.maxWindow) / payload);
    // The window that sends at the least rate over an empty path. Where the largest window is set,
    // and is smaller, it has its way.
    const double leastFrames =
        m_minRate * static_cast<double>(m_roundTrip) / (FABRIC_BYTE_PICOSECONDS * path.fullFrame);
    m_minFrames = std::min(leastFrames, m_maxFrames);
    SetFrames(static_cast<double>(path.GetBandwidthDelayProduct()) / payload);
}

void
FabricWindowControl::SetFrames(double frames)
{
    m_frames = std::clamp(frames, m_minFrames, m_maxFrames);
    const double lineRate = static_cast<double>(m_path.lineRate);
    if (m_frames >= 1)
    {
        m_window = static_cast<uint64_t>(std::llround(m_frames * m_path.payload));
        m_rate = lineRate;
        return;
    }
    // Below one frame, one frame at a time may be unacknowledged, and the pace does the rest.
    m_window = m_path.payload;
    const double bitPs = FABRIC_BYTE_PICOSECONDS * m_frames * m_path.fullFrame;
    m_rate = std::clamp(bitPs / static_cast<double>(m_roundTrip), m_minRate, lineRate);
}

void
FabricWindowControl::Grow(double perRoundTrip, uint64_t acknowledgedBytes)
{
    // A window of w frames gets w frames acknowledged in a round trip, so each counts for
    // perRoundTrip / w.
    const double acknowledged = static_cast<double>(acknowledgedBytes) / m_path.payload;
    SetFrames(m_frames + perRoundTrip * acknowledged / std::max(m_frames, 1.0));
}

void
FabricWindowControl::Measure(const FabricFeedback& feedback)
{
    if (feedback.roundTrip > 0)
    {
        m_roundTrip = feedback.roundTrip;
        SetFrames(m_frames); // the pace below one frame follows the round trip
    }
}

bool
FabricWindowControl::ShrinkOncePerRoundTrip(double factor, int64_t now)
{
    if (m_hasShrunk && now - m_lastShrink < m_roundTrip)
    {
        return false;
    }
    m_hasShrunk = true;
    m_lastShrink = now;
    const double before = m_frames;
    SetFrames(m_frames * factor);
    if (m_frames < before)
    {
        CountSlowdown();
    }
    return true;
}

} // namespace ns3
