// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/task-order.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/iterations.h"

#include <algorithm>
#include <string_view>

namespace nadi
{

namespace
{

bool
TakesTime(const ExecutionNode& node)
{
    return node.type != NodeType::Invalid && node.type != NodeType::Metadata &&
           node.type != NodeType::Delay;
}

TaskList
SelectTasks(const ExecutionGraph& graph, bool ofHost)
{
    TaskList tasks;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (TakesTime(node) && node.isCpu == ofHost)
        {
            tasks.push_back(index);
        }
    }
    return tasks;
}

/// Iterations that repeat are found here from what they consist of, so only marks count.
std::vector<int64_t>
FindMarkedIterations(const TraceDocument& document, const ExecutionGraph& graph)
{
    const auto isStep = [](const ChakraProtoMsg::Node& node)
    {
        return FindNamed(node, "iteration") != nullptr ||
               std::string_view(node.name()).find("ProfilerStep#") != std::string_view::npos;
    };
    if (std::ranges::none_of(document.nodes, isStep))
    {
        return {};
    }
    return FindIterations(document, graph).ofNode;
}

/// Writers that know no starts leave them 0.
bool
HasStart(const ChakraProtoMsg::Node& node)
{
    return node.start_time_micros() != 0 || FindNamed(node, "start_nanos") != nullptr;
}

} // namespace

RecordedOrder
ReadRecordedOrder(const TraceDocument& document, const ExecutionGraph& graph)
{
    RecordedOrder order;
    if (std::ranges::any_of(document.nodes, HasStart))
    {
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            order.startNanos.push_back(GetStartNanos(node));
        }
    }
    order.iterations = FindMarkedIterations(document, graph);
    return order;
}

TaskList
OrderTasks(const ExecutionGraph& graph, const RecordedOrder& order)
{
    TaskList tasks = SelectTasks(graph, false);
    if (tasks.empty())
    {
        tasks = SelectTasks(graph, true);
    }
    if (!order.startNanos.empty())
    {
        std::ranges::stable_sort(
            tasks, {}, [&order](uint32_t index) { return order.startNanos[index]; });
    }
    return tasks;
}

} // namespace nadi
