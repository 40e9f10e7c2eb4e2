// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"

#include <memory>
#include <vector>

namespace nadi
{

/// Adds the memories of a topology to a routing that knows only NPUs and switches: what is for a
/// memory goes to the vertex that it hangs on and then over its link, and what a memory sends
/// leaves by its one link.
class AttachedRouting : public Routing
{
  public:
    /// `inner` routes between the NPUs and switches of `topology`. Requires: no link has failed;
    /// the topology outlives the routing.
    AttachedRouting(const Topology& topology, std::unique_ptr<Routing> inner);

    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const override;

  private:
    /// Where a memory hangs.
    struct Attachment
    {
        VertexId host;
        std::vector<LinkId> down; ///< from there to the memory: one link
    };

    std::unique_ptr<Routing> m_inner;
    std::vector<Attachment> m_attachments; // by memory
};

} // namespace nadi
