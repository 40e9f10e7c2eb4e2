// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/in-network/tree-table.h"
#include "system/library/nccl/costed-protocol.h"

namespace nadi::nccl
{

/// The costs of a kernel that has switches that compute. What ranks send to them costs what a
/// message inside a node does. No kernel slows the messages of a switch down: they leave at once,
/// and with their payload only.
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
        if (m_trees.IsSwitch(message.source))
        {
            return {};
        }
        return m_trees.IsSwitch(message.destination) ? TermsInside(message)
                                                     : CostedProtocol::TermsFor(message);
    }

  private:
    const TreeTable& m_trees;
};

} // namespace nadi::nccl
