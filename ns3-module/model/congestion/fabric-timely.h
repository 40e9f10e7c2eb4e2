// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TIMELY_H
#define FABRIC_TIMELY_H

#include "fabric-congestion-control.h"

#include "ns3/nstime.h"

namespace ns3
{

/// \ingroup fabric
/// The parameters of TIMELY on one path: picoseconds and bits per second.
struct FabricTimelyParameters
{
    double lowThreshold = 0;
    double highThreshold = 0;
    double minRoundTrip = 1;
    double weight = 0;           ///< alpha
    double decreaseFactor = 0;   ///< beta
    double additiveIncrease = 0; ///< delta
    double hyperIncrease = 0;
    double minRate = 0;
    uint32_t hyperAfter = 0; ///< increases in a row before the first hyper increase
};

/// \ingroup fabric
/// The sender of TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter",
/// SIGCOMM 2015, algorithm 1. Once per round trip, with its delay d (a round trip begins with the
/// first answer to a frame that started after the previous one began):
///
///   difference = (1 - alpha) difference + alpha (d - previous d); gradient = difference / min RTT
///   d below Tlow, or between the thresholds with gradient <= 0: rate += delta, and after a number
///     of increases in a row the hyper increase instead (the paper counts only those between the
///     thresholds, the HPCC simulator, as here, all)
///   d above Thigh: rate *= 1 - beta (1 - Thigh / d)
///   otherwise: rate *= 1 - beta gradient
///
/// The first round trip only gives the previous d. There is no window; losses change nothing.
class FabricTimelyRateControl : public FabricRateControl
{
  public:
    FabricTimelyRateControl(const FabricPathProperties& path,
                            const FabricTimelyParameters& parameters);

    void OnAcknowledgement(const FabricFeedback& feedback) override;

    /// The smoothed change of the delay in a round trip, in round trips of the empty path.
    double GetGradient() const
    {
        return m_difference / m_parameters.minRoundTrip;
    }

  private:
    void React(double delay);
    void Increase();
    void Decrease(double factor);
    void SetRate(double rate);

    FabricTimelyParameters m_parameters;
    int64_t m_roundTripBegin = 0; ///< the present one; answers to frames of before belong to it
    double m_lastDelay = 0;       ///< picoseconds; 0: none yet
    double m_difference = 0;      ///< picoseconds
    uint32_t m_increases = 0;     ///< in a row
};

/// \ingroup fabric
/// TIMELY. The defaults are those of the paper and the HPCC simulator, scaled to the line rate and
/// to the round trip of the path.
class FabricTimely : public FabricCongestionControl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    FabricCongestionSignals GetSignals() const override;
    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t now) const override;

  private:
    Time m_minRoundTrip;
    Time m_lowThreshold;
    Time m_highThreshold;
    double m_weight = 0;
    double m_decreaseFactor = 0;
    DataRate m_additiveIncrease;
    DataRate m_hyperIncrease;
    uint32_t m_hyperAfter = 0;
};

} // namespace ns3

#endif /* FABRIC_TIMELY_H */
