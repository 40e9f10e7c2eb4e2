// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

enum class MemoryDirection : uint8_t
{
    Load,
    Store,
};

/// The `call`-th access to remote memory of a communicator, which all its members make together.
struct GroupCall
{
    CommunicatorId communicator;
    uint32_t call = 0; ///< < 2^31 - 1

    auto operator<=>(const GroupCall&) const = default;
};

/// A rank loads from remote memory or stores to it. `token` comes back on completion.
struct MemoryAccess
{
    using Direction = MemoryDirection;

    MemoryDirection direction = MemoryDirection::Load;
    RankId rank;
    Bytes size;
    uint64_t token = 0;
    NodeId node;      ///< differs from those of the rank's other accesses
    std::string name; ///< for messages
    std::optional<GroupCall> group = std::nullopt; ///< none: the rank's own
};

/// An access that has not completed; for the wait-for report.
struct PendingMemoryAccess
{
    /// How far an access of a group has come.
    struct Group
    {
        std::vector<RankId> missing;       ///< members that have not made it, by rank
        std::vector<std::string> waitsFor; ///< once all have: the names of those who are behind
    };

    MemoryAccess access;
    uint32_t slices = 0;
    uint32_t missing = 0; ///< of the slices: not loaded, or not written
    std::string memory;   ///< the name of the memory; empty where there are several
    std::optional<Group> group = std::nullopt;
};

/// What was moved between ranks and memories.
struct MemoryTotals
{
    uint64_t loads = 0;  ///< accesses that were started; one for all members of a group
    uint64_t stores = 0; ///< likewise
    Bytes bytes;         ///< that memories sent: payload
};

} // namespace nadi
