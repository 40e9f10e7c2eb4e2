// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/tree-pipeline.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace nadi
{

namespace
{

/// There are as many trees as roots and parallel links; more than this many gain nothing.
constexpr uint32_t MOST_TREES = 64;

} // namespace

std::vector<ParameterSpec>
TreePipeline::Specs()
{
    return {{.name = "slice",
             .kind = ParameterKind::Size,
             .defaultText = "64 KiB",
             .help = "The size of the slices in which a buffer goes over the trees; at least one "
                     "element. A switch works on whole slices. Smaller ones fill the pipeline "
                     "sooner, but cost more messages."},
            {.name = "window",
             .kind = ParameterKind::Size,
             .defaultText = "auto",
             .help = "How many bytes each member has under way at a time, at least a slice; auto: "
                     "so many that it never waits for answers while its links are free.",
             .words = {"auto"}},
            {.name = "trees",
             .kind = ParameterKind::Count,
             .defaultText = "auto",
             .help = "How many trees share the slices; auto: one for each equally good root, and "
                     "for each of parallel links.",
             .words = {"auto"},
             .range = {.least = 1, .most = MOST_TREES}}};
}

TreePipeline::TreePipeline(const Parameters& parameters)
    : m_slice(parameters.Get<Bytes>("slice"))
    , m_mostTrees(parameters.Has<int64_t>("trees")
                      ? static_cast<uint32_t>(parameters.Get<int64_t>("trees"))
                      : MOST_TREES)
{
    if (m_slice < Bytes(1))
    {
        throw ConfigError("slice", "0 B cuts nothing; write at least 1 B, such as 64 KiB");
    }
    if (parameters.Has<Bytes>("window"))
    {
        m_window = parameters.Get<Bytes>("window");
        if (*m_window < m_slice)
        {
            throw ConfigError("window",
                              fmt::format("{} B is less than a slice, so nothing would be "
                                          "sent; write at least {} B, or auto",
                                          m_window->Count(),
                                          m_slice.Count()));
        }
    }
}

std::optional<uint32_t>
TreePipeline::WindowFor(const AggregationTrees* trees, uint32_t trips) const
{
    if (trees == nullptr)
    {
        return std::nullopt;
    }
    if (m_window)
    {
        return static_cast<uint32_t>(m_window->Count() / m_slice.Count());
    }
    const auto slice = static_cast<double>(m_slice.Count());
    const double bytes = trees->NanosecondsThereAndBack(m_slice) *
                         static_cast<double>(trees->memberRate.BitsPerSecond()) / 8e9;
    // Where several trees share a link, their slices alternate on it frame by frame, on the way up
    // and on the way down: each takes the time of all of them.
    const double alternating = 2 * (static_cast<double>(trees->treesOnLink) - 1);
    // One slice more for the one that is being cut off, for each tree.
    const double slices = std::ceil(trips * (bytes / slice + alternating)) +
                          static_cast<double>(trees->trees.size()) + 1;
    return static_cast<uint32_t>(std::min<double>(slices, std::numeric_limits<uint32_t>::max()));
}

} // namespace nadi
