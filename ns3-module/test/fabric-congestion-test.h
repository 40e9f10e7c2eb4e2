// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CONGESTION_TEST_H
#define FABRIC_CONGESTION_TEST_H

#include "ns3/fabric-congestion-control.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// What the tests of the congestion controls share: one path, and ways to make acknowledgements.
namespace FabricCongestionTest
{

constexpr int64_t US = 1'000'000; ///< picoseconds
constexpr double LINE_RATE = 100e9;
constexpr double TOLERANCE = LINE_RATE * 1e-12;
constexpr uint32_t PAYLOAD = 1000;
constexpr uint32_t FULL_FRAME = 1048;
constexpr int64_t BASE_ROUND_TRIP = 10 * US;
constexpr uint64_t BANDWIDTH_DELAY = 125'000; ///< bytes: 100 Gb/s for 10 us

/// Four links of 100 Gb/s, 10 us there and back.
inline FabricPathProperties
MakePath()
{
    FabricPathProperties path;
    path.lineRate = 100'000'000'000;
    path.baseRoundTrip = BASE_ROUND_TRIP;
    path.payload = PAYLOAD;
    path.fullFrame = FULL_FRAME;
    path.links = 4;
    return path;
}

/// The state of a new queue pair, opened at 0. Requires: `control` opens a RateControl.
template <typename RateControl>
std::unique_ptr<RateControl>
Open(const FabricCongestionControl& control, const FabricPathProperties& path = MakePath())
{
    std::unique_ptr<FabricRateControl> opened = control.Open(path, 0);
    return std::unique_ptr<RateControl>(dynamic_cast<RateControl*>(opened.release()));
}

/// A queue pair that always has something to send: an acknowledgement for each frame, in order.
class Acknowledger
{
  public:
    /// The next frame, acknowledged at `now` after `roundTrip`. Each acknowledgement begins a round
    /// trip, unless `sent` says that more frames were sent before.
    FabricFeedback Next(int64_t now, int64_t roundTrip)
    {
        m_feedback.now = now;
        m_feedback.roundTrip = roundTrip;
        m_feedback.newlyAcknowledged = PAYLOAD;
        m_feedback.acknowledged += PAYLOAD;
        m_feedback.sent = std::max(m_feedback.sent, m_feedback.acknowledged);
        return m_feedback;
    }

    /// `frames` more are under way.
    void Send(uint64_t frames)
    {
        m_feedback.sent += frames * PAYLOAD;
    }

  private:
    FabricFeedback m_feedback;
};

/// Jain's index of fairness: 1 where all are equal.
inline double
ComputeFairness(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (const double rate : rates)
    {
        sum += rate;
        squares += rate * rate;
    }
    return sum * sum / (squares * static_cast<double>(rates.size()));
}

} // namespace FabricCongestionTest

} // namespace ns3

#endif /* FABRIC_CONGESTION_TEST_H */
