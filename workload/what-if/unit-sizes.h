// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/bucket-finder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Throws ConfigError: sums span several layers, and why that is not known further.
[[noreturn]] void RefuseBuckets(const ExecutionGraph& graph, const std::string& why);

/// Bytes of the gradients of a layer, of the head and of the embedding, as the sums of a graph tell
/// them: those of whole layers alone say what a layer has, and what is left of others is of the
/// rest.
class UnitSizes
{
  public:
    /// `ofLayer`: what other stages tell of a layer, in case the buckets of this one do not. The
    /// graph outlives the sizes.
    UnitSizes(const ExecutionGraph& graph,
              const std::vector<Bucket>& buckets,
              std::optional<uint64_t> ofLayer);

    /// Throws ConfigError where they do not add up to the sums.
    void Check(const std::vector<Bucket>& buckets) const;

    std::optional<uint64_t> Find(GradientUnit::Kind kind) const;

    /// Requires: Check has passed for buckets with such a unit.
    uint64_t Of(GradientUnit::Kind kind) const
    {
        return m_sizes.at(kind);
    }

  private:
    void LearnAll(const std::vector<Bucket>& buckets, GradientUnit::Kind wanted);
    void Learn(const Bucket& bucket, GradientUnit::Kind wanted);
    void CheckBucket(const Bucket& bucket) const;

    const ExecutionGraph& m_graph;
    std::map<GradientUnit::Kind, uint64_t> m_sizes;
};

} // namespace nadi
