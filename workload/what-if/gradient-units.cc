// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gradient-units.h"

#include "common/error.h"
#include "workload/what-if/parameter-share.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Throws ConfigError.
[[noreturn]] void
RefuseUnit(const RecordedStage& stage, uint32_t node, const std::string& why)
{
    throw ConfigError("what-if: dp",
                      fmt::format("{}: node {} (\"{}\") {}",
                                  stage.Graph().Source(),
                                  stage.Graph().Node(node).id,
                                  stage.Graph().Name(node),
                                  why));
}

[[noreturn]] void
RefuseAwaited(const RecordedStage& stage, uint32_t node)
{
    RefuseUnit(stage,
               node,
               "is of no backward pass of the last micro-batch, and the optimizer waits for it; "
               "when copies would sum its gradients is unknown");
}

/// The kernels of passes that the optimizer, and what is beside it, waits for.
std::set<uint32_t>
FindAwaited(const RecordedStage& stage)
{
    std::set<uint32_t> awaited;
    for (const uint32_t node : stage.Rank().optimizer)
    {
        for (const uint32_t parent : stage.ParentsOf(node))
        {
            if (stage.PlaceOf(parent) && stage.PlaceOf(parent)->slot.isKernel)
            {
                awaited.insert(parent);
            }
        }
    }
    return awaited;
}

/// A kernel of the gradient of weights makes m x n of them, and of experts so many for each.
void
AddGradientsOf(const RecordedStage& stage, uint32_t node, GradientUnit& unit)
{
    for (const KernelLaunch& kernel : stage.Graph().KernelsOf(stage.Graph().Node(node)))
    {
        if (kernel.op == KernelOp::GroupedGemm)
        {
            unit.experts.matrices += kernel.m * kernel.n * kernel.batch;
            unit.experts.columns += kernel.n * kernel.batch;
        }
        // A router is taken to have no bias, so its columns do not count.
        if (kernel.op == KernelOp::Gemm || kernel.op == KernelOp::Router)
        {
            unit.dense.matrices += kernel.m * kernel.n;
            unit.dense.columns += kernel.op == KernelOp::Gemm ? kernel.n : 0;
        }
    }
}

} // namespace

std::vector<GradientUnit>
FindGradientUnits(const RecordedStage& stage)
{
    // By pass, kind and position. Without the kind the ends of a pass, whose position is 0, would
    // meet the layer at position 0.
    std::map<std::tuple<size_t, GradientUnit::Kind, uint32_t>, GradientUnit> unitAt;
    for (const uint32_t node : FindAwaited(stage))
    {
        const RecordedStage::Place& place = *stage.PlaceOf(node);
        if (stage.Passes()[place.pass].isForward)
        {
            RefuseAwaited(stage, node);
        }
        if (!stage.IsOfLastMicroBatch(place.pass))
        {
            continue; // gradients of the same parameters, as where each micro-batch has its own
        }
        const GradientUnit::Kind kind = GradientKindOf(place.slot.part);
        GradientUnit& unit = unitAt[{place.pass, kind, place.slot.position}];
        unit.kind = kind;
        unit.chunk = stage.Passes()[place.pass].chunk;
        unit.position = place.slot.position;
        unit.kernels.push_back(node);
        // A kernel of a layer that tells nothing would be missing in the count. Ends of the model
        // may have such kernels, as a lookup has no product.
        const uint64_t before = unit.dense.matrices + unit.experts.matrices;
        AddGradientsOf(stage, node, unit);
        if (unit.dense.matrices + unit.experts.matrices == before &&
            kind == GradientUnit::Kind::Layer)
        {
            RefuseUnit(stage,
                       node,
                       "makes gradients of a layer and names no shapes, so how many there are is "
                       "unknown; a recording with a host trace has shapes");
        }
    }
    std::vector<GradientUnit> units;
    for (auto& [place, unit] : unitAt)
    {
        units.push_back(std::move(unit));
    }
    // Sums that are put in stand in this order (AddGradientSums).
    std::ranges::sort(units, {}, [](const GradientUnit& unit) { return unit.kernels.back(); });
    return units;
}

void
CheckAwaitsLastAlone(const RecordedStage& stage)
{
    for (const uint32_t node : FindAwaited(stage))
    {
        if (!stage.IsOfLastMicroBatch(stage.PlaceOf(node)->pass))
        {
            RefuseAwaited(stage, node);
        }
    }
}

/// Of a backward pass, which begins with the head and ends with the embedding.
GradientUnit::Kind
GradientKindOf(PassSlot::Part part)
{
    if (part == PassSlot::Part::Before)
    {
        return GradientUnit::Kind::Head;
    }
    return part == PassSlot::Part::After ? GradientUnit::Kind::Embedding
                                         : GradientUnit::Kind::Layer;
}

std::string
NameOfGradients(const ExecutionGraph& graph, const GradientUnit& unit)
{
    // The names of all kernels of a unit begin with what the unit is, as in "micro-batch 0 layer 3
    // mlp weight gradient".
    constexpr std::string_view suffix = " weight gradient";
    std::string name(graph.Name(unit.kernels.front()));
    for (const uint32_t kernel : unit.kernels)
    {
        const std::string_view other = graph.Name(kernel);
        name.resize(static_cast<size_t>(
            std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first -
            name.begin()));
    }
    name.resize(name.ends_with(suffix) ? name.size() - suffix.size() : name.size());
    name.resize(name.find_last_not_of(' ') + 1);
    return name;
}

uint64_t
CountUpdated(const RecordedStage& stage)
{
    const uint64_t numbers = CountOptimizerNumbers(stage.Graph());
    if (numbers == 0)
    {
        throw ConfigError("what-if: dp",
                          fmt::format("{}: no kernel says how many parameters the optimizer "
                                      "updates, so the gradients of a layer are unknown; a "
                                      "recording of two copies tells their sums",
                                      stage.Graph().Source()));
    }
    return numbers;
}

} // namespace nadi
