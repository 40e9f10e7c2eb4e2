// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gradient-sums.h"

#include "common/error.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/graph-changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

using Kind = GradientUnit::Kind;

/// What one stage tells of its parameters.
struct StageParameters
{
    std::vector<GradientUnit> units;
    uint64_t updated = 0;
    uint64_t layers = 0; ///< how many units are layers
    uint64_t ofLayers = 0;
    uint64_t columns = 0;                          ///< of matrices of layers
    std::optional<uint64_t> ofHead = std::nullopt; ///< nothing: it has none

    bool HasEmbedding() const
    {
        return std::ranges::count(units, Kind::Embedding, &GradientUnit::kind) > 0;
    }
};

StageParameters
CountParameters(const RecordedStage& stage)
{
    StageParameters found{.units = FindGradientUnits(stage), .updated = CountUpdated(stage)};
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
        }
    }
    return found;
}

/// The first product of a layer: its inner size, which tensor parallelism does not cut, and bytes
/// of its elements.
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

class SumsEditor
{
  public:
    SumsEditor(const Workload& job, const JobStructure& structure)
        : m_structure(structure)
        , m_result{job, std::vector<std::set<uint32_t>>(job.graphs.size()), {}}
    {
    }

    SummedJob Run()
    {
        for (const RankStructure& rank : m_structure.ranks)
        {
            if (rank.sameAs == rank.rank)
            {
                Analyse(rank);
            }
        }
        std::vector<std::pair<uint32_t, ExecutionGraph>> made;
        std::set<uint32_t> done;
        for (const RankStructure& rank : m_structure.ranks)
        {
            const uint32_t graph = m_result.job.graphOfRank[rank.rank];
            if (done.insert(graph).second)
            {
                made.emplace_back(graph, Change(rank));
            }
        }
        for (auto& [graph, changed] : made)
        {
            m_result.job.graphs[graph] = std::move(changed);
        }
        AddGroupsOfRanks();
        m_result.notes.emplace_back(
            "Gradients of copies are summed layer by layer. They have as many bytes as "
            "parameters; parameters beyond matrices (norms, biases) are dealt to the layers "
            "evenly");
        return std::move(m_result);
    }

  private:
    void Analyse(const RankStructure& rank)
    {
        m_stages[rank.rank] =
            std::make_unique<RecordedStage>(m_result.job.GraphOf(RankId{rank.rank}), rank);
        m_parameters[rank.rank] = CountParameters(*m_stages[rank.rank]);
    }

    /// Of the stages of a rank that has the same place in them: one without embedding and head
    /// tells most.
    uint64_t BeyondOfLayer(const RankStructure& rank, const LayerWidth& width, uint64_t row) const
    {
        const uint32_t stages = m_structure.degrees.pipeline.value_or(1);
        const uint32_t ofStage = m_result.job.RankCount() / stages;
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

    void SetParameters(const RankStructure& rank, const LayerWidth& width, StageParameters& stage)
    {
        const uint64_t row =
            std::max<uint64_t>(1, width.hidden / m_structure.degrees.tensor.value_or(1));
        const uint64_t beyond = BeyondOfLayer(rank, width, row);
        const uint64_t rest = Beyond(stage.updated, stage.ofLayers + stage.layers * beyond);
        for (GradientUnit& unit : stage.units)
        {
            switch (unit.kind)
            {
            case Kind::Layer:
                DealBeyond(beyond, unit);
                break;
            case Kind::Embedding:
                unit.dense.parameters = stage.ofHead ? *stage.ofHead : rest;
                break;
            case Kind::Head:
                unit.dense.parameters = stage.HasEmbedding() ? Beyond(rest, *stage.ofHead) : rest;
                break;
            }
        }
    }

    ExecutionGraph Change(const RankStructure& rank)
    {
        const RecordedStage& stage = *m_stages.at(rank.sameAs);
        const LayerWidth width = FindWidth(stage);
        StageParameters parameters = m_parameters.at(rank.sameAs);
        SetParameters(rank, width, parameters);
        GraphChanges changes = PutSumsIn(stage, parameters, width.elementBytes);
        SetGates(stage, changes);
        RegroupCalls(stage, changes);
        return RewriteGraph(stage.Graph(), changes);
    }

    static GraphChanges
    PutSumsIn(const RecordedStage& stage, const StageParameters& parameters, uint64_t gradientBytes)
    {
        GraphChanges changes;
        const ExecutionGraph& graph = stage.Graph();
        for (const GradientUnit& unit : parameters.units)
        {
            AddedCall sum;
            sum.call.name = NameOfGradients(graph, unit) + " gradients over dp";
            sum.call.node = {.size = unit.dense.parameters * gradientBytes,
                             .group = GroupOf(graph, AddedGroup::Copies),
                             .type = NodeType::Collective,
                             .collective = CollectiveType::AllReduce};
            sum.after = unit.kernels;
            sum.behind = unit.kernels.back();
            AddedCall ofExperts = sum;
            ofExperts.call.name = NameOfGradients(graph, unit) + " gradients over expert-dp";
            ofExperts.call.node.size = unit.experts.parameters * gradientBytes;
            ofExperts.call.node.group = GroupOf(graph, AddedGroup::ExpertCopies);
            for (AddedCall* const call : {&sum, &ofExperts})
            {
                if (call->call.node.size > 0)
                {
                    changes.added.push_back(std::move(*call));
                }
            }
        }
        return changes;
    }

    /// The groups that a graph gets, in this order.
    enum class AddedGroup : uint8_t
    {
        Copies,
        ExpertCopies,
        OfCopy, ///< the ranks of a copy
    };

    /// Behind those of a graph that has none of them yet.
    static uint32_t GroupOf(const ExecutionGraph& graph, AddedGroup group)
    {
        return static_cast<uint32_t>(graph.GroupNames().size() + static_cast<size_t>(group));
    }

    static void SetGates(const RecordedStage& stage, GraphChanges& changes)
    {
        for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
        {
            for (const uint32_t parent : stage.PlaceOf(node) ? TaskList() : stage.ParentsOf(node))
            {
                for (size_t sum = 0; sum < changes.added.size(); ++sum)
                {
                    const std::vector<uint32_t>& after = changes.added[sum].after;
                    std::vector<size_t>& gate = changes.gates[node];
                    if (std::ranges::count(after, parent) > 0 && std::ranges::count(gate, sum) == 0)
                    {
                        gate.push_back(sum);
                    }
                }
            }
        }
    }

    /// Calls of all ranks within passes are of the ranks of a copy.
    static void RegroupCalls(const RecordedStage& stage, GraphChanges& changes)
    {
        changes.groups = {FreeName(stage.Graph(), "dp"),
                          FreeName(stage.Graph(), "expert-dp"),
                          FreeName(stage.Graph(), "copy")};
        for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
        {
            const ExecutionNode& task = stage.Graph().Node(node);
            if (task.type == NodeType::Collective && task.group == 0 && stage.PlaceOf(node))
            {
                changes.groupOf[node] = GroupOf(stage.Graph(), AddedGroup::OfCopy);
            }
        }
    }

    static std::string FreeName(const ExecutionGraph& graph, std::string name)
    {
        while (std::ranges::count(graph.GroupNames(), name) > 0)
        {
            name += " of copies";
        }
        return name;
    }

    /// Of each rank, those of its copies to come, and that of its own copy.
    void AddGroupsOfRanks()
    {
        Workload& job = m_result.job;
        for (uint32_t graph = 0; graph < job.graphs.size(); ++graph)
        {
            const auto end = static_cast<uint32_t>(job.graphs[graph].GroupNames().size());
            m_result.groupsOfGraph[graph] = {end - 3, end - 2};
        }
        for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
        {
            const CommunicatorId own{static_cast<uint32_t>(job.communicators.size())};
            job.communicators.push_back({own, {RankId{rank}}});
            job.communicatorOfGroup[rank].insert(job.communicatorOfGroup[rank].end(),
                                                 {own, own, CommunicatorId{0}});
        }
    }

    const JobStructure& m_structure;
    SummedJob m_result;
    std::map<uint32_t, std::unique_ptr<RecordedStage>> m_stages; // by the first of equal ranks
    std::map<uint32_t, StageParameters> m_parameters;            // likewise
};

} // namespace

SummedJob
AddGradientSums(const Workload& job, const JobStructure& structure)
{
    return SumsEditor(job, structure).Run();
}

} // namespace nadi
