// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/memory-options.h"
#include "network/topology.h"

#include <vector>

namespace nadi
{

/// The memories of a network, as they read and write: each serves one slice after the other, in the
/// order of the calls. A slice keeps it busy for size / bandwidth; `latency` after that the slice
/// is read or written, while the memory serves the next.
///
/// Whatever is asked for is taken: the queue of a memory has no bound. A memory that refused
/// requests while its answers are paused could wait for a switch that waits for it.
class MemoryServers
{
  public:
    /// The groups outlive it. Requires: they have the memories of the topology.
    MemoryServers(const Topology& topology, const std::vector<MemoryGroup>& groups);

    /// When a slice that came to `memory` at `now` is read or written. Requires: calls for one
    /// memory come in the order of time.
    SimTime Serve(VertexId memory, SimTime now, Bytes size);

  private:
    struct Server
    {
        const MemoryGroup* group;
        SimTime freeAt;
    };

    VertexId m_first;
    std::vector<Server> m_servers;
};

} // namespace nadi
