// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/duration-merge.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// Nodes by name, in the order of ids; taken from the front.
struct NamedNodes
{
    std::vector<const Node*> nodes;
    size_t taken = 0;
};

template <class Nodes>
auto
SortById(Nodes& nodes)
{
    std::vector<decltype(&nodes.front())> sorted;
    for (auto& node : nodes)
    {
        sorted.push_back(&node);
    }
    std::stable_sort(sorted.begin(),
                     sorted.end(),
                     [](const Node* left, const Node* right) { return left->id() < right->id(); });
    return sorted;
}

/// Whether the duration was measured, which may be 0 where the node was seen to begin.
bool
HasDuration(const Node& node)
{
    return GetDurationNanos(node) > 0 || GetStartNanos(node) != 0 ||
           FindAttribute(node, NodeAttribute::DurationNanos) != nullptr ||
           FindAttribute(node, NodeAttribute::WaitNanos) != nullptr;
}

} // namespace

DurationMerge::DurationMerge(std::vector<std::string> traces,
                             std::vector<std::string> measured,
                             ProcessGroups groups)
    : m_traces(std::move(traces))
    , m_measured(std::move(measured))
    , m_groups(std::move(groups))
{
    if (m_traces.size() != m_measured.size())
    {
        throw ConfigError(m_measured.front(),
                          fmt::format("measured traces are of {} ranks, the others of {}; give "
                                      "as many",
                                      m_measured.size(),
                                      m_traces.size()));
    }
}

uint32_t
DurationMerge::RankCount() const
{
    return static_cast<uint32_t>(m_traces.size());
}

ProcessGroups
DurationMerge::Groups() const
{
    return m_groups;
}

/// Where no start was measured, the old one stays, and likewise the duration.
void
DurationMerge::CopyTimes(const Node& from, const RecordedClock& clock, Node& to)
{
    if (clock.HasStart(from))
    {
        SetStartNanos(to, GetStartNanos(from));
    }
    if (!HasDuration(from))
    {
        ++m_unmeasured;
        return;
    }
    ++m_measuredNodes;
    const int64_t duration = GetDurationNanos(from);
    m_lost += GetDurationNanos(to) > 0 && duration == 0 ? 1 : 0;
    SetDurationNanos(to, duration);
    CopyWait(from, to);
}

/// A wait without its duration would say nothing, so an old one never stays.
void
DurationMerge::CopyWait(const Node& from, Node& to)
{
    const auto* const measured = FindAttribute(from, NodeAttribute::WaitNanos);
    const bool hadWait = FindAttribute(to, NodeAttribute::WaitNanos) != nullptr;
    RemoveAttribute(to, NodeAttribute::WaitNanos);
    if (measured != nullptr)
    {
        *to.add_attr() = *measured;
    }
    m_lostWaits += hadWait && measured == nullptr ? 1 : 0;
}

TraceDocument
DurationMerge::MakeDocument(uint32_t rank)
{
    TraceDocument document = ReadDocument(m_traces[rank]);
    const TraceDocument measured = ReadDocument(m_measured[rank]);
    const RecordedClock clock(measured);
    std::unordered_map<std::string_view, NamedNodes> byName;
    for (const Node* const node : SortById(measured.nodes))
    {
        byName[node->name()].nodes.push_back(node);
    }
    uint64_t matched = 0;
    // Nodes of one name meet by id, as files may list their nodes in any order.
    for (Node* const node : SortById(document.nodes))
    {
        const auto named = byName.find(node->name());
        if (named != byName.end() && named->second.taken < named->second.nodes.size())
        {
            CopyTimes(*named->second.nodes[named->second.taken++], clock, *node);
            ++matched;
        }
    }
    m_withoutMeasured += document.nodes.size() - matched;
    m_unusedMeasured += measured.nodes.size() - matched;
    return document;
}

std::vector<std::string>
DurationMerge::Notes() const
{
    std::vector<std::string> notes{
        fmt::format("{} nodes have their measured times", m_measuredNodes)};
    if (m_withoutMeasured > 0)
    {
        notes.push_back(fmt::format("{} nodes have no measured one of their name and place: they "
                                    "keep their times",
                                    m_withoutMeasured));
    }
    if (m_unmeasured > 0)
    {
        notes.push_back(fmt::format("{} nodes have a counterpart without start and duration: they "
                                    "keep their durations",
                                    m_unmeasured));
    }
    if (m_lost > 0)
    {
        notes.push_back(
            fmt::format("{} nodes that had a duration have a measured one of 0", m_lost));
    }
    if (m_lostWaits > 0)
    {
        notes.push_back(fmt::format("{} nodes lose what they waited for other ranks "
                                    "(waited_nanos), as their measured ones do not say it",
                                    m_lostWaits));
    }
    if (m_unusedMeasured > 0)
    {
        notes.push_back(fmt::format("{} measured nodes have no counterpart: their times are not "
                                    "used",
                                    m_unusedMeasured));
    }
    return notes;
}

} // namespace nadi
