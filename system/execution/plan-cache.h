// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/execution/bounded-cache.h"
#include "system/library/algorithm-table.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>

namespace nadi
{

/// What a plan is a function of.
struct PlanKey
{
    uint32_t algorithm = 0; ///< ChosenAlgorithm::id
    CollectiveType type = CollectiveType::AllReduce;
    uint32_t ranks = 1;
    uint64_t elements = 0;
    uint32_t elementBytes = 1;
    uint32_t root = 0;
    LineOrder line = LineOrder::Cycle;
    const AggregationTrees* trees = nullptr;
    const MessageProgram* program = nullptr;
    std::optional<uint32_t> sendsAtOnce = std::nullopt;

    auto operator<=>(const PlanKey&) const = default;
};

/// Plans shared by all ranks and collectives that run the same one.
class PlanCache
{
  public:
    using Cache = BoundedCache<PlanKey, std::unique_ptr<CollectivePlan>>;
    using Entry = Cache::Entry;

    explicit PlanCache(size_t capacity)
        : m_cache(capacity)
    {
    }

    /// Valid until Release. Requires: the algorithm supports the type.
    Entry& Acquire(const ChosenAlgorithm& chosen, const PlanRequest& request)
    {
        const PlanKey key{.algorithm = chosen.id,
                          .type = request.type,
                          .ranks = request.ranks,
                          .elements = request.elements,
                          .elementBytes = request.elementBytes,
                          .root = request.root,
                          .line = request.line,
                          .trees = request.trees,
                          .program = request.program,
                          .sendsAtOnce = request.sendsAtOnce};
        return m_cache.Acquire(key, [&] { return chosen.algorithm->MakePlan(request); });
    }

    void Release(Entry& entry)
    {
        m_cache.Release(entry);
    }

    size_t Size() const
    {
        return m_cache.Size();
    }

  private:
    Cache m_cache;
};

} // namespace nadi
