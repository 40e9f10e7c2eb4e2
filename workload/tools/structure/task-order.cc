// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/task-order.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"
#include "workload/document/recorded-ranks.h"
#include "workload/tools/editing/iterations.h"
#include "workload/tools/structure/layer-spans.h"
#include "workload/tools/structure/task-signature.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

/// Whether the node is a kernel, an operator, a collective, a message or an access to memory.
bool
TakesTime(const ExecutionNode& node)
{
    return node.type != NodeType::Invalid && node.type != NodeType::Metadata &&
           node.type != NodeType::Delay;
}

/// In their order: those of the accelerator, or also those of the host.
TaskList
SelectTasks(const ExecutionGraph& graph, const std::vector<uint32_t>& nodes, bool withHost)
{
    TaskList tasks;
    std::ranges::copy_if(nodes,
                         std::back_inserter(tasks),
                         [&](uint32_t index)
                         {
                             const ExecutionNode& node = graph.Node(index);
                             return TakesTime(node) && (withHost || !node.isCpu);
                         });
    return tasks;
}

/// Iterations that repeat are found here from what they consist of, so only marks count. Without
/// marks FindIterations is not asked: it would look for repetition, and throw where there is none.
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

std::vector<NodeScope>
ReadNodeScopes(const TraceDocument& document)
{
    std::vector<NodeScope> scopes;
    for (size_t index = 0; index < document.nodes.size(); ++index)
    {
        const std::vector<std::string> path = GetScopes(document.nodes[index]);
        // The list of a trace without any scopes stays empty, as RecordedOrder::ScopeOf expects.
        if (!path.empty())
        {
            scopes.resize(document.nodes.size());
            scopes[index] = ReadScope(path);
        }
    }
    return scopes;
}

/// Whether each node comes behind all that it waits for.
template <typename Key>
bool
IsInOrderOf(const ExecutionGraph& graph, Key key)
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const auto isBefore = [&](uint32_t child) { return key(child) < key(node); };
        if (std::ranges::any_of(graph.Children(node), isBefore))
        {
            return false;
        }
    }
    return true;
}

/// Of the nodes, by index; none, where nothing is known of them.
template <typename Known>
void
Permute(std::vector<Known>& known, const std::vector<uint32_t>& order)
{
    std::vector<Known> permuted;
    for (size_t place = 0; place < known.size(); ++place)
    {
        permuted.push_back(std::move(known[order[place]]));
    }
    known = std::move(permuted);
}

bool
Holds(const std::string& text, std::string_view word)
{
    return text.find(word) != std::string::npos;
}

} // namespace

NodeScope
ReadScope(const std::vector<std::string>& scopes)
{
    NodeScope read;
    for (const std::string& scope : scopes)
    {
        read.layer = read.layer ? read.layer : FindLayerNumber(scope);
        read.isGradientSum |= Holds(scope, "AccumulateGrad");
        // A range of both passes, such as "forward_backward", says nothing.
        read.isBackward |= (NamesBackward(scope) && !Holds(scope, "forward")) ||
                           scope.starts_with("autograd::engine");
        // Scopes such as "Optimizer.zero_grad#Adam" name the optimizer, though nothing is updated
        // in them.
        read.isOptimizer |= NamesOptimizer(scope) && !Holds(scope, "zero_grad");
    }
    return read;
}

/// Requires: the graph was made of the document, so that a node has the same index in both.
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
    order.scopes = ReadNodeScopes(document);
    order.jobRanks = ReadRecordedRanks(document.metadata).value_or(0);
    return order;
}

std::vector<uint32_t>
FindProgramOrder(const ExecutionGraph& graph, const RecordedOrder& order)
{
    std::vector<uint32_t> nodes(graph.NodeCount());
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto idOf = [&graph](uint32_t node) { return graph.Node(node).id; };
    if (IsInOrderOf(graph, idOf))
    {
        std::ranges::stable_sort(nodes, {}, idOf);
        return nodes;
    }
    return IsInOrderOf(graph, std::identity()) ? nodes : graph.TopologicalOrderBy(order.startNanos);
}

TaskList
OrderTasks(const ExecutionGraph& graph, const RecordedOrder& order)
{
    const TaskList nodes = FindProgramOrder(graph, order);
    const TaskList tasks = SelectTasks(graph, nodes, false);
    return tasks.empty() || order.isOfHost ? SelectTasks(graph, nodes, true) : tasks;
}

void
PutInProgramOrder(ExecutionGraph& graph, RecordedOrder& order)
{
    const std::vector<uint32_t> nodes = FindProgramOrder(graph, order);
    if (!std::ranges::is_sorted(nodes))
    {
        // These lists are by index of the node, so they move with the nodes.
        graph = graph.InOrder(nodes);
        Permute(order.startNanos, nodes);
        Permute(order.iterations, nodes);
        Permute(order.scopes, nodes);
    }
}

} // namespace nadi
