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

void
CopyTimes(const Node& from, Node& to)
{
    // Older schemas have the duration in an attribute, which would contradict the field.
    RemoveAttribute(to, NodeAttribute::DurationMicros);
    SetDurationNanos(to, GetDurationNanos(from));
    // Where no start was measured, the old one stays.
    if (const int64_t start = GetStartNanos(from); start > 0)
    {
        SetStartNanos(to, start);
    }
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

TraceDocument
DurationMerge::MakeDocument(uint32_t rank)
{
    TraceDocument document = ReadDocument(m_traces[rank]);
    const TraceDocument measured = ReadDocument(m_measured[rank]);
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
            CopyTimes(*named->second.nodes[named->second.taken++], *node);
            ++matched;
        }
    }
    m_matched += matched;
    m_withoutMeasured += document.nodes.size() - matched;
    m_unusedMeasured += measured.nodes.size() - matched;
    return document;
}

std::vector<std::string>
DurationMerge::Notes() const
{
    std::vector<std::string> notes{fmt::format("{} nodes have their measured times", m_matched)};
    if (m_withoutMeasured > 0)
    {
        notes.push_back(fmt::format("{} nodes have no measured one of their name and place: they "
                                    "keep their times",
                                    m_withoutMeasured));
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
