// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/in-network/tree-table.h"
#include "system/library/nccl/costed-protocol.h"

namespace nadi::nccl
{

/// The costs of a kernel whose messages go to a switch that computes and come from it. Those of
/// ranks cost what a message inside a node does. No kernel slows those of the switch down: they
/// leave at once, and with their payload only.
class SwitchedProtocol : public CostedProtocol
{
  public:
    /// `seats` and `trees` outlive it.
    SwitchedProtocol(const KernelCosts& costs,
                     const NodeSeats& seats,
                     double payloadShare,
                     const TreeTable& trees)
        : CostedProtocol(costs, seats, payloadShare)
        , m_trees(trees)
    {
    }

    SendTerms TermsFor(const LibraryMessage& message) const override
    {
        return m_trees.IsSwitch(message.source) ? SendTerms{} : TermsInside(message);
    }

  private:
    const TreeTable& m_trees;
};

} // namespace nadi::nccl
