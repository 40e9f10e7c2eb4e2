// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/topology.h"
#include "system/memory-model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// Which memory of the network holds which slice of what a rank has in remote memory: a pure
/// function of the topology and of `system.memory.remote.place`.
class SlicePlaces
{
  public:
    /// Requires: the topology has memories, and outlives this.
    SlicePlaces(const Topology& topology, MemoryOptions::Place place);

    /// The memory of slice `slice` of an access of `rank`.
    VertexId MemoryOf(RankId rank, uint32_t slice) const;

    /// Whether all slices of a rank lie in one memory.
    bool IsOneMemory() const;

  private:
    VertexId NearestTo(RankId rank) const;
    VertexId MemoryNumber(uint64_t number) const;

    const Topology& m_topology;
    MemoryOptions::Place m_place;
    mutable std::vector<std::optional<VertexId>> m_nearest; // by rank, where it was asked for
};

/// The memory that the fewest links join to `vertex`; of several, the one with the lowest number.
/// Requires: the topology has memories.
VertexId FindNearestMemory(const Topology& topology, VertexId vertex);

} // namespace nadi
