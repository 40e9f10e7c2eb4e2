// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/costed-protocol.h"

#include <cstdint>

namespace nadi::nccl
{

/// The costs of a kernel whose messages go to a switch that computes and come from it. Those of
/// ranks cost what a message inside a node does. Those of the switch have no kernel that slows them
/// down: they leave at once, and carry their payload only.
class SwitchedProtocol : public CostedProtocol
{
  public:
    /// Vertices from `firstSwitch` on are switches. Else as CostedProtocol.
    SwitchedProtocol(const KernelCosts& costs,
                     const NodeSeats& seats,
                     double payloadShare,
                     uint32_t firstSwitch)
        : CostedProtocol(costs, seats, payloadShare)
        , m_firstSwitch(firstSwitch)
    {
    }

    SendTerms TermsFor(const LibraryMessage& message) const override
    {
        const bool isOfSwitch = message.source.value >= m_firstSwitch;
        return isOfSwitch ? SendTerms{} : TermsInside(message);
    }

  private:
    uint32_t m_firstSwitch;
};

} // namespace nadi::nccl
