// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a collective promises; sizes as in the table of docs/collectives.md (S = the size of the
/// call, p = ranks): all-reduce, reduce-scatter, all-to-all, broadcast, reduce: S is the whole
/// buffer of a rank; all-gather, gather, scatter: S is one rank's shard; barrier: no data.
enum class CollectiveType : uint8_t
{
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Barrier,
};

/// "all-reduce", as in configurations and results.
std::string_view ToText(CollectiveType type);
std::optional<CollectiveType> FindCollectiveType(std::string_view text);
const std::vector<CollectiveType>& AllCollectiveTypes();

/// Whether the collective has a root: broadcast, reduce, gather, scatter.
bool HasRoot(CollectiveType type);

} // namespace nadi
