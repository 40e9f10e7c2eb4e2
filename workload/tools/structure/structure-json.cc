// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/structure-json.h"

#include <nlohmann/json.hpp>

namespace nadi
{

namespace
{

using StructureJson = nlohmann::ordered_json;

/// Tasks are told by the ids of the trace file: their places in a graph mean nothing to a reader.
StructureJson
ToIds(const ExecutionGraph& graph, const TaskList& tasks)
{
    StructureJson ids = StructureJson::array();
    for (const uint32_t task : tasks)
    {
        ids.push_back(graph.Node(task).id);
    }
    return ids;
}

StructureJson
ToJson(const std::optional<uint32_t>& degree)
{
    return degree ? StructureJson(*degree) : StructureJson(nullptr);
}

StructureJson
ToJson(const LayerKind& kind)
{
    return {{"direction", kind.isForward ? "forward" : "backward"},
            {"tasks", kind.taskCount},
            {"by_type", kind.tasksByType},
            {"passes", kind.passes},
            {"operations", kind.operations},
            {"kernel_ns", kind.nanos}};
}

StructureJson
ToJson(const ExecutionGraph& graph, const LayerRunPass& pass)
{
    StructureJson layers = StructureJson::array();
    for (const LayerPass& layer : pass.layers)
    {
        layers.push_back({{"layer", layer.layer},
                          {"kind", layer.kind},
                          {"tasks", ToIds(graph, layer.tasks)},
                          {"extra", ToIds(graph, layer.extra)}});
    }
    return {{"direction", pass.isForward ? "forward" : "backward"},
            {"iteration", pass.iteration},
            {"micro_batch", pass.microBatch},
            {"chunk", pass.chunk},
            {"before", ToIds(graph, pass.before)},
            {"layers", std::move(layers)},
            {"after", ToIds(graph, pass.after)}};
}

StructureJson
ToJson(const RankStructure& rank, const ExecutionGraph& graph)
{
    StructureJson entry{{"rank", rank.rank},
                        {"stage", rank.stage},
                        {"same_as", rank.sameAs},
                        {"evidence", ToText(rank.evidence)},
                        {"kernels_in_layers", rank.covered}};
    // Ranks of equal tasks name the one that has the lists.
    if (rank.sameAs == rank.rank)
    {
        entry["tasks"] = rank.tasks.size();
        entry["kinds"] = StructureJson::array();
        for (const LayerKind& kind : rank.kinds)
        {
            entry["kinds"].push_back(ToJson(kind));
        }
        entry["passes"] = StructureJson::array();
        for (const LayerRunPass& pass : rank.passes)
        {
            entry["passes"].push_back(ToJson(graph, pass));
        }
        entry["head"] = ToIds(graph, rank.head);
        entry["optimizer"] = ToIds(graph, rank.optimizer);
    }
    return entry;
}

StructureJson
ToJson(const GroupUse& use)
{
    return {{"group", use.name},
            {"role", ToText(use.role)},
            {"ranks", use.ranks},
            {"calls", use.calls},
            {"size", use.bytes}};
}

} // namespace

std::string
FormatStructureJson(const JobStructure& structure, const Workload& workload)
{
    const FoundDegrees& degrees = structure.degrees;
    StructureJson entry{{"layers", structure.layers},
                        {"evidence", ToText(structure.evidence)},
                        {"confidence", structure.confidence},
                        {"iterations", structure.iterations},
                        {"micro_batches", structure.microBatches},
                        {"chunks", structure.chunks},
                        {"schedule", nullptr},
                        {"backward", structure.hasBackward},
                        {"optimizer", structure.hasOptimizer},
                        {"sequence_parallelism", structure.hasSequenceParallelism},
                        {"degrees",
                         {{"tp", ToJson(degrees.tensor)},
                          {"cp", ToJson(degrees.context)},
                          {"dp", ToJson(degrees.data)},
                          {"pp", ToJson(degrees.pipeline)},
                          {"ep", ToJson(degrees.expert)}}}};
    if (structure.schedule)
    {
        entry["schedule"] = ToText(*structure.schedule);
    }
    entry["groups"] = StructureJson::array();
    for (const GroupUse& use : structure.groups)
    {
        entry["groups"].push_back(ToJson(use));
    }
    entry["ranks"] = StructureJson::array();
    for (const RankStructure& rank : structure.ranks)
    {
        entry["ranks"].push_back(ToJson(rank, workload.GraphOf(RankId{rank.rank})));
    }
    entry["notes"] = structure.notes;
    return entry.dump(1) + "\n";
}

} // namespace nadi
