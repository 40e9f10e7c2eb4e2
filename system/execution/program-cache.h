// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"
#include "system/execution/bounded-cache.h"
#include "system/library/installed-library.h"
#include "system/scheduling/scheduling-effects.h"
#include "system/system-options.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// What a program is a function of.
struct ProgramKey
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0; ///< the largest, where members bring different sizes
    bool isUneven = false; ///< they do: UnevenSizes
    uint32_t place = 0;    ///< InstalledLibrary::PlaceOf
    bool isWithoutSwitches = false;
    std::optional<NodeId> node = std::nullopt; ///< ProgramRequest::node
    /// (size, stack dimension + 1 or 0 for none) of each dimension.
    std::vector<std::pair<uint32_t, uint32_t>> dimensions;

    auto operator<=>(const ProgramKey&) const = default;
};

/// Asks the library for programs, for each once, and keeps a bounded number of them.
class ProgramCache
{
  public:
    using Cache = BoundedCache<ProgramKey, CollectiveProgram>;
    using Entry = Cache::Entry;

    /// The references outlive the cache.
    ProgramCache(InstalledLibrary& library, const SchedulingOptions& options);

    /// Valid until Release. Requires: `request.dimensions` is empty; it is taken from the layout.
    Entry& Acquire(ProgramKey request, const CommunicatorLayout& layout);

    void Release(Entry& entry)
    {
        m_cache.Release(entry);
    }

    size_t Size() const
    {
        return m_cache.Size();
    }

    /// Of all programs so far.
    const SchedulingEffects& Effects() const
    {
        return m_effects;
    }

    /// The most chunks of a program so far.
    uint32_t MostChunks() const
    {
        return m_mostChunks;
    }

    /// The most dimensions of a program so far.
    uint32_t MostDimensions() const
    {
        return m_mostDimensions;
    }

  private:
    CollectiveProgram Make(const ProgramKey& key, const CommunicatorLayout& layout);

    InstalledLibrary& m_library;
    Cache m_cache;
    SchedulingEffects m_effects;
    uint64_t m_made = 0;
    uint32_t m_mostChunks = 0;
    uint32_t m_mostDimensions = 0;
};

} // namespace nadi
