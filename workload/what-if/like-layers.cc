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
#include <utility>
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
    // Kernels may count more operations than their node, and what is left must not be negative.
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

using Chunks = std::vector<std::vector<ForwardLayer>>;

/// The layers of a rank, by chunk. `rank`: one that has lists of its own.
Chunks
ReadChunks(const Workload& job, const RankStructure& rank)
{
    const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
    Chunks chunks;
    for (const LayerRunPass& pass : rank.passes)
    {
        if (IsFirstForward(pass))
        {
            std::vector<ForwardLayer>& layers = chunks.emplace_back();
            for (const LayerPass& layer : pass.layers)
            {
                layers.push_back(ReadForward(graph, rank.rank, layer));
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

/// All chunks with the first one of the first rank. Throws ConfigError.
void
CheckLike(const Chunks& first, const Chunks& chunks, const LayerDeal& deal)
{
    // Where layers are dealt to other chunks, any may come anywhere, so all are compared with one
    // layer. Else each is compared with the layer at its own position, as layers of a chunk may
    // differ among each other.
    for (const std::vector<ForwardLayer>& layers : chunks)
    {
        const size_t count = first.empty() ? 0 : std::min(layers.size(), first.front().size());
        for (size_t at = 0; at < count; ++at)
        {
            CheckLike(first.front()[deal.isToOtherChunks ? 0 : at], layers[at], deal);
        }
    }
}

} // namespace

void
CheckLayersAlike(const Workload& job, const JobStructure& found, const LayerDeal& deal)
{
    std::map<uint32_t, Chunks> chunksOf;              // by the rank of which the lists are
    std::map<uint32_t, uint32_t> ranksOf;             // so far, by stage
    std::map<uint32_t, uint32_t> firsts;              // such ranks, by the place in the stage
    std::set<std::pair<uint32_t, uint32_t>> compared; // such ranks
    for (const RankStructure& rank : found.ranks)
    {
        // Ranks of a stage are counted in their order, so those of other stages at the same place
        // have the same part of the layers.
        const uint32_t place = ranksOf[rank.stage]++;
        const uint32_t first = firsts.try_emplace(place, rank.sameAs).first->second;
        // Equal ranks are compared once.
        if (!compared.emplace(first, rank.sameAs).second)
        {
            continue;
        }
        for (const uint32_t own : {first, rank.sameAs})
        {
            if (!chunksOf.contains(own))
            {
                chunksOf[own] = ReadChunks(job, found.ranks[own]);
            }
        }
        CheckLike(chunksOf[first], chunksOf[rank.sameAs], deal);
    }
}

} // namespace nadi
