// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"
#include "system/communicator.h"
#include "system/execution/algorithm-table.h"
#include "system/execution/bounded-cache.h"
#include "system/execution/dimension-model.h"
#include "system/scheduling/scheduling-effects.h"
#include "system/system-options.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What of a collective does not depend on who runs it and when: shared by all communicators of one
/// shape and all their calls of one size. A training job repeats a few such programs thousands of
/// times, so planning is paid for once.
struct CollectiveProgram
{
    CollectiveType type = CollectiveType::AllReduce;
    CollectiveSchedule schedule;
    /// Of a phase type along a dimension, for the types that occur.
    std::map<std::pair<uint32_t, CollectiveType>, const ChosenAlgorithm*> algorithms;
    std::vector<LineOrder> lines; ///< by dimension
    std::string algorithmText;    ///< "ring+halving-doubling"

    const Phase& PhaseAt(PhaseReference reference) const
    {
        return schedule.chunks[reference.chunk].phases[reference.phase];
    }

    uint32_t DimensionCount() const
    {
        return static_cast<uint32_t>(schedule.admission.size());
    }
};

/// What a program is a function of.
struct ProgramKey
{
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0; ///< the largest, where members bring different sizes
    bool isUneven = false; ///< they do: UnevenSizes
    /// (size, stack dimension + 1 or 0 for none) of each dimension.
    std::vector<std::pair<uint32_t, uint32_t>> dimensions;

    auto operator<=>(const ProgramKey&) const = default;
};

/// Makes programs, plans each once, and keeps a bounded number of them.
class ProgramLibrary
{
  public:
    using Cache = BoundedCache<ProgramKey, CollectiveProgram>;
    using Entry = Cache::Entry;

    /// The references outlive the library.
    ProgramLibrary(const SystemOptions& options,
                   const std::vector<Dimension>& stack,
                   AlgorithmTable& algorithms);

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
    Bytes SizeOf(const ProgramKey& key) const;
    CollectiveProgram Make(const ProgramKey& key, const CommunicatorLayout& layout);
    void ChooseAlgorithms(CollectiveProgram& program,
                          const ProgramKey& key,
                          const CommunicatorLayout& layout);

    const SystemOptions& m_options;
    AlgorithmTable& m_algorithms;
    DimensionModels m_models;
    Cache m_cache;
    SchedulingEffects m_effects;
    uint32_t m_mostChunks = 0;
    uint32_t m_mostDimensions = 0;
};

} // namespace nadi
