// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/job-diff.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

using DiffJson = nlohmann::ordered_json;

DiffJson
ToDiffJson(const std::vector<ChangedValue>& values)
{
    DiffJson list = DiffJson::array();
    for (const ChangedValue& value : values)
    {
        DiffJson entry{{"name", value.name}, {"from", nullptr}, {"to", nullptr}};
        if (value.from)
        {
            entry["from"] = *value.from;
        }
        if (value.to)
        {
            entry["to"] = *value.to;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

DiffJson
ToDiffJson(const std::vector<TraceNodeName>& nodes)
{
    DiffJson list = DiffJson::array();
    for (const TraceNodeName& node : nodes)
    {
        list.push_back({{"id", node.id}, {"name", node.name}});
    }
    return list;
}

DiffJson
ToDiffJson(const std::vector<ChangedNode>& nodes)
{
    DiffJson list = DiffJson::array();
    for (const ChangedNode& node : nodes)
    {
        list.push_back({{"name", node.from.name},
                        {"id_a", node.from.id},
                        {"id_b", node.to.id},
                        {"attributes", ToDiffJson(node.values)},
                        {"dependencies_only_in_a", node.dependenciesRemoved},
                        {"dependencies_only_in_b", node.dependenciesAdded}});
    }
    return list;
}

DiffJson
ToDiffJson(const TraceDiff& diff)
{
    return {{"equal", diff.AreEqual()},
            {"nodes_a", diff.nodesInFirst},
            {"nodes_b", diff.nodesInSecond},
            {"only_in_a_count", diff.onlyInFirstCount},
            {"only_in_b_count", diff.onlyInSecondCount},
            {"changed_count", diff.changedCount},
            {"changed_attributes_count", diff.changedValuesCount},
            {"changed_dependencies_count", diff.changedDependencyCount},
            {"changed_names", diff.changedNames},
            {"metadata", ToDiffJson(diff.metadata)},
            {"only_in_a", ToDiffJson(diff.onlyInFirst)},
            {"only_in_b", ToDiffJson(diff.onlyInSecond)},
            {"changed", ToDiffJson(diff.changed)}};
}

/// Requires: the job has a groups file.
NamedGroups
ReadNamedGroups(const ComparedJob& job)
{
    const auto ranks = static_cast<uint32_t>(job.files.size());
    return {.groups = ReadGroupsFile(*job.groupsFile, ranks), .rankCount = ranks};
}

} // namespace

bool
JobDiff::AreEqual() const
{
    return ranksInFirst == ranksInSecond &&
           std::ranges::all_of(ranks, [](const TraceDiff& rank) { return rank.AreEqual(); });
}

JobDiff
CompareJobs(const ComparedJob& first, const ComparedJob& second)
{
    JobDiff diff{
        .ranksInFirst = first.files.size(), .ranksInSecond = second.files.size(), .ranks = {}};
    std::optional<ComparedGroups> groups;
    // Where one side has no groups file, the ranks of its groups are not known, and names are
    // compared.
    if (first.groupsFile && second.groupsFile)
    {
        groups = ComparedGroups{ReadNamedGroups(first), ReadNamedGroups(second)};
    }
    // Of ranks that only one job has nothing is told but their number.
    for (size_t rank = 0; rank < std::min(first.files.size(), second.files.size()); ++rank)
    {
        diff.ranks.push_back(CompareDocuments(ReadDocument(first.files[rank]),
                                              ReadDocument(second.files[rank]),
                                              groups ? &*groups : nullptr));
    }
    return diff;
}

std::string
FormatDiffJson(const JobDiff& diff)
{
    DiffJson json{{"equal", diff.AreEqual()},
                  {"ranks_a", diff.ranksInFirst},
                  {"ranks_b", diff.ranksInSecond},
                  {"ranks", DiffJson::array()}};
    for (size_t rank = 0; rank < diff.ranks.size(); ++rank)
    {
        DiffJson entry{{"rank", rank}};
        entry.update(ToDiffJson(diff.ranks[rank]));
        json["ranks"].push_back(std::move(entry));
    }
    // Attributes may hold bytes that are no text, which JSON cannot hold.
    return json.dump(2, ' ', false, DiffJson::error_handler_t::replace) + "\n";
}

} // namespace nadi
