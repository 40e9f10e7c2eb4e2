// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_DCTCP_H
#define FABRIC_DCTCP_H

#include "fabric-round-trips.h"
#include "fabric-window-control.h"

namespace ns3
{

/// \ingroup fabric
struct FabricDctcpParameters
{
    double gain = 0;
    double initialAlpha = 1;
    double additiveIncrease = 0; ///< frames per round trip
};

/// \ingroup fabric
/// The sender of DCTCP: Alizadeh et al., "Data Center TCP", SIGCOMM 2010, equations 1 and 2, and
/// RFC 8257, section 3.3, without slow start: RDMA begins at one bandwidth-delay product.
///
/// * Once per round trip alpha = (1 - g) alpha + g F, where F is the part of the bytes acknowledged
///   since then whose acknowledgement was marked.
/// * The first mark of a window multiplies the window by 1 - alpha / 2; until what was sent by then
///   is acknowledged, the window stays as it is. Otherwise it grows by the additive increase per
///   round trip.
/// * A loss halves the window, once per round trip (RFC 8257, section 3.5).
class FabricDctcpRateControl : public FabricWindowControl
{
  public:
    FabricDctcpRateControl(const FabricPathProperties& path,
                           const Limits& limits,
                           const FabricDctcpParameters& parameters);

    void OnAcknowledgement(const FabricFeedback& feedback) override;
    void OnLoss(int64_t now) override;

    /// The estimated part of the bytes that is marked.
    double GetAlpha() const
    {
        return m_alpha;
    }

  private:
    void UpdateAlpha();

    FabricDctcpParameters m_parameters;
    double m_alpha;
    FabricRoundTrips m_roundTrips;
    uint64_t m_acknowledgedBytes = 0; ///< since alpha was updated
    uint64_t m_markedBytes = 0;       ///< of those
    uint64_t m_sent = 0;              ///< bytes, at the last acknowledgement
    uint64_t m_reducedUntil = 0;      ///< no mark counts before more than this is acknowledged
};

/// \ingroup fabric
/// DCTCP. The defaults are those of the RFC.
class FabricDctcp : public FabricCongestionControl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;
    FabricCongestionSignals GetSignals() const override;
    std::unique_ptr<FabricRateControl> Open(const FabricPathProperties& path,
                                            int64_t now) const override;

  private:
    double m_gain = 0;
    double m_initialAlpha = 1;
    double m_additiveIncrease = 0;
    uint64_t m_maxWindow = 0;
};

} // namespace ns3

#endif /* FABRIC_DCTCP_H */
