// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-parameters.h"

#include "common/error.h"
#include "workload/what-if/parameter-share.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

namespace nadi
{

using Part = PassSlot::Part;

namespace
{

/// What products of kernels tell.
struct Products
{
    uint64_t parameters = 0;   ///< of their matrices
    uint64_t columns = 0;      ///< of their results
    uint64_t width = 0;        ///< inner size of the first one
    uint64_t inputs = 0;       ///< numbers that the first one takes in
    uint64_t elementBytes = 0; ///< of a number of the first one
};

/// Each matrix is read or written once.
uint64_t
ElementBytesOf(const KernelLaunch& product)
{
    const uint64_t numbers = product.m * product.k + product.k * product.n + product.m * product.n;
    // An element has a byte at least, also where the recording counts fewer.
    return numbers == 0 ? 0 : std::max<uint64_t>(1, product.bytes / numbers);
}

void
AddProducts(const ExecutionGraph& graph, uint32_t node, Products& products)
{
    for (const KernelLaunch& kernel : graph.KernelsOf(graph.Node(node)))
    {
        // Products of an attention multiply no weights, so batched products are left out.
        const bool isGrouped = kernel.op == KernelOp::GroupedGemm;
        if (!isGrouped && kernel.op != KernelOp::Gemm && kernel.op != KernelOp::Router)
        {
            continue;
        }
        if (products.parameters == 0)
        {
            products.width = kernel.k;
            products.inputs = kernel.m * kernel.k;
            products.elementBytes = ElementBytesOf(kernel);
        }
        products.columns += kernel.n;
        products.parameters += kernel.n * kernel.k * (isGrouped ? kernel.batch : 1);
    }
}

/// Of a part of a forward pass of the last micro-batch.
Products
FindProducts(const RecordedStage& stage, Part part, uint32_t position)
{
    Products products;
    for (size_t pass = 0; pass < stage.Passes().size(); ++pass)
    {
        if (!stage.Passes()[pass].isForward || !stage.IsOfLastMicroBatch(pass))
        {
            continue;
        }
        for (const auto& [slot, node] : stage.TasksOf(pass))
        {
            if (slot.part == part && slot.position == position)
            {
                AddProducts(stage.Graph(), node, products);
            }
        }
    }
    return products;
}

bool
HasKernels(const RecordedStage& stage, Part part)
{
    for (size_t pass = 0; pass < stage.Passes().size(); ++pass)
    {
        for (const auto& [slot, node] : stage.TasksOf(pass))
        {
            if (stage.Passes()[pass].isForward && slot.part == part && slot.isKernel)
            {
                return true;
            }
        }
    }
    return false;
}

/// What counts of a node.
struct NodeWeight
{
    uint64_t shards = 1;
    uint64_t amount = 0;
};

void
AddWeight(const RecordedStage& stage, uint32_t node, NodeWeight weight, StageWeights& weights)
{
    const auto amount = static_cast<int64_t>(weight.amount);
    const std::optional<RecordedStage::Place>& place = stage.PlaceOf(node);
    if (!place)
    {
        weights.begin.Add(weight.shards, amount); // an embedding's are the last ones
        return;
    }
    const PipelinePass& pass = stage.Passes()[place->pass];
    // Sums of earlier micro-batches are of the same parameters, so those of the last one count.
    if (!stage.IsOfLastMicroBatch(place->pass))
    {
        return;
    }
    const Part part = place->slot.part;
    if (part == Part::Layer || part == Part::Extra)
    {
        weights.chunks[pass.chunk].Add(weight.shards, amount);
        return;
    }
    (pass.isForward == (part == Part::Before) ? weights.begin : weights.end)
        .Add(weight.shards, amount);
}

StageWeights
EmptyWeights(const RecordedStage& stage, StageWeights::Unit unit)
{
    uint32_t chunks = 1;
    for (const PipelinePass& pass : stage.Passes())
    {
        chunks = std::max(chunks, pass.chunk + 1);
    }
    return {.unit = unit, .chunks = std::vector<ShardedSums>(chunks), .begin = {}, .end = {}};
}

/// On equally many tokens, operations of products are in proportion to parameters.
StageWeights
WeighByForward(const RecordedStage& stage)
{
    StageWeights weights = EmptyWeights(stage, StageWeights::Unit::Operations);
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        const std::optional<RecordedStage::Place>& place = stage.PlaceOf(node);
        if (place && stage.Passes()[place->pass].isForward)
        {
            AddWeight(stage, node, {1, stage.Graph().Node(node).operations}, weights);
        }
    }
    return weights;
}

StageWeights
WeighByCount(const RecordedStage& stage, const CountedParameters& counted)
{
    StageWeights weights = EmptyWeights(stage, StageWeights::Unit::Parameters);
    for (const GradientUnit& unit : counted.UnitsOf(stage.Rank()))
    {
        const auto parameters = static_cast<int64_t>(unit.All());
        switch (unit.kind)
        {
        case GradientUnit::Kind::Layer:
            weights.chunks[unit.chunk].Add(1, parameters);
            break;
        case GradientUnit::Kind::Embedding:
            weights.begin.Add(1, parameters);
            break;
        case GradientUnit::Kind::Head:
            weights.end.Add(1, parameters);
            break;
        }
    }
    return weights;
}

/// In the last micro-batch.
bool
SumsGradients(const RecordedStage& stage)
{
    // Only whether there are sums is asked, so the sizes of groups do not matter.
    const GroupSizes anySize = [](uint32_t) { return uint64_t{1}; };
    return WeighStage(stage, std::nullopt, anySize).unit == StageWeights::Unit::GradientBytes;
}

/// A sum of gradients, the last one of the stage.
std::optional<ExecutionNode>
FindSum(const RecordedStage& stage)
{
    std::optional<ExecutionNode> sum;
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        sum = stage.IsGradientSum(node) ? stage.Graph().Node(node) : sum;
    }
    return sum;
}

uint64_t
RoundUpShare(uint64_t count, uint64_t parts)
{
    return (count + parts - 1) / parts;
}

/// Of a matrix of so many parameters, whose gradients have so many bytes each.
TiedMatrix
MakeTied(const RecordedStage& stage,
         const GroupSizes& sizes,
         const Products& head,
         uint64_t gradientBytes)
{
    const std::optional<ExecutionNode> sum = FindSum(stage);
    const uint64_t copies = sum ? sizes(sum->group) : 1;
    const uint64_t shards = sum ? CountShards(*sum, sizes) : 1;
    const uint64_t shard = RoundUpShare(head.parameters, copies);
    // Shards are those of ZeRO 3, where both ends sum theirs: with ZeRO 1 and 2 the stages are not
    // changed (PipelineMaker).
    return {.parameters = static_cast<int64_t>(head.parameters),
            .sumBytes = static_cast<int64_t>(head.parameters * gradientBytes),
            .shards = shards,
            .gatherBytes = static_cast<int64_t>(shard * head.elementBytes),
            .sumOfEnds = (shards > 1 ? shard : head.parameters) * gradientBytes};
}

} // namespace

ShardedSums
StageWeights::Together() const
{
    ShardedSums all = begin;
    all.Add(end);
    std::ranges::for_each(chunks, [&all](const ShardedSums& chunk) { all.Add(chunk); });
    return all;
}

/// Traces do not say how many parameters a layer has. Bytes of sums of gradients are exact, and
/// tell shards, too. Without sums, parameters are counted from kernels. Operations are the last
/// resort, as they are in proportion to parameters only in products.
StageWeights
WeighStage(const RecordedStage& stage,
           const std::optional<CountedParameters>& counted,
           const GroupSizes& sizes)
{
    StageWeights weights = EmptyWeights(stage, StageWeights::Unit::GradientBytes);
    for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
    {
        if (stage.IsGradientSum(node))
        {
            const ExecutionNode& sum = stage.Graph().Node(node);
            AddWeight(stage, node, {CountShards(sum, sizes), sum.size}, weights);
        }
    }
    if (weights.Together().All() > 0)
    {
        return weights;
    }
    return counted ? WeighByCount(stage, *counted) : WeighByForward(stage);
}

std::optional<EndsEvidence>
FindEndsEvidence(const RecordedStage& single)
{
    const Products head = FindProducts(single, Part::After, 0);
    const Products layer = FindProducts(single, Part::Layer, 0);
    const EndsEvidence evidence{.updated = CountOptimizerNumbers(single.Graph()),
                                .layers = single.Rank().passes.front().layers.size(),
                                .matrices = layer.parameters,
                                .columns = layer.columns,
                                .hidden = layer.width,
                                .head = head.parameters,
                                .first = FindProducts(single, Part::Before, 0).parameters,
                                .sequence = FindSequence(single)};
    const bool isKnown = HasKernels(single, Part::Before) && evidence.updated > 0 &&
                         evidence.head > 0 && !SumsGradients(single);
    return isKnown ? std::optional(evidence) : std::nullopt;
}

TiedMatrix
FindTiedMatrix(const RecordedStage& single, const GroupSizes& sizes)
{
    const Products head = FindProducts(single, Part::After, 0);
    const Products layer = FindProducts(single, Part::Layer, 0);
    // First kernels that multiply by matrices, as a convolution does, look nothing up, so there is
    // no table to share.
    if (!HasKernels(single, Part::Before) || !HasKernels(single, Part::After) ||
        FindProducts(single, Part::Before, 0).parameters > 0)
    {
        return {};
    }
    const uint64_t layers = single.Rank().passes.front().layers.size();
    if (!SumsGradients(single))
    {
        const std::optional<EndsEvidence> evidence = FindEndsEvidence(single);
        return evidence && IsTied(*evidence) ? MakeTied(single, sizes, head, head.elementBytes)
                                             : TiedMatrix();
    }
    const StageWeights weights = WeighStage(single, std::nullopt, sizes);
    const auto ofHead = static_cast<uint64_t>(weights.end.All());
    if (head.parameters == 0 || layer.parameters == 0)
    {
        // Where matrices have no sizes, gradients tell: a head with a matrix of its own has as many
        // as the embedding, and one that shares it only those of a norm. The limit is half of the
        // embedding's.
        if (2 * weights.end.All() >= weights.begin.All())
        {
            return {};
        }
        throw ConfigError("what-if: pp",
                          "the head has few parameters, as where its matrix is that of the "
                          "embedding, whose size is unknown without shapes; a recording with a "
                          "host trace has them");
    }
    const auto ofLayers = static_cast<uint64_t>(weights.chunks.front().All());
    // Norms and biases add less than a byte to each number of a matrix. Numbers have 1, 2, 4 or 8
    // bytes, so rounding down to a power of two takes that off.
    const uint64_t gradientBytes =
        std::bit_floor(std::max<uint64_t>(1, ofLayers / (layers * layer.parameters)));
    return ofHead < head.parameters * gradientBytes ? MakeTied(single, sizes, head, gradientBytes)
                                                    : TiedMatrix();
}

TiedMatrix
FindUntiedMatrix(const RecordedStage& last,
                 const std::vector<bool>& isOfEnds,
                 const GroupSizes& sizes)
{
    for (const ExecutionNode& node : last.Graph().Nodes())
    {
        if (node.type != NodeType::Collective || !isOfEnds[node.group])
        {
            continue;
        }
        const Products head = FindProducts(last, Part::After, 0);
        if (head.parameters == 0)
        {
            // Without shapes, the bytes of this sum are all that is known of the matrix.
            return {.sumBytes = -static_cast<int64_t>(node.size)};
        }
        // The recorded sum of both ends is of the matrix alone, so it tells how many bytes a
        // gradient has.
        const TiedMatrix ofBytes = MakeTied(last, sizes, head, 1);
        const uint64_t gradientBytes =
            std::max<uint64_t>(1, node.size / std::max<uint64_t>(1, ofBytes.sumOfEnds));
        const TiedMatrix tied = MakeTied(last, sizes, head, gradientBytes);
        return {.parameters = -tied.parameters,
                .sumBytes = -tied.sumBytes,
                .shards = tied.shards,
                .gatherBytes = -tied.gatherBytes};
    }
    return {};
}

uint64_t
FindMessageBytes(const RecordedStage& stage, const GroupSizes& sizes, uint64_t parts)
{
    // The last sum of the first forward layer is that of what it hands on.
    std::optional<ExecutionNode> sum;
    for (const uint32_t task : stage.Rank().passes.front().layers.front().tasks)
    {
        const ExecutionNode& node = stage.Graph().Node(task);
        if (node.type == NodeType::Collective && node.collective != CollectiveType::AllGather)
        {
            sum = node;
        }
    }
    if (sum && sum->collective == CollectiveType::AllReduce)
    {
        return sum->size;
    }
    if (sum && sum->collective == CollectiveType::ReduceScatter)
    {
        // The size of a reduce-scatter is that of all parts together.
        return sum->size / sizes(sum->group);
    }
    const Products layer = FindProducts(stage, Part::Layer, 0);
    if (layer.inputs == 0)
    {
        throw ConfigError("what-if: pp",
                          "what a layer hands on to the next is unknown: its kernels name no "
                          "shapes, and no tensor group sums it; a recording with a host trace has "
                          "shapes");
    }
    return layer.inputs * layer.elementBytes / parts;
}

} // namespace nadi
