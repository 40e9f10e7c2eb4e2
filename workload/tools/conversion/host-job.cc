// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/host-job.h"

#include "workload/tools/editing/trace-job.h"
#include "workload/trace/group-resolver.h"
#include "workload/trace/trace-file.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_WORLD = 1U << 24;

/// As many ranks as groups name, at least those that are given, at most so many as a job can have.
/// A damaged file may name any rank, and lists of all ranks are made of the result.
uint32_t
CountRanks(const ProcessGroups& groups, uint32_t rankCount)
{
    for (const auto& [name, ranks] : groups)
    {
        for (const uint32_t rank : ranks)
        {
            rankCount = std::max(rankCount, std::min(rank, MOST_WORLD - 1) + 1);
        }
    }
    return rankCount;
}

} // namespace

HostJob
ReadHostJob(const std::vector<std::string>& files)
{
    HostJob job;
    PytorchGroups groups;
    ConversionNotes notes;
    const auto rankCount = static_cast<uint32_t>(files.size());
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        const PytorchHostTrace host = ReadPytorchHostTrace(files[rank]);
        // A host trace does not say how many ranks the job had. It has at least the ranks that its
        // groups name.
        CommunicationWriter communication(
            host.groups, CountRanks(host.groups, rankCount), groups, notes);
        const TraceDocument document = MakeHostDocument(host, communication);
        TraceFile trace = ParseTrace(FormatDocument(document), files[rank], DependencyPolicy::Auto);
        job.orders.push_back(ReadRecordedOrder(document, trace.graph));
        job.orders.back().isOfHost = true;
        job.workload.graphOfRank.push_back(rank);
        job.workload.graphs.push_back(std::move(trace.graph));
    }
    // Groups may name ranks whose files were not given, and leave out the rank that a file is taken
    // for, by its place, though another one recorded it.
    GroupResolver::GroupsOfGraphs known(rankCount, groups.Groups());
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        LeaveOutAbsent(known[rank], rankCount, rank);
    }
    const ProcessGroups none;
    GroupResolver(job.workload, none, known).Resolve(job.workload);
    job.notes = notes.ToLines();
    return job;
}

} // namespace nadi
