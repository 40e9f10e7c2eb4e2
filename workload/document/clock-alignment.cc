// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/clock-alignment.h"

#include "workload/document/node-attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// Sums of a few such times fit 63 bits. It is 73 years, and clocks count from 1970.
constexpr int64_t LATEST_NANOS = int64_t{1} << 61U;

/// What is no time of a clock is cut, so that it has a place among the others.
int64_t
ClockStart(const Node& node)
{
    return std::clamp(GetStartNanos(node), int64_t{0}, LATEST_NANOS);
}

int64_t
ClockEnd(const Node& node)
{
    return ClockStart(node) + std::min(GetDurationNanos(node), LATEST_NANOS);
}

int64_t
FindBegin(const TraceDocument& document)
{
    int64_t begin = LATEST_NANOS;
    for (const Node& node : document.nodes)
    {
        begin = std::min(begin, ClockStart(node));
    }
    return begin;
}

std::string
DescribeCall(const Node& node)
{
    const auto type = ToInteger(GetAttribute(node, NodeAttribute::CollectiveType)).value_or(-1);
    const bool isKnown = type >= 0 && type < ChakraProtoMsg::CollectiveCommType_ARRAYSIZE;
    const std::string name =
        isKnown ? ChakraProtoMsg::CollectiveCommType_Name(static_cast<int>(type)) : "collective";
    const std::string group = ToText(GetAttribute(node, NodeAttribute::Group));
    return group.empty() ? name : fmt::format("{} of group {}", name, group);
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

/// A node of the host, on the thread of the host's first operation, where that has one.
Node
MakeWait(const TraceDocument& document, int64_t nanos)
{
    Node wait;
    wait.set_name("before the recording");
    wait.set_type(ChakraProtoMsg::COMP_NODE);
    SetBool(wait, NodeAttribute::IsCpu, true);
    SetStartNanos(wait, 0);
    SetDurationNanos(wait, nanos);
    uint64_t id = 0;
    const Node* first = nullptr;
    for (const Node& node : document.nodes)
    {
        id = std::max(id, node.id() + 1);
        const bool hasThread = FindAttribute(node, NodeAttribute::Thread) != nullptr;
        if (hasThread && (first == nullptr || ClockStart(node) < ClockStart(*first)))
        {
            first = &node;
        }
    }
    wait.set_id(id);
    if (first != nullptr)
    {
        const auto thread = ToInteger(GetAttribute(*first, NodeAttribute::Thread));
        SetNumber(wait, NodeAttribute::Thread, thread.value_or(0));
    }
    return wait;
}

} // namespace

std::optional<FirstCollective>
FindFirstCollective(const TraceDocument& document)
{
    const Node* first = nullptr;
    for (const Node& node : document.nodes)
    {
        const bool isCollective = node.type() == ChakraProtoMsg::COMM_COLL_NODE;
        if (isCollective && (first == nullptr || ClockStart(node) < ClockStart(*first)))
        {
            first = &node;
        }
    }
    if (first == nullptr)
    {
        return std::nullopt;
    }
    return FirstCollective{.endNanos = ClockEnd(*first) - FindBegin(document),
                           .call = DescribeCall(*first)};
}

void
BeginLater(TraceDocument& document, int64_t nanos)
{
    const int64_t begin = FindBegin(document);
    const bool usesControl = UsesControlAlone(document);
    Node wait = MakeWait(document, nanos);
    for (Node& node : document.nodes)
    {
        SetStartNanos(node, ClockStart(node) - begin + nanos);
        auto& dependencies = usesControl ? *node.mutable_ctrl_deps() : *node.mutable_data_deps();
        if (nanos > 0 && dependencies.empty())
        {
            dependencies.Add(wait.id());
        }
    }
    if (nanos > 0)
    {
        document.nodes.push_back(std::move(wait));
    }
}

} // namespace nadi
