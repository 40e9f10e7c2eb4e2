// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/model-preset.h"
#include "workload/workload-model.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

/// \file
/// Generated jobs for tests, and what their traces add up to.

namespace nadi::test
{

/// The collectives that most tests of models count.
inline constexpr CollectiveType REDUCE = CollectiveType::AllReduce;
inline constexpr CollectiveType GATHER = CollectiveType::AllGather;

using ModelValues = std::map<std::string, std::string>;

/// `parameters` go before those of the preset.
inline Workload
MakeModelJob(const std::string& model, const ModelValues& parameters, const JobPlace& place)
{
    return Registry<WorkloadModel>::Instance().Make({model, parameters})->Make(place);
}

inline ModelValues
WithPreset(const std::string& preset, ModelValues parameters)
{
    ModelValues figures = FindModelPreset(preset)->parameters;
    parameters.merge(figures);
    return parameters;
}

/// What one graph calls.
struct CallSum
{
    uint64_t count = 0;
    uint64_t bytes = 0;

    bool operator==(const CallSum&) const = default;
};

inline std::ostream&
operator<<(std::ostream& stream, const CallSum& sum)
{
    return stream << sum.count << " calls of " << sum.bytes << " B";
}

inline bool
NameHas(const ExecutionGraph& graph, uint32_t node, const std::string& part)
{
    return graph.Name(node).find(part) != std::string_view::npos;
}

/// The calls of a collective on a group; `part` is in their names.
inline CallSum
SumCalls(const ExecutionGraph& graph,
         CollectiveType type,
         const std::string& group,
         const std::string& part = "")
{
    CallSum sum;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (node.type == NodeType::Collective && node.collective == type &&
            graph.GroupNames()[node.group] == group && NameHas(graph, index, part))
        {
            ++sum.count;
            sum.bytes += node.size;
        }
    }
    return sum;
}

/// The sends, or the receives.
inline CallSum
SumMessages(const ExecutionGraph& graph, NodeType type, const std::string& part = "")
{
    CallSum sum;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (graph.Node(index).type == type && NameHas(graph, index, part))
        {
            ++sum.count;
            sum.bytes += graph.Node(index).size;
        }
    }
    return sum;
}

/// The names of what the node of a name waits for. Requires: there is one such node.
inline std::set<std::string>
WaitsOf(const ExecutionGraph& graph, const std::string& name)
{
    std::set<std::string> waits;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        for (const uint32_t child : graph.Children(node))
        {
            if (graph.Name(child) == name)
            {
                waits.insert(std::string(graph.Name(node)));
            }
        }
    }
    return waits;
}

/// The operations of the kernels that have `part` in their names.
inline uint64_t
SumOperations(const ExecutionGraph& graph, const std::string& part = "")
{
    uint64_t sum = 0;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        sum += NameHas(graph, index, part) ? graph.Node(index).operations : 0;
    }
    return sum;
}

/// The bytes of the nodes that have `part` in their names.
inline uint64_t
SumBytes(const ExecutionGraph& graph, const std::string& part)
{
    uint64_t sum = 0;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        sum += NameHas(graph, index, part) ? graph.Node(index).size : 0;
    }
    return sum;
}

/// Over all ranks of the job.
inline uint64_t
SumAllOperations(const Workload& job, const std::string& part = "")
{
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        sum += SumOperations(job.GraphOf(RankId{rank}), part);
    }
    return sum;
}

} // namespace nadi::test
