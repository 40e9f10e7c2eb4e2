// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/group-diff.h"

#include "workload/document/node-attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

/// A group as a node names it, with its ranks.
struct NodeGroup
{
    std::string name; ///< "": all ranks
    std::vector<uint32_t> ranks;

    std::string Text() const
    {
        return fmt::format("{} (ranks {})", name.empty() ? "all" : name, fmt::join(ranks, ", "));
    }
};

std::optional<NodeGroup>
FindGroup(const Node& node, const NamedGroups& groups)
{
    const std::string name = ToText(GetAttribute(node, NodeAttribute::Group));
    std::optional<std::vector<uint32_t>> ranks = groups.FindRanks(name);
    return ranks ? std::optional(NodeGroup{name, std::move(*ranks)}) : std::nullopt;
}

bool
NamesGroup(const ChangedValue& change)
{
    return FindNodeAttribute(change.name) == NodeAttribute::Group;
}

} // namespace

std::optional<std::vector<uint32_t>>
NamedGroups::FindRanks(const std::string& name) const
{
    std::vector<uint32_t> ranks(rankCount);
    std::iota(ranks.begin(), ranks.end(), 0U);
    if (MeansAllRanks(name))
    {
        return ranks;
    }
    const auto known = groups.find(name);
    if (known == groups.end())
    {
        return std::nullopt;
    }
    // An empty list means all ranks.
    return known->second.empty() ? ranks : known->second;
}

void
CompareGroups(const Node& first,
              const Node& second,
              const ComparedGroups& groups,
              std::vector<ChangedValue>& changes)
{
    // Most nodes name no group. Where only one of the two does, the other one means all ranks.
    if (FindAttribute(first, NodeAttribute::Group) == nullptr &&
        FindAttribute(second, NodeAttribute::Group) == nullptr)
    {
        return;
    }
    const std::optional<NodeGroup> from = FindGroup(first, groups.first);
    const std::optional<NodeGroup> to = FindGroup(second, groups.second);
    // The comparison of names stands where the ranks of one side are not known.
    if (!from || !to)
    {
        return;
    }
    // The ranks decide, so what the comparison of names has found is taken back.
    std::erase_if(changes, NamesGroup);
    if (from->ranks != to->ranks)
    {
        changes.push_back({std::string(ToText(NodeAttribute::Group)), from->Text(), to->Text()});
    }
}

} // namespace nadi
