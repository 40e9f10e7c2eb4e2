// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/like-layers.h"

#include "common/error.h"
#include "workload/tools/structure/product-widths.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace nadi
{

namespace
{

/// What a layer does in a forward pass of the first micro-batch.
struct ForwardLayer
{
    uint32_t rank = 0;
    uint32_t layer = 0;
    uint32_t kernels = 0;
    std::set<uint64_t> widths; ///< inner sizes of products
    uint64_t operations = 0;   ///< of kernels whose work no routing decides
    uint64_t routed = 0;       ///< operations of the others: products of experts

    bool IsLike(const ForwardLayer& other) const
    {
        return kernels == other.kernels && widths == other.widths &&
               operations == other.operations && IsNear(routed, other.routed);
    }

  private:
    /// Whether routing explains the difference: experts of a layer get more tokens than of another.
    static bool IsNear(uint64_t one, uint64_t other)
    {
        return std::max(one, other) - std::min(one, other) <= std::min(one, other) / 4;
    }
};

void
AddOperations(const ExecutionGraph& graph, const ExecutionNode& node, ForwardLayer& layer)
{
    uint64_t routed = 0;
    for (const KernelLaunch& kernel : graph.KernelsOf(node))
    {
        routed += kernel.op == KernelOp::GroupedGemm ? kernel.operations : 0;
    }
    layer.routed += routed;
    layer.operations += node.operations - std::min(routed, node.operations);
}

ForwardLayer
ReadForward(const ExecutionGraph& graph, uint32_t rank, const LayerPass& layer)
{
    ForwardLayer read{
        .rank = rank, .layer = layer.layer, .widths = ListProductWidths(graph, layer.tasks)};
    for (const uint32_t task : layer.tasks)
    {
        if (IsKernelTask(graph.Node(task)))
        {
            ++read.kernels;
            AddOperations(graph, graph.Node(task), read);
        }
    }
    return read;
}

std::string
Describe(const ForwardLayer& layer)
{
    return fmt::format("layer {} on rank {} has {} kernels of {} operations in a forward pass{}",
                       layer.layer,
                       layer.rank,
                       layer.kernels,
                       layer.operations + layer.routed,
                       layer.widths.empty() ? ""
                                            : fmt::format(", with products of the inner sizes {}",
                                                          fmt::join(layer.widths, ", ")));
}

bool
IsFirstForward(const LayerRunPass& pass)
{
    return pass.isForward && pass.microBatch == 0 && pass.iteration == 0 && !pass.layers.empty();
}

} // namespace

void
CheckLayersAlike(const Workload& job, const JobStructure& found, const std::string& edit)
{
    std::map<uint32_t, uint32_t> ranksOf;    // so far, by stage
    std::map<uint32_t, ForwardLayer> firsts; // by the place of a rank among those of its stage
    for (const RankStructure& rank : found.ranks)
    {
        const uint32_t place = ranksOf[rank.stage]++;
        const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
        for (const LayerRunPass& pass : found.ranks[rank.sameAs].passes)
        {
            if (!IsFirstForward(pass))
            {
                continue;
            }
            const ForwardLayer layer = ReadForward(graph, rank.rank, pass.layers.front());
            const ForwardLayer& first = firsts.try_emplace(place, layer).first->second;
            if (!first.IsLike(layer))
            {
                throw ConfigError("what-if: " + edit,
                                  fmt::format("{}, and {}; layers can be repeated, taken out and "
                                              "dealt to other stages where all are alike",
                                              Describe(first),
                                              Describe(layer)));
            }
        }
    }
}

} // namespace nadi
