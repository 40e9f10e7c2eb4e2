// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_RANKS_NAMED = 4;
// The text names so many nodes of a cycle. The finding itself, and so the JSON, has all of them.
constexpr size_t MOST_OF_CYCLE = 64;

std::string
NameTheNode(const TraceNodeName& node)
{
    return fmt::format("{} \"{}\"", node.id, node.name);
}

/// Empty for a finding that is about no rank.
std::string
NameRanks(const std::vector<uint32_t>& ranks)
{
    if (ranks.empty())
    {
        return "";
    }
    const auto shown = static_cast<std::ptrdiff_t>(std::min(ranks.size(), MOST_RANKS_NAMED));
    return fmt::format(" ({} {}{})",
                       ranks.size() == 1 ? "rank" : "ranks",
                       fmt::join(ranks.begin(), ranks.begin() + shown, ", "),
                       ranks.size() > MOST_RANKS_NAMED
                           ? fmt::format(" and {} more", ranks.size() - MOST_RANKS_NAMED)
                           : "");
}

/// From the first node back to it; of a long cycle the nodes behind the first ones are only
/// counted.
std::string
NameCycle(const Finding& finding)
{
    std::string text = "nodes ";
    const size_t shown = std::min(finding.nodes.size(), MOST_OF_CYCLE);
    for (size_t step = 0; step < shown; ++step)
    {
        text += NameTheNode(finding.nodes[step]) + " -> ";
    }
    if (finding.count > shown)
    {
        text += fmt::format("({} more) -> ", finding.count - shown);
    }
    return text + std::to_string(finding.nodes.front().id);
}

std::string
NameNodes(const Finding& finding)
{
    if (finding.count == 0)
    {
        return "";
    }
    if (finding.isCycle)
    {
        return NameCycle(finding) + " ";
    }
    if (finding.count == 1)
    {
        return "node " + NameTheNode(finding.nodes.front()) + " ";
    }
    std::string text = fmt::format("each of {} nodes (", finding.count);
    for (size_t node = 0; node < finding.nodes.size(); ++node)
    {
        text += (node == 0 ? "" : ", ") + NameTheNode(finding.nodes[node]);
    }
    return text + (finding.count > finding.nodes.size() ? ", ...) " : ") ");
}

} // namespace

std::string
DescribeFinding(const Finding& finding)
{
    return fmt::format(
        "{}{}: {}{}", finding.where, NameRanks(finding.ranks), NameNodes(finding), finding.text);
}

std::vector<Finding>
MergeFindings(const std::vector<Finding>& findings)
{
    struct Place
    {
        size_t at = 0;
        size_t files = 0;
    };

    std::vector<Finding> merged;
    std::map<std::pair<Severity, std::string>, Place> known;
    for (const Finding& finding : findings)
    {
        const auto [place, isNew] =
            known.try_emplace({finding.severity, finding.text}, Place{merged.size(), 0});
        // Each cycle stays a finding of its own, as its nodes are what matters.
        if (isNew || finding.isCycle)
        {
            merged.push_back(finding);
        }
        else
        {
            Finding& first = merged[place->second.at];
            first.count += finding.count;
            first.ranks.insert(first.ranks.end(), finding.ranks.begin(), finding.ranks.end());
        }
        // A cycle is of one file, so it gets no "and 3 more files".
        place->second.files += finding.isCycle ? 0 : 1;
    }
    for (const auto& [key, place] : known)
    {
        if (place.files > 1)
        {
            merged[place.at].where += fmt::format(
                " and {} more {}", place.files - 1, place.files == 2 ? "file" : "files");
        }
    }
    return merged;
}

} // namespace nadi
