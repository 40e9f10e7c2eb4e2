// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/trace-job.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/trace/group-resolver.h"
#include "workload/trace/trace-file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_RANKS_OF_PART = 1U << 20; // of a job with ranks that have no trace

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
    // Any rank is allowed here, as ranks without a trace are left out next.
    ProcessGroups groups = ReadGroupsFile(*file, std::numeric_limits<uint32_t>::max());
    LeaveOutAbsent(groups, rankCount, std::nullopt);
    return groups;
}

/// Reads the trace of the next rank; returns the groups that it defines.
ProcessGroups
AddRank(TraceJob& job,
        const std::string& file,
        MemoryLocation defaultLocation = MemoryLocation::Local)
{
    TraceFile trace =
        ReadTraceFile(file, {.listener = ThrowProblems(), .defaultLocation = defaultLocation});
    job.files.push_back(file);
    job.workload.graphOfRank.push_back(static_cast<uint32_t>(job.workload.graphs.size()));
    job.workload.graphs.push_back(std::move(trace.graph));
    job.dependencies.push_back(trace.facts.choice.kinds);
    return std::move(trace.processGroups);
}

/// Adds ranks without a trace, which share the empty graph 0, until there are `rankCount` at least.
void
AddAbsentRanks(TraceJob& job, uint32_t rankCount)
{
    for (uint32_t rank = job.RankCount(); rank < rankCount; ++rank)
    {
        job.files.emplace_back();
        job.workload.graphOfRank.push_back(0);
        // Any value will do, as there is no trace to be read.
        job.dependencies.push_back(DependencyKinds::Data);
    }
}

/// The largest rank in any of the groups.
uint32_t
LastRankOf(const ProcessGroups& groups)
{
    uint32_t last = 0;
    for (const auto& [name, ranks] : groups)
    {
        last = std::max(last, ranks.empty() ? 0 : std::ranges::max(ranks));
    }
    return last;
}

/// The largest rank that the trace of one rank names, in groups that it defines and in messages.
uint32_t
LastRankOf(const ExecutionGraph& graph, const ProcessGroups& own)
{
    uint32_t last = LastRankOf(own);
    for (const ExecutionNode& node : graph.Nodes())
    {
        const bool isMessage = node.type == NodeType::Send || node.type == NodeType::Receive;
        last = std::max(last, isMessage && !node.isCpu ? node.peer : 0);
    }
    // Each rank that is named takes memory, though it has no trace, so a damaged number must not
    // pass.
    if (last >= MOST_RANKS_OF_PART)
    {
        throw ConfigError(
            graph.Source(),
            fmt::format("names rank {}; a job has at most {} ranks", last, MOST_RANKS_OF_PART));
    }
    return last;
}

void
ResolveGroups(TraceJob& job,
              const ProcessGroups& groups,
              const GroupResolver::GroupsOfGraphs& ownGroups)
{
    GroupResolver resolver(job.workload, groups, ownGroups);
    resolver.Resolve(job.workload);
    job.undefinedGroups = resolver.UndefinedNames();
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
        // A trace may define groups that its own rank is not in and cannot call.
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
    // The traces were read with DependencyPolicy::Auto, which never chooses control alone.
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
    TraceJob job;
    const auto rankCount = static_cast<uint32_t>(files.size());
    GroupResolver::GroupsOfGraphs ownGroups;
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        // The list is by graph. Here each rank has a graph of its own.
        ownGroups.push_back(AddRank(job, files[rank]));
        if (absent == AbsentRanks::LeftOut)
        {
            LeaveOutAbsent(ownGroups.back(), rankCount, rank);
        }
    }
    const ProcessGroups groups = ReadJobGroups(groupsFile, rankCount, absent);
    ResolveGroups(job, groups, ownGroups);
    return job;
}

TraceJob
ReadPartOfJob(const std::vector<RankFile>& files,
              const std::optional<std::string>& groupsFile,
              uint32_t leastRanks,
              MemoryLocation defaultLocation)
{
    const ProcessGroups groups =
        groupsFile ? ReadGroupsFile(*groupsFile, MOST_RANKS_OF_PART) : ProcessGroups();
    TraceJob job;
    // Graph 0 is that of the ranks without a trace.
    job.workload.graphs.emplace_back();
    GroupResolver::GroupsOfGraphs ownGroups(1); // by graph
    uint32_t last = std::max(std::min(leastRanks, MOST_RANKS_OF_PART) - 1, LastRankOf(groups));
    for (const RankFile& file : files)
    {
        // Files come in the order of their ranks, and a rank is its place in the job, so gaps are
        // filled first.
        AddAbsentRanks(job, file.rank);
        ownGroups.push_back(AddRank(job, file.file, defaultLocation));
        last = std::max(last, LastRankOf(job.workload.graphs.back(), ownGroups.back()));
    }
    // Groups and messages may name ranks behind the last one that has a trace.
    AddAbsentRanks(job, last + 1);
    ResolveGroups(job, groups, ownGroups);
    return job;
}

} // namespace nadi
