// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/like-layers.h"

#include "common/error.h"
#include "workload/tools/structure/product-widths.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// What a layer has whichever micro-batch goes through it, and on however many ranks.
struct ForwardLayer
{
    uint32_t rank = 0;
    uint32_t layer = 0;
    uint32_t kernels = 0;
    std::set<uint64_t> widths; ///< inner sizes of products

    bool IsLike(const ForwardLayer& other) const
    {
        return kernels == other.kernels && widths == other.widths;
    }
};

ForwardLayer
ReadForward(const ExecutionGraph& graph, uint32_t rank, const LayerPass& layer)
{
    const auto kernels = std::ranges::count_if(
        layer.tasks, [&graph](uint32_t task) { return IsKernelTask(graph.Node(task)); });
    return {.rank = rank,
            .layer = layer.layer,
            .kernels = static_cast<uint32_t>(kernels),
            .widths = ListProductWidths(graph, layer.tasks)};
}

std::string
Describe(const ForwardLayer& form)
{
    return fmt::format("layer {} (rank {}) has {} kernels in a forward pass{}",
                       form.layer,
                       form.rank,
                       form.kernels,
                       form.widths.empty() ? ""
                                           : fmt::format(", with products of the inner sizes {}",
                                                         fmt::join(form.widths, ", ")));
}

} // namespace

void
CheckLayersAlike(const Workload& job, const JobStructure& found, const std::string& edit)
{
    std::optional<ForwardLayer> first;
    for (const RankStructure& rank : found.ranks)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
        for (const LayerRunPass& pass : rank.passes)
        {
            if (!pass.isForward || pass.layers.empty())
            {
                continue;
            }
            ForwardLayer form = ReadForward(graph, rank.rank, pass.layers.front());
            if (first && !first->IsLike(form))
            {
                throw ConfigError("what-if: " + edit,
                                  fmt::format("{}, and {}; layers can be repeated, taken out and "
                                              "dealt to other stages where all are alike",
                                              Describe(*first),
                                              Describe(form)));
            }
            first = first ? first : std::move(form);
        }
    }
}

} // namespace nadi
