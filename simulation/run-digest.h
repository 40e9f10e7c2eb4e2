// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/message.h"
#include "network/network-backend.h"

namespace nadi
{

/// The fingerprint of a run (docs/semantics.md 8): nodes, messages and links, in whatever order
/// they are added. Events and wall time are not in it.
class RunDigest
{
  public:
    void AddNode(RankId rank, NodeId node, SimTime start, SimTime end);
    void AddMessage(const Delivery& delivery);
    void AddLink(LinkId link, const LinkCounters& counters);

    std::string Hex() const
    {
        return m_sum.Hex();
    }

  private:
    Digest m_sum;
};

} // namespace nadi
