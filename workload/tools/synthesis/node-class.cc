// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/node-class.h"

#include "common/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

std::string
DescribeType(NodeType type)
{
    switch (type)
    {
    case NodeType::Invalid:
        return "no type";
    case NodeType::Metadata:
        return "metadata";
    case NodeType::MemoryLoad:
        return "memory load";
    case NodeType::MemoryStore:
        return "memory store";
    case NodeType::Compute:
        return "compute";
    case NodeType::Send:
        return "send";
    case NodeType::Receive:
        return "receive";
    case NodeType::Collective:
        return "collective";
    case NodeType::Delay:
        return "delay";
    case NodeType::Milestone:
        return "milestone";
    }
    NADI_CHECK(!"a type of node");
    return "";
}

/// Whether communicators of other families have as many ranks.
bool
HasRelatives(const MasterTrace& master, const MasterChannel& channel)
{
    return std::any_of(master.channels.begin(),
                       master.channels.end(),
                       [&channel](const MasterChannel& other)
                       {
                           return other.family != channel.family &&
                                  other.isOfMessages == channel.isOfMessages &&
                                  other.ranks.size() == channel.ranks.size();
                       });
}

/// All calls of a series have one type and as many ranks, so any of them tells both.
std::string
DescribeCall(const NodeClass& nodeClass, const MasterTrace& master)
{
    const auto call =
        std::find_if(master.calls.begin(),
                     master.calls.end(),
                     [&](const MasterCall& one) { return one.series == nodeClass.series; });
    NADI_CHECK(call != master.calls.end());
    const MasterChannel& channel = master.channels[call->channel];
    std::string text =
        nodeClass.type == NodeType::Collective
            ? fmt::format("{} of {} ranks", ToText(call->collective), channel.ranks.size())
            : DescribeType(nodeClass.type);
    if (HasRelatives(master, channel))
    {
        text += fmt::format(" (family {})", channel.family);
    }
    return text;
}

} // namespace

NodeClass
ClassOf(const ExecutionNode& node, const MasterCall* call)
{
    return {.type = node.type,
            .isCpu = node.isCpu,
            .isRemote = node.isRemote,
            .isLocationOpen = node.isLocationOpen,
            .stream = node.stream,
            .series = call == nullptr ? NodeClass::NO_SERIES : call->series};
}

std::string
Describe(const NodeClass& nodeClass, const MasterTrace& master)
{
    std::string text =
        nodeClass.IsCall() ? DescribeCall(nodeClass, master) : DescribeType(nodeClass.type);
    text += nodeClass.isRemote ? ", remote" : "";
    text += nodeClass.isCpu ? ", CPU" : "";
    if (nodeClass.isCpu && nodeClass.stream != 0)
    {
        text += fmt::format(", thread {}", nodeClass.stream);
    }
    else if (nodeClass.stream != 0)
    {
        // A node holds its stream plus 1, as 0 means that it names none.
        text += fmt::format(", stream {}", nodeClass.stream - 1);
    }
    return text;
}

/// The type of a node does not count for its lane: kernels and copies of one stream share a lane.
uint32_t
ClassTable::Find(const NodeClass& nodeClass)
{
    const auto [found, isNew] =
        m_numbers.try_emplace(nodeClass, static_cast<uint32_t>(m_classes.size()));
    if (isNew)
    {
        m_classes.push_back(nodeClass);
        const std::tuple lane(nodeClass.isCpu, nodeClass.IsCall(), nodeClass.stream);
        const auto next = static_cast<uint32_t>(m_laneNumbers.size());
        const uint32_t number = m_laneNumbers.try_emplace(lane, next).first->second;
        m_lanes.push_back(std::min(number, MOST_LANES - 1));
    }
    return found->second;
}

} // namespace nadi
