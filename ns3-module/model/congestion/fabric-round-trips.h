// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ROUND_TRIPS_H
#define FABRIC_ROUND_TRIPS_H

#include "fabric-congestion-control.h"

namespace ns3
{

/// \ingroup fabric
/// Cuts the acknowledgements of a queue pair into round trips: one begins with the first
/// acknowledgement of something that was sent after the previous one began. The first
/// acknowledgement of all begins one.
class FabricRoundTrips
{
  public:
    /// Whether a round trip begins with `feedback`. To be asked once for each acknowledgement.
    bool Begins(const FabricFeedback& feedback)
    {
        if (feedback.acknowledged <= m_sentBefore)
        {
            return false;
        }
        m_sentBefore = feedback.sent;
        return true;
    }

  private:
    uint64_t m_sentBefore = 0; ///< bytes that had been sent when the present one began
};

} // namespace ns3

#endif /* FABRIC_ROUND_TRIPS_H */
