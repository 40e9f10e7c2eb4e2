// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ADAPTIVE_BALANCER_H
#define FABRIC_ADAPTIVE_BALANCER_H

#include "fabric-load-balancer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// Sends each frame to the candidate with the fewest waiting bytes; among equals, by hash of the
/// frame, so that idle ways share the load.
class FabricAdaptiveBalancer : public FabricLoadBalancer
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    std::string GetHelp() const override;

    uint32_t Pick(const Question& question) override;

    /// The index of a smallest queue: of k equal ones, number tieHash mod k.
    /// Requires: not empty.
    static uint32_t PickSmallest(const std::vector<uint64_t>& queueBytes, uint64_t tieHash);

  private:
    std::vector<uint64_t> m_queueBytes; ///< of the candidates; its memory is reused
};

} // namespace ns3

#endif /* FABRIC_ADAPTIVE_BALANCER_H */
