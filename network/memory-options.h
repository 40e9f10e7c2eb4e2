// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Memories of one kind; an entry of `network.memories`.
struct MemoryGroup
{
    std::string name; ///< of memory i: this and i
    uint32_t count = 1;
    /// Names of NPUs and switches, with *. Memory i hangs on the (i mod m)-th of the m that they
    /// fit: name by name, those of one pattern in the order of their numbers.
    std::vector<std::string> attach;
    Bandwidth linkBandwidth; ///< of the one link of each, in either direction
    SimTime linkLatency;
    Bandwidth bandwidth = Bandwidth::FromBytesPerSecond(100'000'000'000); ///< reads and writes
    SimTime latency = SimTime::FromNs(200); ///< of an access; overlaps the next one
    std::string where;                      ///< in the configuration, for errors
};

} // namespace nadi
