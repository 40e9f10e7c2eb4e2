// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/like-layers.h"

#include "common/error.h"
#include "workload/tools/structure/product-widths.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

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
    uint64_t operations = 0;   ///< of kernels that name shapes, but for products of experts
    uint64_t others = 0;       ///< operations of all others, on which routing may have a say

    bool IsLike(const ForwardLayer& other) const
    {
        return kernels == other.kernels && AreLike(widths, other.widths) &&
               DiffersBelow(operations, other.operations, 0.02) &&
               DiffersBelow(others, other.others, 1);
    }

  private:
    /// Parts of ranks of other tensor-parallel places may differ by one unit.
    static bool AreLike(const std::set<uint64_t>& some, const std::set<uint64_t>& others)
    {
        const auto isNear = [](uint64_t one, uint64_t other)
        { return std::max(one, other) - std::min(one, other) <= 1; };
        return std::ranges::equal(some, others, isNear);
    }

    static bool DiffersBelow(uint64_t one, uint64_t other, double share)
    {
        const auto least = static_cast<double>(std::min(one, other));
        return static_cast<double>(std::max(one, other)) - least <= share * least;
    }
};

void
AddOperations(const ExecutionGraph& graph, const ExecutionNode& node, ForwardLayer& layer)
{
    uint64_t shaped = 0;
    for (const KernelLaunch& kernel : graph.KernelsOf(node))
    {
        shaped += kernel.op == KernelOp::GroupedGemm ? 0 : kernel.operations;
    }
    shaped = std::min(shaped, node.operations);
    layer.operations += shaped;
    layer.others += node.operations - shaped;
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
                       layer.operations + layer.others,
                       layer.widths.empty() ? ""
                                            : fmt::format(", with products of the inner sizes {}",
                                                          fmt::join(layer.widths, ", ")));
}

bool
IsFirstForward(const LayerRunPass& pass)
{
    return pass.isForward && pass.microBatch == 0 && pass.iteration == 0;
}

/// The layers of a rank, by chunk.
std::vector<std::vector<ForwardLayer>>
ReadChunks(const ExecutionGraph& graph, uint32_t rank, const std::vector<LayerRunPass>& passes)
{
    std::vector<std::vector<ForwardLayer>> chunks;
    for (const LayerRunPass& pass : passes)
    {
        if (IsFirstForward(pass))
        {
            std::vector<ForwardLayer>& layers = chunks.emplace_back();
            for (const LayerPass& layer : pass.layers)
            {
                layers.push_back(ReadForward(graph, rank, layer));
            }
        }
    }
    return chunks;
}

/// Throws ConfigError.
void
CheckLike(const ForwardLayer& one, const ForwardLayer& other, const LayerDeal& deal)
{
    if (!one.IsLike(other))
    {
        throw ConfigError("what-if: " + deal.edit,
                          fmt::format("{}, and {}; layers can be repeated, taken out and dealt to "
                                      "other stages where all are alike",
                                      Describe(one),
                                      Describe(other)));
    }
}

} // namespace

void
CheckLayersAlike(const Workload& job, const JobStructure& found, const LayerDeal& deal)
{
    std::map<uint32_t, uint32_t> ranksOf;                 // so far, by stage
    std::map<uint32_t, std::vector<ForwardLayer>> firsts; // by the place of a rank in its stage
    for (const RankStructure& rank : found.ranks)
    {
        const uint32_t place = ranksOf[rank.stage]++;
        for (const std::vector<ForwardLayer>& layers :
             ReadChunks(job.GraphOf(RankId{rank.rank}), rank.rank, found.ranks[rank.sameAs].passes))
        {
            const std::vector<ForwardLayer>& first =
                firsts.try_emplace(place, layers).first->second;
            for (size_t at = 0; at < std::min(layers.size(), first.size()); ++at)
            {
                CheckLike(first[deal.isToOtherChunks ? 0 : at], layers[at], deal);
            }
        }
    }
}

} // namespace nadi
