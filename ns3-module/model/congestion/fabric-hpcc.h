// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HPCC_H
#define FABRIC_HPCC_H

#include "fabric-congestion-control.h"
#include "fabric-round-trips.h"

namespace ns3
{

/// \ingroup fabric
/// The parameters of HPCC on one path: bits per second.
struct FabricHpccParameters
{
    double targetUtilization = 1; ///< eta
    double additiveIncrease = 0;
    double minRate = 0;
    uint32_t maxStage = 0;
};

/// \ingroup fabric
/// The sender of HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019,
/// algorithm 1. With T the round trip of the empty path, at each acknowledgement
///
///   u of a hop = min(queue now, queue before) / (B T) + bytes since before / (time since before B)
///   U = (1 - tau / T) U + (tau / T) max u, where tau is that hop's time since before, at most T
///   R = Rc / (U / eta) + AI if U >= eta or there were maxStage additive steps, else Rc + AI
///
/// where the reference Rc becomes R once per round trip, so that all acknowledgements of a round
/// trip react to the same congestion once. The window is R T: one bandwidth-delay product at line
/// rate, and at least one frame; frames are paced at R. (The paper writes W = R T for the state.)
///
/// "Before" is the previous acknowledgement. Records that cannot be of the same ports as those
/// before (another number of them, not later, more bytes than the rate allows) only begin anew.
/// Without records nothing changes: a path of one link stays at line rate. Losses change nothing,
/// as in the published code: the records have shown the queue that lost the frame.
class FabricHpccRateControl : public FabricRateControl
{
  public:
    FabricHpccRateControl(const FabricPathProperties& path, const FabricHpccParameters& parameters);

    void OnAcknowledgement(const FabricFeedback& feedback) override;

    /// U: the smoothed load of the most loaded hop; 1 before anything is known.
    double GetUtilization() const
    {
        return m_utilization;
    }

    /// Rc, in bits per second.
    double GetReferenceRate() const
    {
        return m_referenceRate;
    }

  private:
    bool IsSamePath(const FabricTelemetry& records) const;
    void MeasureUtilization(const FabricTelemetry& records);
    void SetRate(double rate);

    FabricHpccParameters m_parameters;
    double m_roundTrip;      ///< T, in picoseconds
    double m_bandwidthDelay; ///< bytes
    double m_referenceRate;
    double m_utilization = 1;
    uint32_t m_stage = 0; ///< additive steps of the reference since the last multiplicative one
    FabricRoundTrips m_roundTrips;
    FabricTelemetry m_lastRecords;
};

/// \ingroup fabric
/// HPCC. The defaults are those of the HPCC simulator, scaled to the line rate.
class FabricHpcc : public FabricCongestionControl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    FabricCongestionSignals GetSignals() const override;
    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t now) const override;

  private:
    double m_targetUtilization = 1;
    uint32_t m_maxStage = 0;
    DataRate m_additiveIncrease;
};

} // namespace ns3

#endif /* FABRIC_HPCC_H */
