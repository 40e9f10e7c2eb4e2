// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/unit-sizes.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

using Kind = GradientUnit::Kind;

void
RefuseBuckets(const ExecutionGraph& graph, const std::string& why)
{
    throw ConfigError(graph.Source(), "sums of gradients span several layers, and " + why);
}

UnitSizes::UnitSizes(const ExecutionGraph& graph,
                     const std::vector<Bucket>& buckets,
                     std::optional<uint64_t> ofLayer)
    : m_graph(graph)
{
    // The surest comes first: layers are many and alike. Once their size is known, a bucket of
    // layers and one end tells that end, and then one with both ends tells the other.
    LearnAll(buckets, Kind::Layer);
    if (ofLayer)
    {
        m_sizes.emplace(Kind::Layer, *ofLayer);
    }
    LearnAll(buckets, Kind::Head);
    LearnAll(buckets, Kind::Embedding);
    LearnAll(buckets, Kind::Head); // of one with both
}

void
UnitSizes::LearnAll(const std::vector<Bucket>& buckets, Kind wanted)
{
    for (const Bucket& bucket : buckets)
    {
        Learn(bucket, wanted);
    }
}

/// From a bucket in which all else is known.
void
UnitSizes::Learn(const Bucket& bucket, Kind wanted)
{
    const uint32_t count = bucket.CountOf(wanted);
    uint64_t rest = m_graph.Node(bucket.sum).size;
    for (const Kind kind : {Kind::Layer, Kind::Head, Kind::Embedding})
    {
        const uint32_t others = kind == wanted ? 0 : bucket.CountOf(kind);
        if (others > 0 && !m_sizes.contains(kind))
        {
            return;
        }
        // The rest stays at 0 where sizes do not add up, which CheckBucket finds.
        rest -= others > 0 ? std::min(rest, others * m_sizes.at(kind)) : 0;
    }
    if (count > 0 && rest % count == 0)
    {
        // The first bucket that tells a size counts. Whether all others agree is checked
        // afterwards.
        m_sizes.emplace(wanted, rest / count);
    }
}

void
UnitSizes::Check(const std::vector<Bucket>& buckets) const
{
    std::ranges::for_each(buckets, [this](const Bucket& bucket) { CheckBucket(bucket); });
}

void
UnitSizes::CheckBucket(const Bucket& bucket) const
{
    uint64_t bytes = 0;
    for (const GradientUnit& unit : bucket.units)
    {
        const std::optional<uint64_t> size = Find(unit.kind);
        if (!size)
        {
            RefuseBuckets(m_graph,
                          "none is of whole layers alone, which would tell how many bytes each "
                          "layer has; a recording with smaller buckets tells");
        }
        bytes += *size;
    }
    if (bytes != m_graph.Node(bucket.sum).size)
    {
        RefuseBuckets(m_graph,
                      fmt::format("that of {} bytes is of {} layers, while others have other bytes "
                                  "for each; a recording in which each layer has its own sum tells",
                                  m_graph.Node(bucket.sum).size,
                                  bucket.CountOf(Kind::Layer)));
    }
}

std::optional<uint64_t>
UnitSizes::Find(Kind kind) const
{
    const auto size = m_sizes.find(kind);
    return size == m_sizes.end() ? std::nullopt : std::optional(size->second);
}

} // namespace nadi
