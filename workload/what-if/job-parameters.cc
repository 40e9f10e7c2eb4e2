// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/job-parameters.h"

#include <algorithm>

namespace nadi
{

namespace
{

using UnitKind = GradientUnit::Kind;

StageParameters
CountParameters(const RecordedStage& stage)
{
    StageParameters found{.units = FindGradientUnits(stage), .updated = CountUpdated(stage)};
    for (const GradientUnit& unit : found.units)
    {
        if (unit.kind == UnitKind::Layer)
        {
            ++found.layers;
            found.ofLayers += unit.matrices;
            found.columns += unit.columns;
        }
        if (unit.kind == UnitKind::Head)
        {
            found.ofHead = found.ofHead.value_or(0) + unit.matrices;
        }
    }
    return found;
}

uint64_t
Beyond(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0;
}

/// What a layer has beyond its matrices, as far as this stage tells: all that is left, once a norm
/// of two vectors or of one is taken off for a head, if that leaves whole rows for each layer.
/// Nothing: an embedding takes an unknown part.
std::optional<uint64_t>
FindBeyondOfLayer(const StageParameters& stage, const LayerWidth& width, uint64_t row)
{
    if (stage.layers == 0 || (stage.HasEmbedding() && !stage.ofHead))
    {
        return std::nullopt;
    }
    const uint64_t head = stage.ofHead.value_or(0);
    const bool isTied = IsTied({.updated = stage.updated,
                                .layers = stage.layers,
                                .matrices = stage.ofLayers / stage.layers,
                                .columns = stage.columns / stage.layers,
                                .hidden = width.hidden,
                                .head = head});
    const uint64_t ends = head * (stage.HasEmbedding() && !isTied ? 2 : 1);
    const uint64_t beyond = Beyond(stage.updated, stage.ofLayers + ends);
    if (!stage.ofHead)
    {
        return beyond / stage.layers;
    }
    for (const uint64_t norm : {2 * width.hidden, width.hidden})
    {
        if (beyond >= norm && (beyond - norm) % (stage.layers * row) == 0)
        {
            return (beyond - norm) / stage.layers;
        }
    }
    return beyond / stage.layers / row * row;
}

} // namespace

bool
StageParameters::HasEmbedding() const
{
    return std::ranges::count(units, UnitKind::Embedding, &GradientUnit::kind) > 0;
}

LayerWidth
FindLayerWidth(const RecordedStage& stage)
{
    const std::vector<LayerRunPass>& passes = stage.Rank().passes;
    for (const uint32_t task : passes.empty() ? TaskList() : passes.front().layers.front().tasks)
    {
        for (const KernelLaunch& kernel : stage.Graph().KernelsOf(stage.Graph().Node(task)))
        {
            const uint64_t numbers =
                kernel.m * kernel.k + kernel.k * kernel.n + kernel.m * kernel.n;
            if (kernel.op == KernelOp::Gemm && numbers > 0)
            {
                return {kernel.k, std::max<uint64_t>(1, kernel.bytes / numbers)};
            }
        }
    }
    return {};
}

JobParameters::JobParameters(const Workload& job, const JobStructure& structure)
    : m_structure(structure)
    , m_rankCount(job.RankCount())
{
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.sameAs == rank.rank)
        {
            m_stages[rank.rank] =
                std::make_unique<RecordedStage>(job.GraphOf(RankId{rank.rank}), rank);
            m_parameters[rank.rank] = CountParameters(*m_stages[rank.rank]);
        }
    }
}

/// Of the stages of a rank that has the same place in them: one without embedding and head
/// tells most.
uint64_t
JobParameters::BeyondOfLayer(const RankStructure& rank, const LayerWidth& width, uint64_t row) const
{
    const uint32_t stages = m_structure.degrees.pipeline.value_or(1);
    const uint32_t ofStage = m_rankCount / stages;
    std::optional<uint64_t> found;
    bool isExact = false;
    for (const RankStructure& other : m_structure.ranks)
    {
        const StageParameters& stage = m_parameters.at(other.sameAs);
        const bool isAlike = other.rank % ofStage == rank.rank % ofStage;
        const std::optional<uint64_t> beyond =
            isAlike ? FindBeyondOfLayer(stage, width, row) : std::nullopt;
        if (beyond && !isExact)
        {
            found = beyond;
            isExact = !stage.ofHead;
        }
    }
    return found.value_or(0);
}

StageParameters
JobParameters::CountFor(const RankStructure& rank) const
{
    const LayerWidth width = FindLayerWidth(StageOf(rank));
    StageParameters stage = m_parameters.at(rank.sameAs);
    const uint64_t row =
        std::max<uint64_t>(1, width.hidden / m_structure.degrees.tensor.value_or(1));
    const uint64_t beyond = BeyondOfLayer(rank, width, row);
    const uint64_t rest = Beyond(stage.updated, stage.ofLayers + stage.layers * beyond);
    for (GradientUnit& unit : stage.units)
    {
        switch (unit.kind)
        {
        case UnitKind::Layer:
            unit.parameters = unit.matrices + beyond;
            break;
        case UnitKind::Embedding:
            unit.parameters = stage.ofHead ? *stage.ofHead : rest;
            break;
        case UnitKind::Head:
            unit.parameters = stage.HasEmbedding() ? Beyond(rest, *stage.ofHead) : rest;
            break;
        }
    }
    return stage;
}

} // namespace nadi
