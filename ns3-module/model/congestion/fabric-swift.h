// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SWIFT_H
#define FABRIC_SWIFT_H

#include "fabric-window-control.h"

#include "ns3/nstime.h"

namespace ns3
{

/// \ingroup fabric
/// The parameters of Swift on one path: picoseconds and frames.
struct FabricSwiftParameters
{
    double baseTarget = 0;    ///< with the part of the hops
    double scalingRange = 0;  ///< fs_range
    double scalingFactor = 0; ///< a: what a window of one frame adds, but for the offset
    double scalingOffset = 0; ///< a / sqrt(fs_max)
    double additiveIncrease = 0;
    double decreaseFactor = 0;    ///< beta
    double maxDecreaseFactor = 0; ///< max_mdf
};

/// \ingroup fabric
/// The sender of Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control
/// in the Datacenter", SIGCOMM 2020, algorithm 1 and the scaling of the target delay, for the delay
/// of the fabric (NICs here have none of their own). At each acknowledgement of `acknowledged`
/// frames after a delay:
///
///   target = base + hops h + clamp(a / sqrt(cwnd) - a / sqrt(fs_max), 0, fs_range)
///     where a = fs_range / (1 / sqrt(fs_min) - 1 / sqrt(fs_max))
///   delay < target: cwnd += ai acknowledged / cwnd, or ai acknowledged for cwnd < 1
///   otherwise, once per round trip:
///     cwnd *= max(1 - beta (delay - target) / delay, 1 - max_mdf)
///
/// A loss, once per round trip, multiplies cwnd by 1 - max_mdf (the paper's fast recovery; its
/// reset after several timeouts in a row is left out).
class FabricSwiftRateControl : public FabricWindowControl
{
  public:
    FabricSwiftRateControl(const FabricPathProperties& path,
                           const Limits& limits,
                           const FabricSwiftParameters& parameters);

    void OnAcknowledgement(const FabricFeedback& feedback) override;
    void OnLoss(int64_t now) override;

    /// The delay that the present window aims at, in picoseconds.
    double ComputeTarget() const;

  private:
    FabricSwiftParameters m_parameters;
};

/// \ingroup fabric
/// Swift. The paper publishes the factors; the delays, which it does not scale, default to parts of
/// the round trip of the path.
class FabricSwift : public FabricCongestionControl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    FabricCongestionSignals GetSignals() const override;
    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t now) const override;

  private:
    FabricSwiftParameters MakeParameters(const FabricPathProperties& path) const;

    Time m_baseTarget;
    Time m_hopDelay;
    Time m_scalingRange;
    double m_scalingMinWindow = 0;
    double m_scalingMaxWindow = 0;
    double m_additiveIncrease = 0;
    double m_decreaseFactor = 0;
    double m_maxDecreaseFactor = 0;
    uint64_t m_maxWindow = 0;
};

} // namespace ns3

#endif /* FABRIC_SWIFT_H */
