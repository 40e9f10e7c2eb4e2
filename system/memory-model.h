// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/memory-tree.h"
#include "network/rank-placement.h"
#include "system/memory-location.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// One memory's speed.
struct MemorySpeed
{
    SimTime latency;
    Bandwidth bandwidth;
};

/// `system.memory`.
struct MemoryOptions
{
    /// How remote memory is reached.
    enum class Through : uint8_t
    {
        Formula, ///< latency + size / bandwidth of `remote`, shared as `sharing` says
        Network, ///< by messages to and from the memories of the network
    };

    /// Which memories of the network a rank uses.
    enum class Place : uint8_t
    {
        Own,         ///< the one with the number of the rank's NPU, modulo their count
        Nearest,     ///< the one that the fewest links join to the NPU
        Interleaved, ///< slice k of rank r is in memory r + k, modulo their count
    };

    /// Who waits for whom at the remote memory.
    enum class Sharing
    {
        PerNpu, ///< `no`: every NPU has its own
        Node,   ///< `node`: one for each `ranksPerNode` consecutive NPUs
        All,    ///< `all`: one pool for the job
    };

    /// Of accesses of a trace that do not say theirs.
    MemoryLocation defaultLocation = MemoryLocation::Local;
    MemorySpeed local{SimTime::FromNs(100), Bandwidth::FromBytesPerSecond(2'000'000'000'000)};
    MemorySpeed remote{SimTime::FromUs(1), Bandwidth::FromBytesPerSecond(100'000'000'000)};
    Sharing sharing = Sharing::PerNpu;
    uint32_t ranksPerNode = 1;
    Through through = Through::Formula;
    Place place = Place::Own; ///< Through::Network
    Bytes slice{64 * 1024};   ///< of an access through the network; > 0
    /// Of an access of a group: what a memory holds leaves it once, or is written once.
    bool multicasts = true;
    MemoryTreeOrder treeOrder = MemoryTreeOrder::AlongEdge; ///< where they multicast
};

/// Local and remote memory: an access takes latency + size / bandwidth. Accesses to one shared
/// remote memory are served one after the other, in the order of their start; the latency of one
/// overlaps the transfer of the next. With Sharing::PerNpu that holds for the accesses of one NPU.
/// Local accesses never wait for each other. Accesses through the network are those of
/// RemoteMemory.
class MemoryModel
{
  public:
    /// `placement` says which NPU hosts which rank.
    MemoryModel(const MemoryOptions& options, uint32_t ranks, RankPlacement placement = {});

    /// Reserves the memory and returns when the access that starts at `now` ends.
    /// Requires: calls come in order of time, those of one instant in order of (rank, node).
    SimTime Reserve(SimTime now, RankId rank, Bytes size, bool isRemote);

  private:
    /// The remote memory of a rank.
    uint32_t PoolOf(RankId rank) const;

    MemoryOptions m_options;
    RankPlacement m_placement;
    std::vector<SimTime> m_poolFreeAt; // by remote memory; when its transfer lane is free
};

} // namespace nadi
