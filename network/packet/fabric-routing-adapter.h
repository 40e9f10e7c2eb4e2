// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"

#include <ns3/fabric-routing.h>

#include <cstdint>
#include <vector>

namespace nadi
{

/// Answers the fabric's questions about the way with the Routing that all backends share.
///
/// Holds: a fabric node's index is its vertex.
/// Requires: `routing` and `portOfLink` (the sending port of each link, by link id) outlive it.
class FabricRoutingAdapter : public ns3::FabricRouting
{
  public:
    FabricRoutingAdapter(const Routing& routing,
                         const std::vector<ns3::FabricPort*>& portOfLink,
                         uint64_t seed);

    std::vector<ns3::FabricPort*> FindEgresses(const ns3::FabricNode& at,
                                               const ns3::FabricNode& destination) const override;

    uint32_t
    Pick(const ns3::FabricNode& at, const ns3::FabricFlowKey& key, uint32_t count) const override;

  private:
    const Routing& m_routing;
    const std::vector<ns3::FabricPort*>& m_portOfLink;
    uint64_t m_seed;
};

} // namespace nadi
