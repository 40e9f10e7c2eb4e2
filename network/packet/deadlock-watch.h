// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/channel.h"
#include "network/event-loop.h"
#include "network/packet/fabric-routing-adapter.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Looks for pauses that wait for each other in a circle: now and then while the network is busy,
/// and when asked.
class DeadlockWatch : private EventHandler
{
  public:
    /// Requires: everything that it is made of outlives it.
    DeadlockWatch(const Topology& topology,
                  const BuiltFabric& built,
                  const FabricRoutingAdapter& routing,
                  EventLoop& loop);

    /// From now on a circle of pauses each of which has lasted for 1 ms ends the run, by a
    /// NetworkFailure, within 2 ms.
    void Start();

    /// What is deadlocked at present, in a sentence; none: nothing.
    std::optional<std::string> FindDeadlock() const;

  private:
    std::optional<std::vector<Channel>> FindCycle() const;
    bool IsLasting(const std::vector<Channel>& cycle) const;
    void ScheduleLook();
    void OnEvent(uint64_t token) override;

    const Topology& m_topology;
    const BuiltFabric& m_built;
    const FabricRoutingAdapter& m_routing;
    EventLoop& m_loop;
};

} // namespace nadi
