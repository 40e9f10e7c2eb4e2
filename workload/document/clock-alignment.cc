// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/clock-alignment.h"

#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

int64_t
TypeOf(const Node& node)
{
    return ToInteger(GetAttribute(node, NodeAttribute::CollectiveType)).value_or(-1);
}

bool
EndsForAllAtOnce(const Node& node)
{
    // Broadcasts and reductions are missing: some of their ranks may be done long before others.
    static const std::set<int64_t> TYPES{ChakraProtoMsg::ALL_REDUCE,
                                         ChakraProtoMsg::ALL_GATHER,
                                         ChakraProtoMsg::REDUCE_SCATTER,
                                         ChakraProtoMsg::ALL_TO_ALL,
                                         ChakraProtoMsg::BARRIER};
    const bool isOfHost = ToBool(GetAttribute(node, NodeAttribute::IsCpu)).value_or(false);
    return node.type() == ChakraProtoMsg::COMM_COLL_NODE && !isOfHost &&
           TYPES.contains(TypeOf(node));
}

std::string
DescribeCall(const Node& node)
{
    const int64_t type = TypeOf(node);
    std::string call = ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type));
    const auto bytes = ToInteger(GetAttribute(node, NodeAttribute::CommunicationSize));
    // The text must be the same on all ranks, and each rank of an all-to-all may send another size.
    if (bytes && type != ChakraProtoMsg::ALL_TO_ALL)
    {
        call += fmt::format(" of {} B", *bytes);
    }
    const std::string group = ToText(GetAttribute(node, NodeAttribute::Group));
    return group.empty() ? call : fmt::format("{} in group {}", call, group);
}

/// Data dependencies, which most readers take; control ones only where a trace has no others.
bool
UsesControlAlone(const TraceDocument& document)
{
    const auto hasData = [](const Node& node) { return node.data_deps_size() > 0; };
    const auto hasControl = [](const Node& node) { return node.ctrl_deps_size() > 0; };
    return std::none_of(document.nodes.begin(), document.nodes.end(), hasData) &&
           std::any_of(document.nodes.begin(), document.nodes.end(), hasControl);
}

std::unordered_set<uint64_t>
CollectIds(const TraceDocument& document)
{
    std::unordered_set<uint64_t> ids;
    for (const Node& node : document.nodes)
    {
        ids.insert(node.id());
    }
    return ids;
}

uint64_t
FindUnusedId(const TraceDocument& document)
{
    const std::unordered_set<uint64_t> used = CollectIds(document);
    uint64_t id = 0;
    // This ends, as there are fewer nodes than ids.
    while (used.contains(id))
    {
        ++id;
    }
    return id;
}

void
RaiseIds(TraceDocument& document)
{
    for (Node& node : document.nodes)
    {
        node.set_id(node.id() + 1);
        // Dependencies on ids that no node has grow too, or they would come to mean a node.
        for (auto* const list : {node.mutable_data_deps(), node.mutable_ctrl_deps()})
        {
            for (uint64_t& id : *list)
            {
                ++id;
            }
        }
    }
}

/// An id below all others, which may have to grow by one. Where they cannot grow, any other.
uint64_t
MakeLowestId(TraceDocument& document)
{
    constexpr uint64_t MOST = std::numeric_limits<uint64_t>::max();
    uint64_t lowest = MOST;
    uint64_t highest = 0;
    for (const Node& node : document.nodes)
    {
        lowest = std::min(lowest, node.id());
        highest = std::max(highest, node.id());
    }
    if (lowest > 0)
    {
        return lowest - 1;
    }
    if (highest == MOST)
    {
        return FindUnusedId(document);
    }
    RaiseIds(document);
    return 0;
}

/// A node of the host, on the thread of the host's first operation, where that has one.
Node
MakeWait(const TraceDocument& document, int64_t nanos)
{
    Node wait;
    wait.set_name(std::string(BEFORE_RECORDING));
    wait.set_type(ChakraProtoMsg::COMP_NODE);
    SetBool(wait, NodeAttribute::IsCpu, true);
    // Starts count from the begin of the job (MoveStarts).
    SetStartNanos(wait, 0);
    SetDurationNanos(wait, nanos);
    const Node* first = nullptr;
    for (const Node& node : document.nodes)
    {
        const bool hasThread = FindAttribute(node, NodeAttribute::Thread) != nullptr;
        if (hasThread && (first == nullptr || ClockStart(node) < ClockStart(*first)))
        {
            first = &node;
        }
    }
    if (first != nullptr)
    {
        const auto thread = ToInteger(GetAttribute(*first, NodeAttribute::Thread));
        SetNumber(wait, NodeAttribute::Thread, thread.value_or(0));
    }
    return wait;
}

void
MoveStarts(TraceDocument& document, int64_t nanos)
{
    const RecordedClock clock(document);
    for (Node& node : document.nodes)
    {
        if (clock.HasStart(node))
        {
            SetStartNanos(node, ClockStart(node) - clock.Begin() + nanos);
        }
    }
}

} // namespace

std::optional<FirstCollective>
FindFirstCollective(const TraceDocument& document)
{
    const RecordedClock clock(document);
    const Node* first = nullptr;
    for (const Node& node : document.nodes)
    {
        if (clock.HasStart(node) && EndsForAllAtOnce(node) &&
            (first == nullptr || ClockStart(node) < ClockStart(*first)))
        {
            first = &node;
        }
    }
    if (first == nullptr)
    {
        return std::nullopt;
    }
    return FirstCollective{.endNanos = ClockEnd(*first) - clock.Begin(),
                           .call = DescribeCall(*first)};
}

void
BeginLater(TraceDocument& document, int64_t nanos)
{
    // Also where the rank begins at once: starts have to become times since the begin of the job.
    MoveStarts(document, nanos);
    if (nanos == 0)
    {
        return;
    }
    const bool usesControl = UsesControlAlone(document);
    Node wait = MakeWait(document, nanos);
    wait.set_id(MakeLowestId(document));
    // After MakeLowestId, which may raise ids. Dependencies on absent ones hold nothing back.
    const std::unordered_set<uint64_t> ids = CollectIds(document);
    const auto isPresent = [&ids](uint64_t id) { return ids.contains(id); };
    for (Node& node : document.nodes)
    {
        auto& dependencies = usesControl ? *node.mutable_ctrl_deps() : *node.mutable_data_deps();
        if (std::ranges::none_of(dependencies, isPresent))
        {
            dependencies.Add(wait.id());
        }
    }
    document.nodes.insert(document.nodes.begin(), std::move(wait));
}

} // namespace nadi
