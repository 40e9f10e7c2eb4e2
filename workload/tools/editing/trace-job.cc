// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/trace-job.h"

#include "common/check.h"
#include "workload/trace/group-resolver.h"
#include "workload/trace/trace-file.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

namespace
{

ProcessGroups
ReadJobGroups(const std::optional<std::string>& file, uint32_t rankCount, AbsentRanks absent)
{
    if (!file)
    {
        return {};
    }
    if (absent == AbsentRanks::Refused)
    {
        return ReadGroupsFile(*file, rankCount);
    }
    ProcessGroups groups = ReadGroupsFile(*file, std::numeric_limits<uint32_t>::max());
    LeaveOutAbsent(groups, rankCount, std::nullopt);
    return groups;
}

} // namespace

void
LeaveOutAbsent(ProcessGroups& groups, uint32_t rankCount, std::optional<uint32_t> own)
{
    for (auto group = groups.begin(); group != groups.end();)
    {
        std::vector<uint32_t>& ranks = group->second;
        if (ranks.empty()) // all ranks
        {
            ++group;
            continue;
        }
        std::erase_if(ranks, [rankCount](uint32_t rank) { return rank >= rankCount; });
        const bool isUseless =
            ranks.empty() || (own && std::ranges::find(ranks, *own) == ranks.end());
        group = isUseless ? groups.erase(group) : std::next(group);
    }
}

TraceDocument
TraceJob::ReadRank(uint32_t rank) const
{
    TraceDocument document = ReadDocument(files[rank]);
    NADI_CHECK(document.nodes.size() == GraphOf(rank).NodeCount());
    return document;
}

TraceDocument
TraceJob::ReadRankAsObeyed(uint32_t rank) const
{
    TraceDocument document = ReadRank(rank);
    if (dependencies[rank] == DependencyKinds::Data)
    {
        for (ChakraProtoMsg::Node& node : document.nodes)
        {
            node.clear_ctrl_deps();
        }
    }
    return document;
}

std::vector<uint32_t>
TraceJob::RanksOfGroup(uint32_t rank, uint32_t group) const
{
    const CommunicatorId id = workload.communicatorOfGroup[rank][group];
    std::vector<uint32_t> ranks;
    for (const RankId member : workload.communicators[id.value].ranks)
    {
        ranks.push_back(member.value);
    }
    return ranks;
}

TraceJob
ReadTraceJob(const std::vector<std::string>& files,
             const std::optional<std::string>& groupsFile,
             AbsentRanks absent)
{
    TraceJob job{.files = files, .workload = {}, .dependencies = {}};
    const auto rankCount = static_cast<uint32_t>(files.size());
    GroupResolver::GroupsOfGraphs ownGroups;
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        TraceFile trace = ReadTraceFile(files[rank], DependencyPolicy::Auto);
        job.workload.graphOfRank.push_back(rank);
        job.workload.graphs.push_back(std::move(trace.graph));
        job.dependencies.push_back(trace.facts.choice.kinds);
        if (absent == AbsentRanks::LeftOut)
        {
            LeaveOutAbsent(trace.processGroups, rankCount, rank);
        }
        ownGroups.push_back(std::move(trace.processGroups));
    }
    const ProcessGroups groups = ReadJobGroups(groupsFile, rankCount, absent);
    GroupResolver(job.workload, groups, ownGroups).Resolve(job.workload);
    return job;
}

} // namespace nadi
