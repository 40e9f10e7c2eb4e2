// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/counted-parameters.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

using Kind = GradientUnit::Kind;

/// Of the first product of a layer, which multiplies the layer's inputs: its inner size is that of
/// the inputs, which tensor parallelism does not cut. With it go the bytes of its elements. Where
/// no kernel names sizes, one column of 16-bit numbers stands for it.
struct LayerWidth
{
    uint64_t hidden = 1;
    uint64_t elementBytes = 2;
};

LayerWidth
FindWidth(const RecordedStage& stage)
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

/// The difference, or 0 where rules claim more than the optimizer has: unsigned numbers would wrap.
uint64_t
Beyond(uint64_t all, uint64_t part)
{
    return all > part ? all - part : 0;
}

/// Of what a layer has beyond matrices its experts have biases, where there are enough for all
/// biases.
void
DealBeyond(uint64_t beyond, GradientUnit& unit)
{
    const bool hasBiases = beyond >= unit.dense.columns + unit.experts.columns;
    const uint64_t ofExperts = hasBiases ? unit.experts.columns : 0;
    unit.dense.parameters = unit.dense.matrices + beyond - ofExperts;
    unit.experts.parameters = unit.experts.matrices + ofExperts;
}

} // namespace

CountedParameters::CountedParameters(const Workload& job, const JobStructure& structure)
    : m_job(job)
    , m_structure(structure)
{
    for (const RankStructure& rank : structure.ranks)
    {
        // Equal ranks have equal counts.
        if (rank.sameAs == rank.rank)
        {
            m_stages[rank.rank] =
                std::make_unique<RecordedStage>(job.GraphOf(RankId{rank.rank}), rank);
            m_counts[rank.rank] = Count(*m_stages[rank.rank]);
        }
    }
}

bool
CountedParameters::StageCounts::HasEmbedding() const
{
    return std::ranges::count(units, Kind::Embedding, &GradientUnit::kind) > 0;
}

CountedParameters::StageCounts
CountedParameters::Count(const RecordedStage& stage)
{
    StageCounts found{.units = FindGradientUnits(stage),
                      .updated = CountUpdated(stage),
                      .hidden = FindWidth(stage).hidden,
                      .sequence = FindSequence(stage)};
    for (const GradientUnit& unit : found.units)
    {
        if (unit.kind == Kind::Layer)
        {
            ++found.layers;
            found.ofLayers += unit.dense.matrices + unit.experts.matrices;
            found.columns += unit.dense.columns + unit.experts.columns;
        }
        if (unit.kind == Kind::Head)
        {
            found.ofHead = found.ofHead.value_or(0) + unit.dense.matrices;
            found.headColumns += unit.dense.columns;
        }
        if (unit.kind == Kind::Embedding)
        {
            // A lookup makes its gradients without a product, so it adds nothing here.
            found.ofFirst += unit.dense.matrices;
            found.firstColumns += unit.dense.columns;
        }
    }
    return found;
}

/// Nothing where the stage has not both, an embedding and a head.
std::optional<EndsEvidence>
CountedParameters::FindEvidence(const StageCounts& stage)
{
    if (stage.layers == 0 || !stage.HasEmbedding() || !stage.ofHead)
    {
        return std::nullopt;
    }
    return EndsEvidence{.updated = stage.updated,
                        .layers = stage.layers,
                        .matrices = stage.ofLayers / stage.layers,
                        .columns = stage.columns / stage.layers,
                        .hidden = stage.hidden,
                        .head = *stage.ofHead,
                        .first = stage.ofFirst,
                        .sequence = stage.sequence};
}

/// Of a stage with both, an embedding and a head.
std::optional<ParameterRule>
CountedParameters::FindRule(const StageCounts& stage)
{
    const std::optional<EndsEvidence> evidence = FindEvidence(stage);
    return evidence ? FindParameterRule(*evidence) : std::nullopt;
}

/// Of a stage whose first kernels have matrices. Nothing where no rule is exact, or several are.
std::optional<CountedParameters::ColumnRule>
CountedParameters::FindColumnRule(const StageCounts& stage)
{
    if (stage.layers == 0 || stage.ofFirst == 0 || !stage.ofHead)
    {
        return std::nullopt;
    }
    // A column may have a bias, or a scale and a shift of a norm.
    constexpr uint64_t most = 2;
    std::vector<ColumnRule> rules;
    for (uint64_t ofHead = 0; ofHead <= most; ++ofHead)
    {
        for (uint64_t ofOthers = 0; ofOthers <= most; ++ofOthers)
        {
            const uint64_t matrices = stage.ofLayers + stage.ofFirst + *stage.ofHead;
            const uint64_t beyond =
                ofOthers * (stage.columns + stage.firstColumns) + ofHead * stage.headColumns;
            if (matrices + beyond == stage.updated)
            {
                rules.push_back({ofHead, ofOthers});
            }
        }
    }
    // Two rules that fit would deal the parameters differently, so neither counts.
    return rules.size() == 1 ? std::optional(rules.front()) : std::nullopt;
}

std::vector<GradientUnit>
CountedParameters::DealByColumns(const StageCounts& stage, const ColumnRule& rule)
{
    std::vector<GradientUnit> units = stage.units;
    for (GradientUnit& unit : units)
    {
        const uint64_t ofColumn = unit.kind == Kind::Head ? rule.ofHead : rule.ofOthers;
        for (GradientCount* const count : {&unit.dense, &unit.experts})
        {
            count->parameters = count->matrices + ofColumn * count->columns;
        }
    }
    return units;
}

/// What a layer of a stage with a head has beyond its matrices, where its norms, and biases or
/// none, are exactly what is left.
std::optional<uint64_t>
CountedParameters::FindRuleOfLayer(const StageCounts& stage, uint64_t beyond)
{
    for (const LayerForm& form : ListLayerForms(stage.hidden, stage.columns / stage.layers))
    {
        if (stage.layers * form.beyond + form.norm == beyond)
        {
            return form.beyond;
        }
    }
    return std::nullopt;
}

/// What a layer has beyond its matrices, as far as this stage tells. With a head, norms and biases
/// if they are all that is left; else all of it, once a norm of two vectors or of one is taken off
/// for the head, if that leaves whole rows for each layer. Nothing: an embedding takes an unknown
/// part.
std::optional<uint64_t>
CountedParameters::FindBeyondOfLayer(const StageCounts& stage, uint64_t row)
{
    if (stage.layers == 0 || (stage.HasEmbedding() && !stage.ofHead))
    {
        return std::nullopt;
    }
    if (const std::optional<ParameterRule> rule = FindRule(stage))
    {
        return rule->beyondOfLayer;
    }
    const uint64_t head = stage.ofHead.value_or(0);
    const std::optional<EndsEvidence> evidence = FindEvidence(stage);
    // A second large matrix is that of the embedding, which is as large as the head's.
    const uint64_t ends = head * (evidence && !HasSingleMatrix(*evidence) ? 2 : 1) + stage.ofFirst;
    const uint64_t beyond = Beyond(stage.updated, stage.ofLayers + ends);
    if (!stage.ofHead)
    {
        return beyond / stage.layers;
    }
    if (const std::optional<uint64_t> rule = FindRuleOfLayer(stage, beyond))
    {
        return rule;
    }
    for (const uint64_t norm : {2 * stage.hidden, stage.hidden})
    {
        if (beyond >= norm && (beyond - norm) % (stage.layers * row) == 0)
        {
            return (beyond - norm) / stage.layers;
        }
    }
    // What is no whole row is left to the ends.
    return beyond / stage.layers / row * row;
}

/// Parameters of the embedding of a stage with both, an embedding and a head; else nothing. What it
/// looks up has as many as the head's matrix, whether they share it or not.
std::optional<uint64_t>
CountedParameters::FindEmbedding(const StageCounts& stage)
{
    if (!stage.HasEmbedding() || !stage.ofHead)
    {
        return std::nullopt;
    }
    const std::optional<EndsEvidence> evidence = FindEvidence(stage);
    const std::optional<ParameterRule> rule = FindRule(stage);
    // There is no lookup only where the first kernels multiply by matrices and no second large one
    // is left. Else the table that is looked up counts as large as the head's matrix, also where it
    // is that matrix.
    const bool looksUp = !evidence || IsTied(*evidence) || !HasSingleMatrix(*evidence);
    return stage.ofFirst + (looksUp ? *stage.ofHead : 0) + (rule ? rule->positions : 0);
}

/// Of the stages of a rank that has the same place in them: one without embedding and head tells
/// most.
uint64_t
CountedParameters::BeyondOfLayer(const RankStructure& rank, uint64_t row) const
{
    const uint32_t stages = m_structure.degrees.pipeline.value_or(1);
    const uint32_t ofStage = m_job.RankCount() / stages;
    std::optional<uint64_t> found;
    bool isExact = false;
    for (const RankStructure& other : m_structure.ranks)
    {
        const StageCounts& stage = m_counts.at(other.sameAs);
        const bool isAlike = other.rank % ofStage == rank.rank % ofStage;
        const std::optional<uint64_t> beyond =
            isAlike ? FindBeyondOfLayer(stage, row) : std::nullopt;
        // A stage without a head tells this only if it has layers alone (FindBeyondOfLayer). That
        // is exact, and goes before what others tell.
        if (beyond && !isExact)
        {
            found = beyond;
            isExact = !stage.ofHead;
        }
    }
    return found.value_or(0);
}

std::vector<GradientUnit>
CountedParameters::UnitsOf(const RankStructure& rank) const
{
    const StageCounts& stage = m_counts.at(rank.sameAs);
    if (const std::optional<ColumnRule> rule = FindColumnRule(stage))
    {
        return DealByColumns(stage, *rule);
    }
    const uint64_t row =
        std::max<uint64_t>(1, stage.hidden / m_structure.degrees.tensor.value_or(1));
    const uint64_t beyond = BeyondOfLayer(rank, row);
    // What is left goes to the ends: to the embedding as far as its size is known, then to the
    // head.
    const uint64_t rest = Beyond(stage.updated, stage.ofLayers + stage.layers * beyond);
    const uint64_t embedding = FindEmbedding(stage).value_or(rest);
    std::vector<GradientUnit> units = stage.units;
    for (GradientUnit& unit : units)
    {
        switch (unit.kind)
        {
        case Kind::Layer:
            DealBeyond(beyond, unit);
            break;
        case Kind::Embedding:
            unit.dense.parameters = embedding;
            break;
        case Kind::Head:
            unit.dense.parameters = stage.HasEmbedding() ? Beyond(rest, embedding) : rest;
            break;
        }
    }
    return units;
}

std::string
CountedParameters::DescribeEnds() const
{
    for (const auto& [rank, stage] : m_counts)
    {
        if (const auto evidence = FindEvidence(stage))
        {
            return NoteOfEnds(*evidence);
        }
    }
    return "";
}

std::string
CountedParameters::DescribeBeyond() const
{
    for (const auto& [rank, stage] : m_counts)
    {
        if (const std::optional<ColumnRule> rule = FindColumnRule(stage))
        {
            return fmt::format("parameters beyond matrices (norms, biases) are exactly {} for each "
                               "column of a matrix, and {} for each column of the head's",
                               rule->ofOthers,
                               rule->ofHead);
        }
    }
    return "parameters beyond matrices (norms, biases) are dealt to the layers evenly";
}

uint64_t
CountedParameters::ElementBytesOf(const RankStructure& rank) const
{
    return FindWidth(StageOf(rank)).elementBytes;
}

std::string
NoteOfParameters(const CountedOrReason& count)
{
    return count.counted
               ? "No gradients are summed, so the parameters of a layer are counted: those of the "
                 "matrices of its kernels, and an even part of what the optimizer updates beyond "
                 "them"
               : fmt::format("The parameters of a layer cannot be counted, so kernels of the "
                             "optimizer are taken to grow with the operations of a forward pass: "
                             "{}",
                             count.whyNot);
}

CountedOrReason
TryToCountParameters(const Workload& job, const JobStructure& structure)
{
    const auto isOfCopies = [](const GroupUse& use) { return use.role == GroupRole::Data; };
    // The reason is shown only where sums of gradients tell nothing of single layers.
    if (std::ranges::any_of(structure.groups, isOfCopies))
    {
        return {std::nullopt, "no sum of gradients is of a layer"};
    }
    try
    {
        return {CountedParameters(job, structure), ""};
    }
    catch (const ConfigError& error)
    {
        return {std::nullopt, error.Problem()}; // as where kernels have no shapes
    }
}

} // namespace nadi
